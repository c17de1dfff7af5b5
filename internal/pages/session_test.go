package pages_test

import (
	"fmt"
	"net/http"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestThousandsOfSessionsAreShownAPageAtATime(t *testing.T) {
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
