package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// filled returns the form of a page as a browser would send it, with some fields replaced.
func filled(page *answer, over url.Values) url.Values {
	page.t.Helper()
	form := page.Find("form.editor")
	if form.Length() != 1 {
		page.t.Fatalf("there is no form on the page:\n%s", words(page.Find("body")))
	}
	fields := url.Values{}
	form.Find("input:not([type=radio]), input[checked]").Each(func(_ int, field *goquery.Selection) {
		fields.Set(field.AttrOr("name", ""), field.AttrOr("value", ""))
	})
	// Browsers send line ends as CRLF.
	fields.Set("body", strings.ReplaceAll(form.Find("textarea").Text(), "\n", "\r\n"))
	for name, values := range over {
		fields[name] = values
	}
	return fields
}

// write sends the form of a page with some fields replaced.
func (s *site) write(t *testing.T, page *answer, over url.Values) *answer {
	t.Helper()
	return s.post(t, page.Find("form.editor").AttrOr("action", ""), filled(page, over))
}

func kettle() url.Values {
	return url.Values{
		"name": {"Kettle"}, "type": {"user"}, "description": {"Who drinks what"}, "body": {"Mira likes tea.\r\n\r\n**Why:** she said so."},
	}
}

func TestCreate_WritesFile(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	s.RepairIndex("ada")
	list := s.get(t, adaList)
	href, _ := list.Find(`a[data-action=new]`).Attr("href")
	page := s.write(t, s.get(t, href), kettle())
	page.expect(http.StatusOK, "Saved Kettle", "Who drinks what", "Mira likes tea.")
	if got, want := page.Request.URL.Path, pageOf(s.Memory("ada", "Kettle")); got != want {
		t.Errorf("saving leads to %s, want %s", got, want)
	}
	want := "---\nname: Kettle\ndescription: Who drinks what\ntype: user\n---\n\nMira likes tea.\n\n**Why:** she said so.\n"
	if got := s.Read("ada/memory/user_kettle.md"); got != want {
		t.Errorf("the file says %q, want %q", got, want)
	}
	if !strings.Contains(s.Read("ada/CLAUDE.md"), "### Kettle") {
		t.Error("it is not compiled")
	}
	s.ExpectIndexTrue("ada", "the form", "- [Kettle](user_kettle.md) — Who drinks what")
}

func TestCreate_TakenName(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	over := kettle()
	over.Set("name", " Tabs ")
	page := s.write(t, s.get(t, adaList+"/new"), over)
	page.expect(http.StatusConflict, "This name is taken.", "she said so")
	if got := page.Find("#name-problem a").AttrOr("href", ""); got != pageOf(s.Memory("ada", "Tabs")) {
		t.Errorf("it leads to %q", got)
	}
	for name, values := range filled(page, nil) {
		if want := over.Get(name); name != "back" && values[0] != want {
			t.Errorf("%s holds %q, typed was %q", name, values[0], want)
		}
	}
	if got := s.Read("ada/memory/tabs.md"); got != twoMemories()["ada/memory/tabs.md"] {
		t.Errorf("the living one says %q", got)
	}
}

func TestCreate_DeletedName(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	s.submit(t, s.get(t, adaList), "Delete Tabs")
	over := kettle()
	over.Set("name", "Tabs")
	s.write(t, s.get(t, adaList+"/new"), over).expect(http.StatusOK, "Saved Tabs")
	if s.Memory("ada", "Tabs").State != memories.Active {
		t.Error("it does not live")
	}
}

func TestCreate_InvalidKeepsInput(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	for name, row := range map[string]struct{ field, value, says string }{
		"no name":         {"name", "  ", "The name is empty; every memory needs a name."},
		"a name too long": {"name", strings.Repeat("n", 257), "The name must be one line of at most 256 characters"},
		"no type":         {"type", "", "The type must be one of feedback, user, project, reference."},
		"a type of none":  {"type", "opinion", "The type must be one of feedback"},
		"a NUL":           {"description", "a\x00b", "The description contains a NUL character"},
		"a body too long": {"body", strings.Repeat("é", 1<<19+1), "The body is longer than 1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			over := kettle()
			over.Set(row.field, row.value)
			page := s.write(t, s.get(t, adaList+"/new"), over)
			page.expect(http.StatusUnprocessableEntity, row.says)
			if got := words(page.Find("#" + row.field + "-problem")); !strings.HasPrefix(got, row.says) {
				t.Errorf("beside the field stands %q", got)
			}
			kept := filled(page, nil)
			for _, field := range []string{"name", "description", "body"} {
				if field != row.field && kept.Get(field) != over.Get(field) {
					t.Errorf("%s holds %q, typed was %q", field, kept.Get(field), over.Get(field))
				}
			}
		})
	}
}

func TestEdit_KeepsUnknownKeys(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"ada/memory/tabs.md": "---\nmood: calm # today\nname: Tabs\ntype: feedback\nx-tags: [a, b]\n---\n\n    indented\n\nUse tabs.\n"})
	page := s.get(t, pageOf(s.Memory("ada", "Tabs")))
	href, _ := page.Find(`#pane a[data-action=edit]`).Attr("href")
	form := s.get(t, href)
	form.expect(http.StatusOK, "Edit memory")
	s.write(t, form, nil).expect(http.StatusOK, "Saved Tabs")
	if got := s.Read("ada/memory/tabs.md"); !strings.Contains(got, "\n\n    indented\n\nUse tabs.\n") {
		t.Errorf("saving without a change makes of the file %q", got)
	}
	s.write(t, s.get(t, href), url.Values{"type": {"project"}, "description": {"How: to indent"}}).expect(http.StatusOK, "How: to indent")
	got := s.Read("ada/memory/tabs.md")
	for _, part := range []string{"mood: calm # today\n", "type: project\n", "x-tags: [a, b]\n", "Use tabs."} {
		if !strings.Contains(got, part) {
			t.Errorf("the file lacks %q:\n%s", part, got)
		}
	}
	if strings.Index(got, "mood") > strings.Index(got, "x-tags") {
		t.Errorf("the keys changed their order:\n%s", got)
	}
}

func TestEdit_Renames(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	old := s.Memory("ada", "Tabs")
	form := s.get(t, pageOf(old)+"/edit")
	s.write(t, form, url.Values{"name": {"Release"}}).expect(http.StatusConflict, "This name is taken.")
	page := s.write(t, form, url.Values{"name": {"Indent"}})
	page.expect(http.StatusOK, "Saved Indent")
	if got, want := page.Request.URL.Path, pageOf(s.Memory("ada", "Indent")); got != want {
		t.Errorf("it leads to %s, want %s", got, want)
	}
	if renamed := s.Memory("ada", "Indent"); renamed.ID != old.ID {
		t.Errorf("id = %s, want %s: the history goes with the name", renamed.ID, old.ID)
	}
	s.get(t, ada+"/trash").expect(http.StatusOK, "Trash is empty")
}

func TestEdit_DeletedOrUnreadable(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"ada/memory/bad.md": strings.Repeat("too long ", 1<<17)})
	page := s.get(t, adaList)
	href, _ := page.Find(".row h3 a").Attr("href")
	if s.get(t, href).Find(`a[data-action="edit"]`).Length() != 0 {
		t.Error("its page offers to edit it")
	}
	s.get(t, href+"/edit").expect(http.StatusConflict, "cannot be read")
	s.get(t, adaList+"/nonsense/edit").expect(http.StatusNotFound)
	s.get(t, "/agents/nobody/memory/new").expect(http.StatusNotFound)
}

func TestEdit_ChangedMemory(t *testing.T) {
	t.Parallel()
	for name, scanned := range map[string]bool{"noticed": true, "not yet noticed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, twoMemories())
			m := s.Memory("ada", "Tabs")
			form := s.get(t, pageOf(m)+"/edit")
			s.Write("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use spaces."))
			if scanned {
				s.Scan("ada")
			}
			both := s.write(t, form, url.Values{"body": {"Use three tabs."}})
			both.expect(http.StatusPreconditionFailed, "Memory has changed", "Nothing was saved.", "Theirs", "Use spaces.", "Yours", "Use three tabs.")
			if got := both.Find(".theirs a").AttrOr("href", ""); got != pageOf(m) {
				t.Errorf("keeping what is there leads to %q", got)
			}
			if !strings.Contains(s.Read("ada/memory/tabs.md"), "Use spaces.") {
				t.Fatal("it was overwritten unseen")
			}
			// Another change: the user has seen an older state.
			s.Write("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use nothing."))
			both = s.write(t, both, nil)
			both.expect(http.StatusPreconditionFailed, "Use nothing.", "Use three tabs.")
			s.write(t, both, nil).expect(http.StatusOK, "Saved Tabs", "Use three tabs.")
			if got := s.Read("ada/memory/tabs.md"); !strings.Contains(got, "Use three tabs.") {
				t.Errorf("the file says %q", got)
			}
		})
	}
}

func TestEdit_WithoutETag(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	form := s.get(t, pageOf(s.Memory("ada", "Tabs"))+"/edit")
	s.write(t, form, url.Values{"etag": {""}, "body": {"Mine."}}).expect(http.StatusPreconditionFailed, "Use tabs.", "Mine.")
}

func TestEdit_DeletedMeanwhile(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	m := s.Memory("ada", "Tabs")
	form := s.get(t, pageOf(m)+"/edit")
	s.submit(t, s.get(t, adaList), "Delete Tabs")
	page := s.write(t, form, url.Values{"body": {"Use three tabs."}})
	page.expect(http.StatusPreconditionFailed, "Memory was deleted", "Deleted text", "Use tabs.", "Use three tabs.")
	s.submit(t, s.get(t, pageOf(m)), "Yes, delete permanently Tabs")
	s.write(t, form, url.Values{"body": {"Use four tabs."}}).expect(http.StatusPreconditionFailed, "Memory was deleted", "Use four tabs.")
	s.write(t, page, nil).expect(http.StatusOK, "Saved Tabs", "Use three tabs.")
	if !strings.Contains(s.Read("ada/CLAUDE.md"), "Use three tabs.") {
		t.Error("it is not back")
	}
}

func TestEdit_DiskRefuses(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	form := s.get(t, adaList+"/new")
	s.Remove("ada/memory")
	s.write(t, form, kettle()).expect(http.StatusConflict, "Not saved", "not found", "Your text is below.", "she said so")
}

func TestPreview_SavesNothing(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	m := s.Memory("ada", "Tabs")
	form := s.get(t, pageOf(m)+"/edit")
	page := s.post(t, form.Find(".editor button[formaction]").AttrOr("formaction", ""), filled(form, url.Values{
		"name": {"Indent"}, "body": {"Use **three** tabs, see [[Release]].\r\n\r\n<script>alert(1)</script>"},
	}))
	page.expect(http.StatusOK, "Preview", "alert(1)")
	if got := words(page.Find("#preview strong")); got != "three" {
		t.Errorf("bold is %q", got)
	}
	if got := page.Find("#preview a").AttrOr("href", ""); got != pageOf(s.Memory("ada", "Release")) {
		t.Errorf("the link leads to %q", got)
	}
	if page.Find("#preview script").Length() != 0 || s.Read("ada/memory/tabs.md") != twoMemories()["ada/memory/tabs.md"] {
		t.Error("the preview did more than to show")
	}
	s.write(t, page, nil).expect(http.StatusOK, "Saved Indent")
}

func TestForm_DoesNotReload(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	for _, path := range []string{adaList + "/new", pageOf(s.Memory("ada", "Tabs")) + "/edit"} {
		if page := s.get(t, path); page.Find("main[data-events]").Length() != 0 || page.Find("#pane[hx-morph-skip]").Length() != 1 {
			t.Errorf("%s would be refreshed under the hands of its writer", path)
		}
	}
}

func TestForm_ReportsSecret(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	over := kettle()
	over.Set("body", "db password: "+paneSecret)
	page := s.write(t, s.get(t, adaList+"/new"), over)
	page.expect(http.StatusUnprocessableEntity, "Agents will not receive this memory until you allow it in Review.")
	if page.Find(".editor[data-draft]").Length() != 0 {
		t.Error("a secret would be kept as a draft")
	}
	over.Set("anyway", "true")
	s.write(t, page, over).expect(http.StatusOK, "Saved Kettle")
	m := s.Memory("ada", "Kettle")
	s.get(t, pageOf(m)+"/edit").expect(http.StatusConflict, "The text is masked.")
	// A known secret is not reported again.
	form := s.get(t, pageOf(m)+"/edit?reveal=true")
	s.write(t, form, url.Values{"description": {"Where it is"}}).expect(http.StatusOK, "Saved Kettle")
	if got := s.Read("ada/memory/user_kettle.md"); !strings.Contains(got, paneSecret) || !strings.Contains(got, "Where it is") {
		t.Errorf("the file says %q", got)
	}
}

func TestMemories_NewNeedsDirectory(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	s.Remove("ada")
	if _, err := s.Engine.ScanAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.get(t, adaList).Find(`a:contains("New memory")`).Length() != 0 {
		t.Error("there is nowhere to write it")
	}
}
