package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/web/templates/address"
)

func TestChooseType_SetsType(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"ada/memory/printer.md": "---\nname: Printer\n---\nIt jams.\n"})
	m := s.Memory("ada", "Printer")
	page := s.get(t, pageOf(m))
	page.expect(http.StatusOK, "Broken", "Set the type")
	page = s.submit(t, page, "Reference where things live")
	page.expect(http.StatusOK, "Printer: reference")
	if page.Request.URL.Path != pageOf(m) || page.Find(".choose-type").Length() != 0 {
		t.Errorf("the fix leads to %s and still asks", page.Request.URL)
	}
	if got := s.Read("ada/memory/printer.md"); !strings.Contains(got, "type: reference") || !strings.Contains(got, "It jams.") {
		t.Errorf("the file says %q", got)
	}
	if !strings.Contains(s.Read("ada/CLAUDE.md"), "### Printer") {
		t.Error("it is not compiled")
	}
	s.post(t, pageOf(m)+"/type", url.Values{address.FieldType: {"opinion"}}).expect(http.StatusUnprocessableEntity, "Nothing was changed")
}

func manyMemories(n int) memoirtest.Files {
	files := memoirtest.Files{}
	for i := range n {
		files[fmt.Sprintf("ada/memory/n%02d.md", i)] = memoirtest.Note(fmt.Sprintf("Fact %02d", i), memories.Project, fmt.Sprintf("It is %d.", i))
	}
	files["ada/memory/untyped.md"] = "Just words.\n"
	return files
}

// loseAll removes all memory files at once and returns the page that asks for a decision.
func (s *site) loseAll(t *testing.T) *answer {
	t.Helper()
	s.Remove("ada/memory")
	if err := os.Mkdir(s.Path("ada/memory"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.Scan("ada")
	page := s.get(t, adaList)
	page.expect(http.StatusOK, "13 missing memories", "missing")
	if got := page.Find(".row").Length(); got != 13 {
		t.Errorf("%d memories are still listed, want all 13", got)
	}
	return page
}

func TestDecideMissing_WritesBack(t *testing.T) {
	t.Parallel()
	files := manyMemories(12)
	s := serve(t, files)
	page := s.submit(t, s.loseAll(t), "Write all back")
	page.expect(http.StatusOK, "Written back.")
	for path, text := range files {
		if s.Read(path) != text {
			t.Errorf("%s is not back as it was", path)
		}
	}
	if strings.Contains(words(page.Find("main")), "gone missing") {
		t.Error("the page still asks")
	}
}

func TestDecideMissing_Deletes(t *testing.T) {
	t.Parallel()
	s := serve(t, manyMemories(12))
	page := s.submit(t, s.loseAll(t), "Delete all")
	page.expect(http.StatusOK, "Deleted 13 memories", "Nothing learned yet")
	if got := s.get(t, ada+"/trash").Find(".row").Length(); got != 13 {
		t.Errorf("the trash has %d, want 13", got)
	}
}

func TestDecideMissing_OthersThanShown(t *testing.T) {
	t.Parallel()
	files := manyMemories(12)
	s := serve(t, files)
	seen := s.loseAll(t)
	s.Write("ada/memory/n00.md", files["ada/memory/n00.md"])
	s.Scan("ada")
	s.submit(t, seen, "Delete all").expect(http.StatusPreconditionFailed, "Nothing was changed.")
	if s.Memory("ada", "Fact 00").State != memories.Active || s.Memory("ada", "Fact 01").State != memories.Missing {
		t.Error("something was deleted")
	}
	s.post(t, ada+"/missing/ignore", nil).expect(http.StatusNotFound)
}

func TestDecideMissing_NamesFailures(t *testing.T) {
	t.Parallel()
	s := serve(t, manyMemories(12))
	seen := s.loseAll(t)
	s.Remove("ada")
	s.submit(t, seen, "Write all back").expect(http.StatusConflict, "13 of 13 not done", "“Fact 00”", "“untyped”", "not found")
}

func TestBlocked_LeadsToReview(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	s.submit(t, s.get(t, adaList), "Delete Tabs")
	s.Write("ada/memory/again.md", twoMemories()["ada/memory/tabs.md"])
	s.Scan("ada")

	page := s.get(t, adaList)
	page.expect(http.StatusOK, "1 blocked file")
	if got := page.names(); !slices.Equal(got, []string{"Release"}) {
		t.Errorf("listed: %q", got)
	}
	examine(t, s.Memoir)
	s.get(t, page.Find(`.banner a[href*="kind=blocked"]`).AttrOr("href", "")).expect(http.StatusOK, "Deleted before, back on disk", "memory/again.md", "Use tabs.")
}

func TestForget_NeedsMissingDirectory(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	s.post(t, ada+"/forget", nil).expect(http.StatusConflict, "Nothing was removed")
	s.Remove("ada")
	if _, err := s.Engine.ScanAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	page := s.get(t, adaList)
	page.expect(http.StatusOK, "Directory not found", "Memories are kept", "Tabs")
	page = s.submit(t, page, "Yes, forget this agent")
	page.expect(http.StatusOK, "Agent forgotten", "No agents yet")
	s.get(t, adaList).expect(http.StatusNotFound)
}
