package pages_test

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func meterFollows(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	s.Write("bob/memory/b.md", memoirtest.Note("B", memories.Feedback, "Bee."))
	s.scanAll()
	p := open(t, browser, s, "/sync", person{})
	p.live()
	p.mark()
	row := func(slug, says string) {
		t.Helper()
		p.until(`document.querySelector("#sync-` + slug + `")?.innerText.replace(/\s+/g, " ").includes(` + quoted(says) + `)`)
	}
	row("ada", "ada 2 2 in step")
	row("bob", "bob 1 1 in step")
	s.Write("bob/memory/odd.md", "No frontmatter.")
	row("bob", "bob 2 2 1 needs attention")
	p.shows("Files on disk 4")
	s.Remove("bob")
	row("bob", "directory is gone")
	p.do(chromedp.Evaluate[chromedp.Void](`window.button = document.querySelector("main .actions button")`), click("Scan now"))
	p.shows("The last scan looked at 2 files in")
	p.shows("Every file on disk is mirrored.")
	p.until(`window.button.isConnected && !document.getElementById("asking-again")`)
	p.isMarked()
}
