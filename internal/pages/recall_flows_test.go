package pages_test

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestRecall_InBrowser tries a query and views past recalls in a browser.
func TestRecall_InBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	for name, flow := range map[string]flow{
		"a query is explained while it is typed":        everywhere(tryAsYouType),
		"a query is tried on a page without JavaScript": onPhone(tryWithoutScripts),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow(t, browser)
		})
	}
}

func tryAsYouType(t *testing.T, browser context.Context) {
	s := deploying(t)
	s.asks("ada", "one", "when do we deploy on tuesdays?")
	p := open(t, browser, s, adaList, person{})
	p.press("g")
	p.follow(stroke("r"))
	p.at(adaRecall)
	p.live()
	p.mark()
	p.do(chromedp.SendKeys("#q", "tuesdays"))
	p.shows("One word says too little to choose by")
	p.do(chromedp.SendKeys("#q", kb.End+" deploy"))
	p.shows("1 memory given, of 2 candidates.")
	p.until(`new URLSearchParams(location.search).get("q") === "tuesdays deploy"`)
	p.until(`document.activeElement.id === "q" && document.querySelector("#q").value === "tuesdays deploy"`)
	p.do(chromedp.Click(chromedp.CSS("#recalls-numbers summary")))
	p.shows("1 1 100 %")
	p.isMarked()
	p.fits()
	p.follow(chromedp.Click(chromedp.CSS(".explained h5 a")))
	p.at(pageOf(s.Memory("ada", "deploy on tuesdays")))
	p.shows("Deployments go out on Tuesdays only.")
	p.shows("1 time, last just now")
}

func tryWithoutScripts(t *testing.T, browser context.Context) {
	s := deploying(t)
	p := open(t, browser, s, adaRecall, person{withoutScripts: true})
	p.shows("Nothing has been recalled yet")
	p.do(chromedp.SendKeys("#q", "when do we deploy on tuesdays"))
	p.follow(click("Try"))
	p.shows("1 memory given, of 2 candidates.")
	p.shows("Nothing has been recalled yet")
	p.fits()
}
