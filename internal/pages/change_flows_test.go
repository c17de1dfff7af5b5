package pages_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func deleteWithOpenEyes(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	p := open(t, browser, s, pageOf(s.Memory("ada", "Tabs")), person{})
	p.do(chromedp.Click(chromedp.CSS("#pane .more-menu summary")))
	p.follow(click("Preview deletion"))
	p.shows("1 file moves to the trash")
	p.shows("- [Tabs](tabs.md) — how to indent")
	p.until(`[...document.querySelectorAll('.line[data-kind="removed"] [dir]')].some(line => line.textContent === "### Tabs")`)
	p.fits()
	p.follow(click("Cancel"))
	p.at(pageOf(s.Memory("ada", "Tabs")))
	if s.Read("ada/memory/tabs.md") == "" {
		t.Error("to cancel deletes")
	}
	p.do(chromedp.Click(chromedp.CSS("#pane .more-menu summary")))
	p.follow(click("Preview deletion"))
	p.live()
	// The page follows a change, and the button deletes the shown state.
	s.Write("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use spaces."))
	p.until(`[...document.querySelectorAll('.line[data-kind="removed"] [dir]')].some(line => line.textContent === "Use spaces.")`)
	p.do(click("Delete Tabs"))
	p.at(adaList)
	p.shows("Deleted Tabs")
	if s.Read("ada/memory/tabs.md") != "" || strings.Contains(s.Read("ada/CLAUDE.md"), "### Tabs") {
		t.Error("the memory is still on disk")
	}
}

func goBackInHistory(t *testing.T, browser context.Context) {
	s := taught(t)
	p := open(t, browser, s, pageOf(s.Memory("ada", "Tabs")), person{})
	p.do(click("History 3"))
	p.until(`document.querySelectorAll(".revision").length === 3`)
	p.until(`document.querySelector(".revision mark").textContent === ", but tabs in Go"`)
	p.fits()
	p.live()
	p.mark()
	p.do(chromedp.Click(chromedp.CSS(".revision:nth-child(3) form button")))
	p.shows("Restored an earlier text of Tabs")
	p.until(`document.querySelector(".revision:first-child").dataset.current === "" && document.querySelector(".revision:nth-child(2) .line:last-child [dir]").textContent === "Use tabs."`)
	if !strings.Contains(s.Read("ada/CLAUDE.md"), "Use tabs.") {
		t.Error("CLAUDE.md does not say it")
	}
	// A new revision appears in the open history.
	s.Write("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use what the file uses."))
	p.until(`document.querySelectorAll(".revision").length === 4`)
	p.isMarked()
}

func readHostileHistory(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	for _, text := range []string{
		strings.Repeat("x", 1_000_000), strings.Repeat("| a | row |\n", 10_000), "<script>alert(1)</script><style>*{display:none}</style>",
		strings.Repeat("\u202eשלום עולם ", 2000), strings.Repeat("\u202eשלום חבר ", 2000),
	} {
		s.learn("ada/memory/huge.md", memoirtest.Note("Huge", memories.Project, text))
	}
	page := pageOf(s.Memory("ada", "Huge"))
	p := open(t, browser, s, page+"/history", person{})
	p.until(`document.querySelectorAll(".revision").length === 5`)
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll(".revision details").forEach(d => { d.open = true; })`))
	p.shows("more changed lines are not shown")
	p.shows("<script>alert(1)</script>")
	p.fits()
	s.LetIn("ada") // its characters that turn the direction are taken for hidden ones
	p.follow(chromedp.Navigate(s.address + page + "/delete"))
	p.shows("characters fewer, about")
	p.fits()
}

func changesWithoutScripts(t *testing.T, browser context.Context) {
	s := taught(t)
	path := pageOf(s.Memory("ada", "Tabs"))
	p := open(t, browser, s, path, person{withoutScripts: true})
	p.follow(click("History 3"))
	p.follow(chromedp.Click(chromedp.CSS(".revision:nth-child(3) form button")))
	p.shows("Restored an earlier text of Tabs")
	p.follow(chromedp.Navigate(s.address + path))
	p.shows("Use tabs.")
	p.do(chromedp.Click(chromedp.CSS("#pane .more-menu summary")))
	p.follow(click("Preview deletion"))
	p.shows("2 files move to the trash")
	p.follow(click("Delete Tabs"))
	p.shows("Deleted Tabs")
	p.follow(click("Undo the deletion of Tabs"))
	p.shows("Restored Tabs")
	if !strings.Contains(s.Read("ada/memory/tabs.md"), "Use tabs.") {
		t.Error("the undo did not bring the file back")
	}
}
