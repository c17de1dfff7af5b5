package pages_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The tests of faults that the interface had once. Each is named after the fault.

func TestFaultA8_UndoLevels(t *testing.T) {
	t.Parallel()
	atDesk(func(t *testing.T, browser context.Context) {
		s := serve(t, facts(6))
		p := open(t, browser, s, adaList+"?sort=name", person{})
		p.live()
		p.press("j", "d")
		p.until(`document.querySelectorAll("#list [data-row]").length === 5`)
		p.shows("Deleted")
		p.press("d")
		p.until(`document.querySelectorAll("#list [data-row]").length === 4`)
		if p.holds(`location.search.includes("done")`) {
			t.Error("the address names the action")
		}
		p.follow(chromedp.Reload())
		p.live()
		p.until(`document.querySelector("#notices .toast") === null`)
		p.press("u")
		p.until(`document.querySelectorAll("#list [data-row]").length === 5`)
		p.shows("Restored")
		p.press("u")
		p.until(`document.querySelectorAll("#list [data-row]").length === 6`)
	})(t, startBrowser(t))
}

func TestFaultA3_ReviewInSight(t *testing.T) {
	t.Parallel()
	s := reviewing(t, oneOfEach(), setting{})
	for _, path := range []string{"/", adaList, ada + "/context", ada + "/timeline", ada + "/settings", "/review"} {
		page := s.get(t, path)
		if got := words(page.Find(`.side [data-go="review"]`)); got == "Review" || got == "Review 0" {
			t.Errorf("the sidebar of %s says %q", path, got)
		}
		if path == "/" || path == "/review" {
			continue
		}
		if got := page.each(".tabs a"); len(got) != 5 || !strings.HasPrefix(got[0], "Memory ") || got[1] != "Context" || got[2] != "Timeline" || got[3] != "Settings" || !strings.HasPrefix(got[4], "Review ") {
			t.Errorf("the tabs of %s are %q", path, got)
		}
	}
}
