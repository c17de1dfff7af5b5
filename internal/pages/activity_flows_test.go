package pages_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// TestAsOf_InBrowser views the activity and past moments in a browser.
func TestAsOf_InBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	for name, flow := range map[string]flow{
		"the activity grows while it is read, and keeps what was scrolled to": atDesk(scrollTheActivity),
		"the activity is narrowed with the keyboard":                          onPhone(narrowTheActivity),
		"a session leads to all that it did":                                  atDesk(followASession),
		"a past moment is chosen, looked through and left":                    onPhone(lookBackAndReturn),
		"the past is looked at on a phone without JavaScript":                 onPhone(lookBackWithoutScripts),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow(t, browser)
		})
	}
}

func scrollTheActivity(t *testing.T, browser context.Context) {
	files := memoirtest.Files{}
	for i := range 170 {
		files[fmt.Sprintf("ada/memory/n%03d.md", i)] = memoirtest.Note(fmt.Sprintf("Fact %03d", i), memories.Project, "It is so.")
	}
	s := serve(t, files)
	p := open(t, browser, s, adaList, person{})
	p.follow(chromedp.Click(chromedp.CSS(`.tabs a[href$="/activity"]`)))
	p.at(adaActivity)
	p.live()
	p.mark()
	shown := func(n int) { p.until(fmt.Sprintf(`document.querySelectorAll(".event").length === %d`, n)) }
	shown(50)
	p.do(chromedp.ScrollIntoView(chromedp.CSS(`a[rel="next"]`)))
	shown(150)
	p.until(`location.search === "?shown=150"`)
	s.Write("ada/memory/kettle.md", memoirtest.Note("Kettle", memories.User, "Mira likes tea."))
	p.until(`document.querySelector(".event-name a")?.textContent.trim() === "Kettle"`)
	shown(150)
	p.do(chromedp.ScrollIntoView(chromedp.CSS(`a[rel="next"]`)))
	shown(171)
	p.until(`document.querySelector('a[rel="next"]') === null`)
	p.isMarked()
}

func narrowTheActivity(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	s.submit(t, s.get(t, adaList), "Delete Tabs")
	p := open(t, browser, s, "/", person{})
	p.follow(chromedp.Click(chromedp.CSS(`.site nav a[href="/activity"]`)))
	p.live()
	p.mark()
	p.until(`document.querySelectorAll(".event").length === 3`)
	p.do(chromedp.SendKeys(chromedp.CSS("#activity-kind"), "Del"))
	p.until(`document.querySelectorAll(".event").length === 1`)
	p.shows("Deleted")
	p.until(`new URLSearchParams(location.search).get("kind") === "deleted"`)
	p.until(`document.activeElement.id === "activity-kind"`)
	// New entries must match the filter too.
	s.submit(t, s.get(t, adaList), "Delete Release")
	p.until(`document.querySelectorAll(".event").length === 2`)
	p.do(chromedp.SendKeys(chromedp.CSS("#activity-kind"), kb.Home))
	p.until(`document.querySelectorAll(".event").length === 4`)
	p.isMarked()
}

func followASession(t *testing.T, browser context.Context) {
	s := serve(t, memoirtest.Files{
		"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/sessions/" + conversation + "/memory/kettle.md": memoirtest.Note("Kettle", memories.User, "Mira likes tea."),
	})
	p := open(t, browser, s, ada+"/sessions", person{})
	p.follow(chromedp.Click(chromedp.CSS("tbody th a")))
	p.at(adaActivity)
	p.shows("Only U1 in C1")
	p.until(`document.querySelectorAll(".event").length === 1`)
	p.shows("Kettle")
	p.follow(click("Show all sessions"))
	p.until(`document.querySelectorAll(".event").length === 2`)
	p.do(chromedp.Click(chromedp.CSS("#growth-numbers summary")))
	p.shows("1 1 2")
}

func lookBackAndReturn(t *testing.T, browser context.Context) {
	s, then := past(t)
	p := open(t, browser, s, adaActivity, person{})
	p.live()
	entry := `//li[contains(@class, "event")][.//a[normalize-space(.)="Release"]][.//*[normalize-space(.)="Learned"]]/a`
	p.follow(chromedp.Click(chromedp.Search(entry)))
	p.at(adaList)
	p.shows("This is the past, so nothing can be changed here.")
	p.until(`new Date(new URLSearchParams(location.search).get("as_of")) <= new Date(` + quoted(then.UTC().Format(time.RFC3339Nano)) + `)`)
	p.follow(chromedp.Click(chromedp.Search(`//main//h3/a[normalize-space(.)="Release"]`)))
	p.shows("On Tuesdays.")
	p.shows("It has been deleted.")
	p.follow(chromedp.Click(chromedp.CSS(".crumbs a:last-child")))
	p.follow(click("CLAUDE.md as it was then"))
	p.at(adaContext)
	p.until(`document.querySelector(".source").textContent.includes("On Tuesdays.")`)
	p.follow(click("Back to now"))
	p.until(`!document.querySelector(".source").textContent.includes("On Tuesdays.")`)

	// Another moment, typed into the browser's date-time field.
	p.follow(chromedp.Navigate(s.address + adaActivity))
	p.do(chromedp.SendKeys(chromedp.CSS(`input[type="datetime-local"]`), "010220200304AM"))
	p.follow(click("Look back"))
	p.shows("As of 2 January 2020, 03:04")
	p.shows("Nothing was known yet")
	p.follow(click("Back to now"))
	p.shows("Kettle")
}

func lookBackWithoutScripts(t *testing.T, browser context.Context) {
	s, _ := past(t)
	p := open(t, browser, s, adaActivity, person{withoutScripts: true})
	p.until(`document.documentElement.dataset.script === undefined`)
	p.do(chromedp.SendKeys(chromedp.CSS("#activity-kind"), "Del"))
	p.follow(click("Show"))
	p.until(`document.querySelectorAll(".event").length === 1`)
	p.follow(chromedp.Click(chromedp.CSS(".event-name a")))
	p.shows("Restore")
	p.follow(chromedp.Navigate(s.address + adaActivity))
	p.do(chromedp.SendKeys(chromedp.CSS(`input[type="datetime-local"]`), "010220200304AM"))
	p.follow(click("Look back"))
	p.shows("Nothing was known yet")
	p.follow(click("Back to now"))
	p.do(chromedp.Click(chromedp.CSS("#look-back summary")))
	p.do(chromedp.SendKeys(chromedp.CSS(`#look-back input`), "010220200304AM"))
	p.follow(click("Look back"))
	if got := p.says(); !strings.Contains(got, "As of 2 January 2020, 03:04") {
		t.Errorf("the page says %s", got)
	}
}
