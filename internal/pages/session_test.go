package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestSessions_Pages(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{}
	for i := range 230 {
		files[fmt.Sprintf("ada/sessions/U1-C%d-1700000000.1/memory/a.md", i)] = memoirtest.Note(fmt.Sprint("Note ", i), memories.User, "Ada.")
	}
	s := serve(t, files)
	seen := map[string]bool{}
	address, pages := "/agents/ada/sessions", 0
	for ; address != ""; pages++ {
		page := s.get(t, address)
		page.expect(http.StatusOK, "Session")
		rows := page.Find("tr[data-row] th")
		if rows.Length() > 200 {
			t.Errorf("%d rows on a page", rows.Length())
		}
		rows.Each(func(_ int, row *selection) { seen[words(row)] = true })
		address = page.Find("a[rel=next]").AttrOr("href", "")
		if pages > 0 && page.Find("nav.more a").First().AttrOr("href", "") != "/agents/ada/sessions" {
			t.Error("no way back to the newest")
		}
	}
	if len(seen) != len(files) || pages != 2 {
		t.Errorf("%d sessions on %d pages", len(seen), pages)
	}
	s.get(t, "/agents/ada/sessions?cursor=made+up").expect(http.StatusBadRequest)
}

func TestSessionMemory_OddNames(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.User, "Use tabs.")}
	names := []string{"50%25", "a,b;c", "x(1)", "50%"}
	for _, name := range names {
		files["ada/session-memory/"+name+"/memory.md"] = "# Where we are\n\nThis is " + name + ".\n"
	}
	s := serve(t, files)
	for _, name := range names {
		s.get(t, "/agents/ada/sessions/"+url.PathEscape(name)+"/memory").expect(http.StatusOK, "This is "+name+".")
	}
	for _, name := range []string{"50%252525", "a%252Cb%3Bc", "%252e%252e", "50%25%2Fmemory"} {
		s.get(t, "/agents/ada/sessions/"+name+"/memory").expect(http.StatusNotFound)
	}
}

func TestSessions_LastMemory(t *testing.T) {
	t.Parallel()
	const older, newer = "2026-01-02T03:04:05Z", "2026-03-04T05:06:07Z"
	files := memoirtest.Files{}
	for name, at := range map[string]string{"first": older, "second": newer} {
		files["ada/sessions/U1-C1-1700000000.1/memory/"+name+".md"] = "---\nname: " + name + "\ntype: user\nmetadata:\n  modified: " + at + "\n---\n\nAda.\n"
	}
	page := serve(t, files).get(t, "/agents/ada/sessions")
	page.expect(http.StatusOK, "Last memory")
	if got := page.Find(`td[data-label="Last memory"] time`).AttrOr("datetime", ""); got != newer {
		t.Errorf("last memory at %q, want %q", got, newer)
	}
}
