package pages_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"memoir/internal/findings"
	"memoir/internal/memories"
)

// TestReview_InBrowser decides an item and takes the decision back, with and without scripts.
func TestReview_InBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	for name, flow := range map[string]flow{
		"with scripts":       atDesk(func(t *testing.T, browser context.Context) { decideAndUndo(t, browser, person{}) }),
		"without JavaScript": onPhone(func(t *testing.T, browser context.Context) { decideAndUndo(t, browser, person{withoutScripts: true}) }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow(t, browser)
		})
	}
}

func decideAndUndo(t *testing.T, browser context.Context, as person) {
	s := reviewing(t, oneOfEach(), setting{decider: &decider{}})
	expired := s.itemPath(t, findings.Expired)
	card := "#item-" + strings.TrimPrefix(expired, "/review/")
	p := open(t, browser, s, "/", as)
	p.follow(chromedp.Click(chromedp.CSS(`header.page a[href="/review"]`)))
	p.shows("Deploy freeze")
	p.fits()
	p.follow(chromedp.Click(chromedp.CSS(card + ` [value="delete"]`)))
	p.shows("Deleted Deploy freeze")
	p.until(`document.querySelector(` + quoted(card) + `) === null && document.querySelector(".review-item:target") !== null`)
	if s.Memory("ada", "Deploy freeze").State != memories.Deleted {
		t.Error("the memory is not deleted")
	}
	if as.withoutScripts {
		p.follow(chromedp.Click(chromedp.CSS(`#notices [data-action="undo"]`)))
	} else {
		p.press("u")
	}
	p.shows("Undone.")
	p.fits()
}
