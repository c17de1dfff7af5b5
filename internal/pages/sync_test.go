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
	row := func(table, slug, says string) {
		t.Helper()
		p.until(`document.querySelector("#` + table + `-` + slug + `")?.innerText.replace(/\s+/g, " ").trim().startsWith(` + quoted(says) + `)`)
	}
	p.shows("In sync")
	p.do(click("Details"))
	row("all", "ada", "ada 2 2 In sync")
	row("all", "bob", "bob 1 1 In sync")
	s.Write("bob/memory/odd.md", "No frontmatter.")
	row("unwell", "bob", "bob 2 2 1 needs attention")
	p.shows("Files on disk 4")
	s.Remove("bob")
	row("unwell", "bob", "bob 0 0 Directory not found")
	p.do(chromedp.Evaluate[chromedp.Void](`window.button = document.querySelector("main header button")`), click("Scan now"))
	p.shows("Scanned 2 files in")
	p.until(`window.button.isConnected && !document.getElementById("asking-again")`)
	p.isMarked()
}
