package pages_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"memoir/internal/logs"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

const adaLogs = adaTimeline + "?show=logs"

// TestLogs_InBrowser reads, searches and extends an agent's logs in a browser.
func TestLogs_InBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	for name, flow := range map[string]flow{
		"days are turned, searched and added to while others write": everywhere(keepALog),
		"an entry is added on a page without JavaScript":            onPhone(addWithoutScripts),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow(t, browser)
		})
	}
}

func logging(t *testing.T) *site {
	return serve(t, memoirtest.Files{
		"ada/memory/tabs.md":                    memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/logs/2025/03/2025-03-01.md": "# 2025-03-01\n\n- 09:00:00 Planted a *quince*\n<script>alert(1)</script>\n",
		"ada/memory/logs/2025/05/2025-05-01.md": "No bullet here, see [[Tabs]].\n",
	})
}

func keepALog(t *testing.T, browser context.Context) {
	s := logging(t)
	p := open(t, browser, s, adaTimeline, person{})
	p.follow(click("Logs"))
	p.live()
	p.shows("May 2025")
	p.shows("Check file")
	p.fits()
	p.follow(chromedp.Click(chromedp.CSS(`nav a[rel="prev"]`)))
	p.shows("March 2025")
	p.follow(chromedp.Click(chromedp.CSS(`#day-2025-03-01 a`)))
	p.until(`new URLSearchParams(location.search).get("day") === "2025-03-01"`)
	p.until(`document.querySelector(".log em").textContent === "quince" && !document.querySelector(".log script")`)
	p.fits()
	p.follow(chromedp.Click(chromedp.CSS(`nav a[rel="next"]`)))
	p.until(`new URLSearchParams(location.search).get("day") === "2025-05-01"`)
	p.shows("The file has no entries")
	p.follow(chromedp.Click(chromedp.CSS(`.log .prose a`)))
	p.at(pageOf(s.Memory("ada", "Tabs")))

	p.goTo(adaLogs)
	p.live()
	p.mark()
	p.do(chromedp.SendKeys("#text", "Half a thought"))
	s.Write("ada/memory/logs/"+logs.File(time.Now(), ""), "- 10:00 The agent was here\n")
	p.shows(time.Now().Format("January 2006"))
	p.until(`document.querySelector("#text").value === "Half a thought"`)
	p.do(chromedp.SendKeys("#q", "planted quin"))
	p.shows("1 log, newest first")
	p.until(`[...document.querySelectorAll(".event mark")].map((m) => m.textContent).join() === "Planted,quin"`)
	p.isMarked()
	p.fits()
}

func addWithoutScripts(t *testing.T, browser context.Context) {
	s := serve(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")})
	p := open(t, browser, s, adaLogs, person{withoutScripts: true, allowed: []string{"422"}})
	p.shows("No logs yet")
	p.fits()
	p.do(chromedp.SendKeys("#text", "Deployed\nto both"), chromedp.SendKeys("#title", strings.Repeat("x", 257)))
	p.follow(click("Add line"))
	p.shows("longer than 256 characters. Nothing was added.")
	p.until(`document.querySelector("#text").value === "Deployed\nto both"`)
	p.do(chromedp.SetValue("#title", "Release"))
	p.follow(click("Add line"))
	p.shows("Entry added.")
	p.shows("Release")
	p.shows("Deployed to both")
	day := string(logs.DayOf(time.Now()))
	p.until(`new URLSearchParams(location.search).get("day") === "` + day + `"`)
	p.fits()
	if text := s.Read("ada/memory/logs/" + logs.File(time.Now(), "Release")); !strings.HasPrefix(text, "# Release\n\n- ") || !strings.HasSuffix(text, " Deployed\n  to both\n") {
		t.Errorf("the log says %q", text)
	}
}
