package pages_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// TestTimeline_InBrowser views events and past days in a browser.
func TestTimeline_InBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	for name, flow := range map[string]flow{
		"new events wait while scrolled": atDesk(waitForEvents),
		"events are filtered by keys":    onPhone(filterEvents),
		"a session gets names":           atDesk(nameASession),
		"the slider chooses a day":       atDesk(slideToADay),
		"a past day without scripts":     onPhone(chooseADayWithoutScripts),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow(t, browser)
		})
	}
}

// dated returns a site with 45 memories, one a day.
func dated(t *testing.T) *site {
	written := map[string]time.Time{}
	for i := range 45 {
		written[fmt.Sprintf("Fact %02d", i)] = time.Now().AddDate(0, 0, i-45)
	}
	return serveDated(t, written)
}

func waitForEvents(t *testing.T, browser context.Context) {
	s := dated(t)
	p := open(t, browser, s, adaTimeline+"?q=fact", person{})
	p.live()
	p.mark()
	p.until(`document.querySelectorAll(".event").length === 45`)
	p.do(chromedp.Evaluate[chromedp.Void](`scrollTo(0, document.documentElement.scrollHeight)`))
	s.Write("ada/memory/kettle.md", memoirtest.Note("Another fact", memories.User, "Mira likes tea."))
	p.until(`document.querySelector("#new-events").textContent === "1 new · Show"`)
	if !p.holds(`document.querySelectorAll(".event").length === 45 && document.querySelector("#new-events").checkVisibility()`) {
		t.Error("the list has moved, or does not tell of the new event")
	}
	p.do(chromedp.Click(chromedp.CSS("#new-events")))
	p.until(`document.querySelector(".event .what > a").textContent.trim() === "Another fact"`)
	p.until(`document.querySelector("#new-events").hidden && document.querySelectorAll(".event").length === 46`)
	p.isMarked()
	// At the top, a new event is shown at once.
	p.do(chromedp.Evaluate[chromedp.Void](`scrollTo(0, 0)`))
	s.Write("ada/memory/pot.md", memoirtest.Note("Fact of pots", memories.Project, "It is blue."))
	p.until(`document.querySelector(".event .what > a").textContent.trim().startsWith("2 memories") || document.querySelector(".event .what > a").textContent.trim() === "Fact of pots"`)
	p.isMarked()
}

func filterEvents(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	s.submit(t, s.get(t, adaList), "Delete Tabs")
	p := open(t, browser, s, "/timeline", person{})
	p.live()
	p.mark()
	p.until(`document.querySelectorAll(".event").length === 2`)
	p.fits()
	p.do(chromedp.SendKeys(chromedp.CSS("#kind"), "Del"))
	p.until(`document.querySelectorAll(".event").length === 1`)
	p.until(`new URLSearchParams(location.search).get("kind") === "deleted"`)
	// New entries must match the filter too.
	s.submit(t, s.get(t, adaList), "Delete Release")
	p.shows("2 memories")
	p.do(chromedp.SendKeys(chromedp.CSS("#kind"), kb.Home))
	p.press("/")
	p.do(chromedp.SendKeys(chromedp.CSS("#q"), "tab"))
	p.until(`[...document.querySelectorAll(".event .what > a[data-open]")].every((a) => a.textContent.trim() === "Tabs")`)
	p.until(`new URLSearchParams(location.search).get("q") === "tab"`)
	p.isMarked()
}

func nameASession(t *testing.T, browser context.Context) {
	s := serve(t, memoirtest.Files{
		"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/sessions/" + conversation + "/memory/kettle.md": memoirtest.Note("Kettle", memories.User, "Mira likes tea."),
	})
	p := open(t, browser, s, adaTimeline, person{})
	p.follow(click("Sessions"))
	p.follow(click("Name this…"))
	p.do(chromedp.SendKeys(chromedp.CSS("#name-Person"), "Mira"))
	p.do(chromedp.SendKeys(chromedp.CSS("#name-Person"), kb.Enter))
	p.shows("Mira, 9 Mar 2025")
	p.do(chromedp.SendKeys(chromedp.CSS("#name-Channel"), "#tea"))
	p.do(chromedp.SendKeys(chromedp.CSS("#name-Channel"), kb.Enter))
	p.shows("Mira in #tea, 9 Mar 2025")
	p.follow(click("Show events"))
	p.shows("Mira in #tea, 9 Mar 2025")
	p.until(`document.querySelectorAll(".event").length === 1`)
}

func slideToADay(t *testing.T, browser context.Context) {
	s := dated(t)
	p := open(t, browser, s, adaTimeline, person{})
	p.live()
	p.mark()
	today := time.Now()
	day := func(days int) string { return today.AddDate(0, 0, -days).Format("2 January 2006") }
	p.do(chromedp.Focus(chromedp.CSS("#day")))
	p.do(stroke(kb.ArrowLeft))
	p.until(`document.getElementById("day-shown").textContent.trim() === ` + quoted(day(1)))
	p.until(`new URLSearchParams(location.search).get("as_of") === ` + quoted(today.AddDate(0, 0, -1).Format(time.DateOnly)))
	p.shows("Since " + today.AddDate(0, 0, -1).Format("2 January"))
	p.until(`document.activeElement.id === "day"`)
	p.do(stroke(kb.PageDown))
	month := time.Date(today.Year(), today.Month(), today.Day()-1, 0, 0, 0, 0, time.UTC).AddDate(0, -1, 0)
	p.until(`new URLSearchParams(location.search).get("as_of") === ` + quoted(month.Format(time.DateOnly)))
	p.shows("fewer than today")
	p.until(`Number(document.getElementById("day-after").getAttribute("width")) > 100`)
	p.isMarked()
	p.follow(click("Open this day"))
	p.at(adaList)
	p.shows("Showing " + month.Format("2 Jan 2006"))
	p.follow(click("Back to now"))
	p.shows("45 memories")
}

func chooseADayWithoutScripts(t *testing.T, browser context.Context) {
	s := dated(t)
	p := open(t, browser, s, adaTimeline, person{withoutScripts: true})
	p.fits()
	p.do(chromedp.SetValue("#day", fmt.Sprint(time.Now().AddDate(0, 0, -20).Unix()/86400)))
	p.follow(click("Go"))
	p.shows("19 fewer than today")
	p.fits()
	p.follow(click("Back to now"))
	p.shows("45 memories")
	p.do(chromedp.SendKeys(chromedp.CSS("#kind"), "Del"))
	p.follow(chromedp.Click(chromedp.CSS("#event-filter button")))
	p.shows("No such events.")
	p.follow(click("Show all"))
	p.follow(chromedp.Click(chromedp.CSS(".event .do a")))
	p.until(`document.querySelectorAll(".folded li").length === 45`)
	p.follow(click("Hide"))
	p.until(`document.querySelectorAll(".folded li").length === 0`)
}
