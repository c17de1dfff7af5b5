package pages_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"memoir/internal/memoirtest"

	"github.com/PuerkitoBio/goquery"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
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

func TestFaultA5_ReadersSeeNoWrites(t *testing.T) {
	t.Parallel()
	s := serveMemoir(t, memoirtest.Start(t, oneOfEach()), setting{token: "the-token", readToken: "look-only"})
	tea := pageOf(s.Memory("ada", "Tea"))
	for _, path := range []string{"/", adaList, tea, tea + "?tab=history", tea + "?tab=file", adaList + "?view=trash", ada + "/context", ada + "/timeline", ada + "/settings", "/review", "/sync", "/search?q=tea"} {
		page := s.getWith(t, path, "Authorization", "Bearer look-only", "Accept", "text/html")
		page.expect(http.StatusOK)
		page.Find("form").Each(func(_ int, form *goquery.Selection) {
			action, way := form.AttrOr("action", ""), strings.ToLower(form.AttrOr("method", "get"))
			if way == "post" && action != "/theme" && action != "/sign-out" {
				t.Errorf("%s has a form for %s", path, action)
			}
		})
		if n := page.Find("main [data-action], main [data-pick]").Length(); n > 0 {
			t.Errorf("%s has %d actions", path, n)
		}
		if got := words(page.Find(".account")); !strings.Contains(got, "can view") {
			t.Errorf("the account on %s says %q", path, got)
		}
	}
}

// TestFaultC24_OneEdge compares the left edges of the header and the content on every page.
func TestFaultC24_OneEdge(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	s := serve(t, facts(30))
	for _, width := range []int64{1024, 1440, 1920} {
		window := context.WithValue(browser, screenKey{}, screen{"", "light", width, 900})
		p := open(t, window, s, "/", person{})
		edges := map[float64][]string{}
		for _, path := range []string{"/", adaList, ada + "/context", ada + "/timeline", ada + "/settings", "/review", "/timeline", "/sync", "/search?q=known"} {
			p.follow(chromedp.Navigate(s.address + path))
			edge := evaluate[float64](p, `document.querySelector("h1").getBoundingClientRect().left`)
			edges[edge] = append(edges[edge], path)
			p.fits()
		}
		if len(edges) > 1 {
			t.Errorf("at %d pixels the headers begin at %v", width, edges)
		}
		p.do(chromedp.Evaluate[chromedp.Void](`document.fonts.ready`, chromedp.EvalAwaitPromise))
		if !p.holds(`[...document.fonts].some(f => f.family.includes("Inter") && f.status === "loaded")`) {
			t.Errorf("at %d pixels Inter is not loaded", width)
		}
	}
}

func TestFaultC31_NoticeMovesNothing(t *testing.T) {
	t.Parallel()
	atDesk(func(t *testing.T, browser context.Context) {
		s := serve(t, facts(30))
		p := open(t, browser, s, adaList, person{})
		p.live()
		const heights = `["list", "pane"].map(id => document.getElementById(id).getBoundingClientRect().height).join(" ")`
		before := evaluate[string](p, heights)
		p.press("j", "v")
		p.until(`document.querySelector("#notices .toast") !== null`)
		if after := evaluate[string](p, heights); after != before {
			t.Errorf("a notice changes the heights from %s to %s", before, after)
		}
		const shown = `document.querySelector("#notices .toast").checkVisibility({visibilityProperty: true})`
		p.until("!" + shown)
		p.press("d")
		p.until(shown)
		p.press(kb.F6) // focuses the notice
		p.until(`document.querySelector("#notices .toast").getAnimations().every(a => a.animationName === "rise")`)
	})(t, startBrowser(t))
}
