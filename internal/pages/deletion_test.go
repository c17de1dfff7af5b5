package pages_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/web/templates/address"
)

const adaIndex = "- [Tabs](tabs.md) — how to indent\n- [Release](release.md) — when\n"

func twoMemories() memoirtest.Files {
	return memoirtest.Files{
		"ada/memory/tabs.md":    memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/release.md": memoirtest.Note("Release", memories.Project, "On Tuesdays."),
		"ada/memory/MEMORY.md":  adaIndex,
	}
}

func TestDelete_EverywhereWithUndo(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	before := s.Read("ada/CLAUDE.md")

	page := s.submit(t, s.get(t, adaList+"?q=t"), "Delete Tabs")
	page.expect(http.StatusOK, "Deleted Tabs")
	if got := page.names(); !slices.Equal(got, []string{"Release"}) {
		t.Errorf("listed after the deletion: %q", got)
	}
	if got := page.Request.URL.Query().Get("q"); got != "t" {
		t.Errorf("the search is gone: %s", page.Request.URL)
	}
	if s.Read("ada/memory/tabs.md") != "" || strings.Contains(s.Read("ada/memory/MEMORY.md"), "Tabs") ||
		strings.Contains(s.Read("ada/CLAUDE.md"), "Tabs") {
		t.Error("the deleted memory is still on disk")
	}

	page = s.submit(t, page, "Undo the deletion of Tabs")
	page.expect(http.StatusOK, "Restored Tabs")
	if got := page.names(); len(got) != 2 {
		t.Errorf("listed after the undo: %q", got)
	}
	if s.Read("ada/memory/tabs.md") != twoMemories()["ada/memory/tabs.md"] || s.Read("ada/memory/MEMORY.md") != adaIndex || s.Read("ada/CLAUDE.md") != before {
		t.Error("the undo did not bring everything back as it was")
	}
}

func TestNotice_OnlyCurrentState(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	id := s.Memory("ada", "Tabs").ID
	for _, forged := range []string{"done=deleted&id=" + id, "done=deleted&id=nonsense", "done=%3Cb%3E&id=" + id, "done=deleted", "%zz", "many=delete&event=x", "done=taken-back&event=x"} {
		page := s.getWith(t, adaList, "Cookie", "memoir_notice="+forged)
		page.expect(http.StatusOK)
		if got := words(page.Find("#notices")); got != "" {
			t.Errorf("%s says %q", forged, got)
		}
		if got := page.Header.Get("Set-Cookie"); !strings.Contains(got, "memoir_notice=; Path=/; Max-Age=0") {
			t.Errorf("the cookie %q is answered with %q, want its deletion", forged, got)
		}
	}
}

func TestNotice_ShownOnce(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	m := s.Memory("ada", "Tabs")
	const action = "done=deleted&id="
	if _, err := s.Engine.Delete(t.Context(), "ada", m.ID, ""); err != nil {
		t.Fatal(err)
	}
	cookie := "memoir_notice=" + action + m.ID
	for name, header := range map[string][]string{"refresh": {"Memoir-Refresh", "true"}, "part of a page": {"HX-Request-Type", "partial"}} {
		page := s.getWith(t, adaList, append(header, "Cookie", cookie)...)
		if words(page.Find("#notices")) != "" || page.Header.Get("Set-Cookie") != "" {
			t.Errorf("a %s takes the notice of the next page", name)
		}
	}
	page := s.getWith(t, adaList, "Cookie", cookie)
	page.expect(http.StatusOK, "Deleted Tabs", "Undo")
	if again := s.get(t, adaList); words(again.Find("#notices")) != "" {
		t.Errorf("without the cookie the page says %q", words(again.Find("#notices")))
	}
}

func TestDelete_ChangedFile(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	seen := s.get(t, pageOf(s.Memory("ada", "Tabs")))
	s.Write("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use tabs, but never in YAML."))

	// The status depends on whether the scan was earlier; both are refusals.
	page := s.submit(t, seen, "Delete Tabs")
	if page.StatusCode != http.StatusConflict && page.StatusCode != http.StatusPreconditionFailed {
		t.Errorf("the deletion answers %d", page.StatusCode)
	}
	page.expect(page.StatusCode, "but never in YAML")
	if got := words(page.Find(".banner h2")); got != "Not done" && got != "Memory has changed" {
		t.Errorf("the page is headed %q", got)
	}
	if page.Find("main[data-events]").Length() != 0 {
		t.Error("the refusal would be refreshed away")
	}
	if !strings.Contains(s.Read("ada/memory/tabs.md"), "never in YAML") || s.Memory("ada", "Tabs").State != memories.Active {
		t.Error("something was deleted")
	}
	s.submit(t, page, "Delete Tabs").expect(http.StatusOK, "Deleted Tabs")
}

func TestDelete_ChangedMemory(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	seen := s.get(t, adaList)
	s.Write("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use spaces."))
	s.Scan("ada")
	s.submit(t, seen, "Delete Tabs").expect(http.StatusPreconditionFailed, "Memory has changed", "Nothing was changed.", "Use spaces.")
	if s.Read("ada/memory/tabs.md") == "" {
		t.Error("the file is gone")
	}
}

func TestDelete_Twice(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	seen := s.get(t, adaList)
	s.submit(t, seen, "Delete Tabs")
	s.submit(t, seen, "Delete Tabs").expect(http.StatusOK, "Deleted Tabs")
}

func TestBack_OwnPagesOnly(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	m := s.Memory("ada", "Tabs")
	for _, back := range []string{"https://example.org/", "//example.org/", `/\example.org/`, "\t//example.org", "javascript:alert(1)", "%zz", "memory"} {
		page := s.post(t, pageOf(m)+"/delete", url.Values{address.FieldBack: {back}})
		if got := page.Request.URL; got.Path != adaList || "http://"+got.Host != s.address {
			t.Errorf("%q leads to %s", back, got)
		}
		s.post(t, pageOf(m)+"/restore", nil).expect(http.StatusOK)
	}
}

func TestTrash_RestoreAndPurge(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	trash := adaList + "?view=trash"
	s.get(t, ada+"/trash").expect(http.StatusOK, "Trash is empty")
	s.submit(t, s.get(t, adaList), "Delete Tabs")
	s.Remove("ada/memory/release.md")
	s.Scan("ada")

	page := s.get(t, trash)
	page.expect(http.StatusOK, "by you", "by the agent")
	if got := page.names(); !slices.Equal(got, []string{"Tabs", "Release"}) {
		t.Errorf("the trash has %q", got)
	}
	page = s.selecting(t, page, "Restore", "Tabs")
	page.expect(http.StatusOK, "1 memory restored")
	if page.Request.URL.RequestURI() != trash || s.Read("ada/memory/tabs.md") == "" {
		t.Errorf("the restore leads to %s", page.Request.URL)
	}
	page = s.selecting(t, page, "Yes, delete permanently", "Release")
	page.expect(http.StatusOK, "1 memory deleted permanently", "Trash is empty")
	s.get(t, adaList).expect(http.StatusOK, "Tabs")
}

func TestMemory_Deleted(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	m := s.Memory("ada", "Tabs")
	s.submit(t, s.get(t, pageOf(m)), "Delete Tabs")
	page := s.get(t, pageOf(m))
	page.expect(http.StatusOK, "deleted by you", "Use tabs.")
	s.get(t, pageOf(m)+"?tab=file").expect(http.StatusOK, "No file on disk has this memory now.")
	page = s.submit(t, page, "Restore")
	page.expect(http.StatusOK, "Restored Tabs")
	if page.Request.URL.Path != pageOf(m) {
		t.Errorf("the restore leads to %s", page.Request.URL)
	}
	s.post(t, pageOf(m)+"/restore", nil).expect(http.StatusConflict, "is not in the trash", "Use tabs.")
}

func TestFrame_ClaudeMDProblem(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	files["ada/CLAUDE.md"] = "<!-- memoir:begin -->\n<!-- memoir:begin -->\n"
	s := serve(t, files)
	s.submit(t, s.get(t, adaList), "Delete Tabs").expect(http.StatusOK, "Deleted Tabs", "CLAUDE.md not written")
	for _, tab := range []string{"/memory", "/timeline?show=sessions", "/trash"} {
		s.get(t, ada+tab).expect(http.StatusOK, "has damaged memoir:begin", "Nothing was written")
	}
	s.get(t, ada+"/context").expect(http.StatusOK, "Damaged markers.")
	s.get(t, "/").expect(http.StatusOK, "CLAUDE.md not written")
}
