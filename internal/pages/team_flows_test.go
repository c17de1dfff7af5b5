package pages_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func moveToTeam(t *testing.T, browser context.Context) {
	files := twoMemories()
	files["ada/memory/leaky.md"] = memoirtest.Note("Leaky", memories.Reference, "Use ghp"+"_x9Kd82mQpLr7VbNw3TzYh6FcJs1GaUe5Xo0R for it.")
	s := serve(t, files)
	p := open(t, browser, s, pageOf(s.Memory("ada", "Leaky")), person{allowed: []string{"409 (Conflict)"}})
	p.do(chromedp.Click(chromedp.CSS("#pane .more-menu summary")))
	p.shows("Raw file")
	p.until(`document.querySelector('#pane form[action*="/move"]') === null`)
	if s.Read("ada/memory/leaky.md") == "" {
		t.Error("a credential was moved")
	}

	p = open(t, browser, s, pageOf(s.Memory("ada", "Tabs")), person{})
	p.choose("Move to team Tabs")
	p.shows("Moved Tabs to team memory")
	p.until(`[...document.querySelectorAll("#pane .meta span")].some(word => word.textContent === "Team")`)
	p.fits()
	if s.Read("ada/memory/tabs.md") != "" || !strings.Contains(s.Read("ada/CLAUDE.md"), "### Tabs (team)\n\nUse tabs.\n") {
		t.Error("it was not moved on disk")
	}
	p.do(click("Undo the move of Tabs"))
	p.shows("Moved Tabs to private memory")
	p.until(`![...document.querySelectorAll("#pane .meta span")].some(word => word.textContent === "Team")`)
	p.choose("Copy to team Tabs")
	p.shows("Copied Tabs to team memory")
	p.shows("Same text.")

	// Their differences are shown side by side.
	s.Write("ada/memory/team/feedback_tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use spaces."))
	p.until(`[...document.querySelectorAll(".twin .both .prose")].map(said => said.innerText.trim()).join("|") === "Use spaces.|Use tabs."`)
	p.fits()
	p.do(chromedp.Click(chromedp.CSS(".twin a")))
	p.until(`[...document.querySelectorAll(".twin .both .prose")].map(said => said.innerText.trim()).join("|") === "Use tabs.|Use spaces."`)
}
