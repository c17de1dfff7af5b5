package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/web/templates/address"
)

// learn writes a memory's file and scans it.
func (s *site) learn(path, text string) {
	s.Helper()
	s.Write(path, text)
	s.Scan("ada")
}

// taught returns a site whose memory Tabs has three revisions, the last one from a session.
func taught(t testing.TB) *site {
	t.Helper()
	s := serve(t, twoMemories())
	s.learn("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use spaces."))
	s.learn("ada/sessions/U1-C1-1741512345.123456/memory/tabs.md", memoirtest.Note("Tabs", memories.Reference, "Use spaces, but tabs in Go."))
	return s
}

// restoreNth presses the button of the nth revision from the top.
func (s *site) restoreNth(t *testing.T, page *answer, n int) *answer {
	t.Helper()
	form := page.Find(".revision").Eq(n).Find("form")
	if form.Length() != 1 {
		t.Fatalf("revision %d has %d forms", n, form.Length())
	}
	return s.post(t, form.AttrOr("action", ""), url.Values{address.FieldETag: {form.Find("input[name=etag]").AttrOr("value", "")}})
}

func TestHistory_ShowsDiffs(t *testing.T) {
	t.Parallel()
	s := taught(t)
	m := s.Memory("ada", "Tabs")
	page := s.get(t, s.get(t, pageOf(m)).Find(`.pane-tabs a:contains("History")`).AttrOr("href", ""))
	page.expect(http.StatusOK, "History 3")
	if got, want := page.each(".revision h3"), []string{"Now", "Changed", "First learned"}; !slices.Equal(got, want) {
		t.Errorf("the revisions are headed %q, want %q", got, want)
	}
	newest := page.Find(".revision").First()
	if got := words(newest.Find("header")); !strings.Contains(got, "from session") {
		t.Errorf("the newest revision comes from %q", got)
	}
	if got := words(page.Find(".revision").Eq(1).Find(".retyped")); got != "feedback → reference" {
		t.Errorf("the change of its type is told as %q", got)
	}
	if got, want := page.each(".line"), []string{
		"removed: Use spaces.", "added: Use spaces , but tabs in Go .",
		"removed: Use tabs.", "added: Use spaces, but tabs in Go .",
	}; !slices.Equal(got, want) {
		t.Errorf("the changes since then are told as %q, want %q", got, want)
	}
	if newest.Find("form").Length() != 0 {
		t.Error("the current text can be restored")
	}
}

func TestMemory_OldAddresses(t *testing.T) {
	t.Parallel()
	s := taught(t)
	m := s.Memory("ada", "Tabs")
	for path, want := range map[string]string{
		"/history": "?tab=history", "/history?cursor=abc": "?revision=abc&tab=history", "/fix": "?tab=file",
	} {
		response := s.get(t, pageOf(m)+path)
		if first := response.Request.Response; first == nil || first.StatusCode != http.StatusMovedPermanently || first.Header.Get("Location") != pageOf(m)+want {
			t.Errorf("%s leads to %s", path, response.Request.URL)
		}
		response.expect(http.StatusOK, "Tabs")
	}
	s.get(t, pageOf(m)+"?tab=nonsense").expect(http.StatusNotFound)
	s.get(t, adaList+"/nonsense?tab=history").expect(http.StatusNotFound)
}

func TestRestoreRevision_WritesFile(t *testing.T) {
	t.Parallel()
	s := taught(t)
	m := s.Memory("ada", "Tabs")
	page := s.restoreNth(t, s.get(t, pageOf(m)+"/history"), 2)
	page.expect(http.StatusOK, "Restored an earlier text of Tabs")
	if page.Request.URL.Path != pageOf(m) {
		t.Errorf("the restore leads to %s", page.Request.URL)
	}
	// Equal content is the same revision: it moves to the top, and no other one is lost.
	if got, want := page.each(".revision h3"), []string{"Now", "Changed", "First learned"}; !slices.Equal(got, want) {
		t.Errorf("the revisions are headed %q, want %q", got, want)
	}
	now := s.Memory("ada", "Tabs")
	if now.ID != m.ID || now.Type != memories.Feedback || now.Body != "Use tabs." || now.Description != "About Tabs" {
		t.Errorf("the memory is %+v", now)
	}
	if !strings.Contains(s.Read("ada/memory/tabs.md"), "Use tabs.") || !strings.Contains(s.Read("ada/CLAUDE.md"), "Use tabs.") {
		t.Error("the restored text is not on disk")
	}
}

func TestRestoreRevision_ChangedMemory(t *testing.T) {
	t.Parallel()
	s := taught(t)
	page := s.get(t, pageOf(s.Memory("ada", "Tabs"))+"/history")
	s.learn("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use what the file uses."))
	s.restoreNth(t, page, 2).expect(http.StatusPreconditionFailed, "Memory has changed", "Use what the file uses.")
	if !strings.Contains(s.Read("ada/memory/tabs.md"), "what the file uses") {
		t.Error("something was written")
	}
}

func TestRestoreRevision_Unknown(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	tabs, release := pageOf(s.Memory("ada", "Tabs")), pageOf(s.Memory("ada", "Release"))
	action := s.get(t, release+"/history").Find(".revision").AttrOr("id", "")
	for _, path := range []string{
		tabs + "/history/nonsense/restore", tabs + "/history/" + strings.Repeat("0", 64) + "/restore", tabs + "/history/" + action + "/restore",
		adaList + "/nonsense/history/nonsense/restore",
	} {
		s.post(t, path, nil).expect(http.StatusNotFound, "Page not found")
	}
	s.get(t, adaList+"/nonsense/history").expect(http.StatusNotFound, "Page not found")
	s.get(t, tabs+"/history?cursor=nonsense").expect(http.StatusOK, "History 1", "Never changed")
}

func TestHistory_Deleted(t *testing.T) {
	t.Parallel()
	s := taught(t)
	m := s.Memory("ada", "Tabs")
	stale := s.get(t, pageOf(m)+"/history")
	s.submit(t, s.get(t, pageOf(m)), "Delete Tabs")
	page := s.get(t, pageOf(m)+"/history")
	page.expect(http.StatusOK, "History 3", "In the trash", "Use spaces")
	if page.Find(".revision form").Length() != 0 {
		t.Error("a version of a deleted memory can be restored")
	}
	s.restoreNth(t, stale, 2).expect(http.StatusPreconditionFailed)
	page = s.submit(t, page, "Restore")
	page.expect(http.StatusOK, "Restored Tabs")
	page = s.get(t, pageOf(m)+"/history")
	if page.Request.URL.Path != pageOf(m) || page.Find(".revision form").Length() != 2 {
		t.Errorf("the restore leads to %s with %d versions to restore", page.Request.URL, page.Find(".revision form").Length())
	}
}

func TestHistory_Unreadable(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"ada/memory/broken.md": strings.Repeat("x", memories.MaxFileSize+1)})
	s.learn("ada/memory/broken.md", strings.Repeat("y", memories.MaxFileSize+2))
	page := s.get(t, pageOf(s.Memory("ada", "broken"))+"/history")
	page.expect(http.StatusOK, "Broken file")
	seen := map[string]bool{}
	page.Find(".revision").Each(func(_ int, r *selection) { seen[r.AttrOr("id", "")] = true })
	if all := page.Find(".revision").Length(); all == 0 || len(seen) != all {
		t.Errorf("%d versions have %d ids", all, len(seen))
	}
	if page.Find(".revision form").Length() != 0 {
		t.Error("there is something to restore")
	}
}

func TestHistory_Pages(t *testing.T) {
	t.Parallel()
	s := serve(t, twoMemories())
	for i := range 23 {
		s.learn("ada/memory/count.md", memoirtest.Note("Count", memories.Project, fmt.Sprintf("It is %d.", i)))
	}
	path := pageOf(s.Memory("ada", "Count")) + "/history"
	var all []string
	page := s.get(t, path)
	for range 3 {
		page.expect(http.StatusOK, "History 23")
		page.Find(".revision").Each(func(_ int, r *selection) { all = append(all, r.AttrOr("id", "")) })
		if next := page.Find(`.more a[rel=next]`).AttrOr("href", ""); next != "" {
			page = s.get(t, next)
		}
	}
	slices.Sort(all)
	if got := len(slices.Compact(all)); got != 23 {
		t.Errorf("the pages have %d versions", got)
	}
	if page.Find(`.more a[rel=next]`).Length() != 0 || page.Find(`.more a[href="`+strings.Replace(path, "/history", "?tab=history", 1)+`"]`).Length() != 1 {
		t.Error("the last page does not lead back to the first alone")
	}
}

func TestHistory_HostileText(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("and so on ", 50_000)
	lines := strings.Repeat("| a | row |\n", 10_000)
	s := serve(t, twoMemories())
	for _, text := range []string{words + "tabs " + words, words + "spaces " + words, lines, "<script>alert(1)</script>\n\u202edesrever\nשלום עולם"} {
		s.learn("ada/memory/huge.md", memoirtest.Note("Huge", memories.Project, text))
	}
	page := s.get(t, pageOf(s.Memory("ada", "Huge"))+"/history")
	page.expect(http.StatusOK, "History 4", "<script>alert(1)</script>", "more changed lines are not shown", "characters …")
	if page.Find("main script").Length() != 0 {
		t.Error("what a memory said is markup")
	}
	if limit := 200_000; len(page.raw) > limit {
		t.Errorf("the page has %d bytes, want at most %d", len(page.raw), limit)
	}
}
