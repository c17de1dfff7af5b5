package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/web/templates/address"
)

// facts returns n memories of one agent, named Fact 01, Fact 02 and so on.
func facts(n int) memoirtest.Files {
	files := memoirtest.Files{}
	index := ""
	for i := 1; i <= n; i++ {
		file := fmt.Sprintf("fact_%02d.md", i)
		files["ada/memory/"+file] = memoirtest.Note(fmt.Sprintf("Fact %02d", i), memories.Project, fmt.Sprintf("What is known of %02d.", i))
		index += fmt.Sprintf("- [Fact %02d](%s) — a fact\n", i, file)
	}
	files["ada/memory/MEMORY.md"] = index
	return files
}

// selecting selects the named memories and presses a button of the bar, as a browser without
// scripts does.
func (s *site) selecting(t *testing.T, page *answer, button string, names ...string) *answer {
	t.Helper()
	fields := url.Values{}
	page.Find("#selection input[type=hidden]").Each(func(_ int, field *goquery.Selection) {
		fields.Add(field.AttrOr("name", ""), field.AttrOr("value", ""))
	})
	for _, name := range names {
		box := page.Find(".row").FilterFunction(func(_ int, row *goquery.Selection) bool { return words(row.Find("h2, h3")) == name }).
			Find(`input[form="selection"]`)
		if box.Length() != 1 {
			t.Fatalf("%q has %d checkboxes", name, box.Length())
		}
		fields.Add(box.AttrOr("name", ""), box.AttrOr("value", ""))
	}
	pressed := page.Find("#selection button").FilterFunction(func(_ int, b *goquery.Selection) bool { return words(b) == button })
	if pressed.Length() != 1 {
		t.Fatalf("the bar has %d buttons %q", pressed.Length(), button)
	}
	return s.post(t, pressed.AttrOr("formaction", ""), fields)
}

func TestBatch_DeleteAndUndo(t *testing.T) {
	t.Parallel()
	files := facts(4)
	s := serve(t, files)
	before := s.Read("ada/CLAUDE.md")

	page := s.selecting(t, s.get(t, adaList+"?q=fact"), "Delete", "Fact 01", "Fact 03")
	page.expect(http.StatusOK, "Deleted 2 memories")
	if got := slices.Sorted(slices.Values(page.names())); !slices.Equal(got, []string{"Fact 02", "Fact 04"}) || page.Request.URL.Query().Get("q") != "fact" {
		t.Errorf("%s lists %q", page.Request.URL, got)
	}
	if s.Read("ada/memory/fact_01.md") != "" || strings.Contains(s.Read("ada/CLAUDE.md"), "of 03") || strings.Contains(s.Read("ada/memory/MEMORY.md"), "Fact 01") {
		t.Error("the deleted memories are still on disk")
	}

	page = s.submit(t, page, "Undo the deletion of 2 memories")
	page.expect(http.StatusOK, "2 memories restored")
	if s.Read("ada/CLAUDE.md") != before || s.Read("ada/memory/MEMORY.md") != files["ada/memory/MEMORY.md"] || s.Read("ada/memory/fact_03.md") != files["ada/memory/fact_03.md"] {
		t.Error("the undo did not bring everything back as it was")
	}
}

func TestBatch_ManyPurgedAskFirst(t *testing.T) {
	t.Parallel()
	s := serve(t, facts(21))
	var all []string
	for i := 1; i <= 21; i++ {
		all = append(all, fmt.Sprintf("Fact %02d", i))
	}
	s.selecting(t, s.get(t, adaList), "Delete", all...).expect(http.StatusOK, "Deleted 21 memories")
	const trash = "/agents/ada/trash"
	page := s.selecting(t, s.get(t, trash), "Yes, delete permanently", all...)
	page.expect(http.StatusOK, "Delete 21 memories permanently?", "This cannot be undone.", "Fact 01")
	s.get(t, trash).expect(http.StatusOK, "Fact 01", "Fact 21")
	s.submit(t, page, "Delete 21 memories permanently").expect(http.StatusOK, "21 memories deleted permanently")
}

func TestBatch_ChangedStaysSelected(t *testing.T) {
	t.Parallel()
	s := serve(t, facts(3))
	list := s.get(t, adaList)
	s.Write("ada/memory/fact_02.md", memoirtest.Note("Fact 02", memories.Project, "Known better by now."))
	page := s.selecting(t, list, "Delete", "Fact 01", "Fact 02", "Fact 03")
	page.expect(http.StatusConflict, "1 of 3 not deleted", "Fact 02", "Deleted 2 memories")
	if got := words(page.Find(".row .problem")); !strings.Contains(got, "changed") {
		t.Errorf("the reason is %q", got)
	}
	if page.Find("[data-pick][checked]").Length() != 1 {
		t.Error("what is left is not selected")
	}
	if s.Read("ada/memory/fact_02.md") == "" || s.Read("ada/memory/fact_01.md") != "" {
		t.Error("the wrong files are gone")
	}
	s.selecting(t, page, "Delete", "Fact 02").expect(http.StatusOK, "Deleted 1 memory", "Nothing learned yet")
}

func TestBatch_TypeAndTeam(t *testing.T) {
	t.Parallel()
	s := serve(t, facts(3))
	s.selecting(t, s.get(t, adaList), "Set to Feedback", "Fact 01", "Fact 02").expect(http.StatusOK, "2 memories set to Feedback")
	if got := s.get(t, adaList).each("#group-feedback h3"); len(got) != 2 {
		t.Errorf("feedback: %q", got)
	}
	s.selecting(t, s.get(t, adaList), "Move to team", "Fact 01").expect(http.StatusOK, "1 memory moved to team")
	if got := s.get(t, adaList+"?view=team").names(); !slices.Equal(got, []string{"Fact 01"}) {
		t.Errorf("team: %q", got)
	}
}

func TestBatch_SecondDelete(t *testing.T) {
	t.Parallel()
	s := serve(t, facts(3))
	page := s.get(t, adaList)
	s.selecting(t, page, "Delete", "Fact 01", "Fact 02")
	again := s.selecting(t, page, "Delete", "Fact 01", "Fact 02")
	again.expect(http.StatusOK, "Deleted 2 memories")
	again = s.submit(t, again, "Undo the deletion of 2 memories")
	again.expect(http.StatusOK, "2 memories restored")
}

func TestBatch_Verify(t *testing.T) {
	t.Parallel()
	files := facts(3)
	for _, n := range []string{"01", "02"} {
		files["ada/memory/fact_"+n+".md"] = strings.Replace(files["ada/memory/fact_"+n+".md"], "---\n\n", "metadata:\n  modified: 2026-01-02T03:04:05Z\n---\n\n", 1)
	}
	s := serve(t, files)
	page := s.get(t, adaList)
	if got := page.each(`.list .chip`); len(got) < 2 {
		t.Fatalf("chips: %q", got)
	}
	page = s.selecting(t, page, "Still true", "Fact 01", "Fact 02")
	page.expect(http.StatusOK, "2 memories still true")
	if got := page.each(`.list .chip:not([data-tone=good])`); len(got) != 0 {
		t.Errorf("chips: %q", got)
	}
}

func TestBatch_TrashRestoreAndPurge(t *testing.T) {
	t.Parallel()
	s := serve(t, facts(4))
	s.selecting(t, s.get(t, adaList), "Delete", "Fact 01", "Fact 02", "Fact 03")
	trash := adaList + "?view=trash"
	page := s.selecting(t, s.get(t, trash), "Restore", "Fact 01", "Fact 02")
	page.expect(http.StatusOK, "2 memories restored")
	if got := page.names(); !slices.Equal(got, []string{"Fact 03"}) || page.Request.URL.RequestURI() != trash {
		t.Errorf("%s has %q", page.Request.URL, got)
	}
	page = s.selecting(t, page, "Yes, delete permanently", "Fact 03")
	page.expect(http.StatusOK, "1 memory deleted permanently", "Trash is empty")
	if s.Read("ada/memory/fact_02.md") == "" {
		t.Error("a restored file is not there")
	}
}

func TestBatch_NothingSelected(t *testing.T) {
	t.Parallel()
	s := serve(t, facts(1))
	list := s.get(t, adaList)
	for _, button := range []string{"Delete", "Still true"} {
		s.selecting(t, list, button).expect(http.StatusOK, "Select a memory first")
	}
	s.get(t, adaList+"/batch/delete").expect(http.StatusOK, "Select a memory first")
	s.post(t, adaList+"/batch/eat", nil).expect(http.StatusNotFound)
	s.post(t, "/agents/nobody/memory/batch/delete", nil).expect(http.StatusNotFound)
	s.post(t, adaList+"/batch/delete", url.Values{address.FieldMemory: {"nonsense"}}).expect(http.StatusConflict, "1 of 1 not deleted", "nonsense")
}
