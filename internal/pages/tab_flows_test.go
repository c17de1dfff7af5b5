package pages_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// TestMemories_InBrowser reads and searches on a desk and a phone.
func TestMemories_InBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	for name, flow := range map[string]flow{
		"a long group loads as it is scrolled and keeps what it has": everywhere(scrollALongGroup),
		"what is folded stays folded":                                onPhone(foldAGroup),
		"filters are cleared one by one":                             onPhone(narrowAndClear),
		"a search marks what it found, in the body too":              everywhere(searchWithMarks),
		"the body is copied as it was written":                       atDesk(copyTheBody),
		"still true starts the age anew":                             atDesk(sayStillTrue),
		"links between memories keep the view":                       atDesk(followALink),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow(t, browser)
		})
	}
}

func rowLink(m memories.Memory) chromedp.CSS {
	return chromedp.CSS("#memory-" + m.ID + " a[data-open]")
}

// reads waits until the memory is open and its row is marked.
func (p *tab) reads(m memories.Memory) {
	p.t.Helper()
	p.until(`document.querySelector("#pane article")?.id === ` + quoted("open-"+m.ID))
	p.until(`document.querySelector("#list [aria-current]")?.closest(".row").id === ` + quoted("memory-"+m.ID))
}

func scrollALongGroup(t *testing.T, browser context.Context) {
	s := serve(t, numbered(250, memories.Feedback))
	p := open(t, browser, s, adaList, person{})
	p.follow(click("Show all 250"))
	p.live()
	p.mark()
	rows := `document.querySelectorAll("#rows-feedback > .row").length`
	p.until(rows + ` >= 100`)
	// Next to a memory the list scrolls separately; on a phone the page scrolls.
	p.do(chromedp.Evaluate[chromedp.Void](`(() => {
		const list = document.getElementById("list");
		window.scroller = getComputedStyle(list).overflowY === "visible" ? document.scrollingElement : list;
		scroller.scrollTop = scroller.scrollHeight;
	})()`))
	p.until(rows + ` >= 200`)
	p.do(chromedp.Evaluate[chromedp.Void](`(() => {
		const list = document.getElementById("list");
		scroller.scrollTop = scroller.scrollHeight / 2;
		window.seen = [...list.querySelectorAll(".row")].find(row => row.getBoundingClientRect().top > 300);
	})()`))
	// Scrolling may load more rows below, but the visible row keeps its position.
	top := `Math.round(window.seen.getBoundingClientRect().top)`
	before := evaluate[int](p, top)
	s.Write("ada/memory/new.md", memoirtest.Note("The newest", memories.Feedback, "Just learned."))
	p.shows("1 new · Show")
	p.until(rows + ` >= 199 && window.seen.isConnected`)
	p.until(fmt.Sprintf(`Math.abs(%s - %d) <= 2`, top, before))
	p.until(`new Set([...document.querySelectorAll(".row")].map(row => row.id)).size === ` + rows)
	p.isMarked()
}

func foldAGroup(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	p := open(t, browser, s, adaList, person{})
	p.live()
	p.do(chromedp.Click(chromedp.CSS("#group-feedback summary")))
	p.hides("About Tabs")
	s.Write("ada/memory/more.md", memoirtest.Note("More", memories.Feedback, "Always."))
	p.until(`document.querySelector("#group-feedback .count").textContent === "2"`)
	p.hides("About Tabs")
	p.follow(chromedp.Reload())
	p.shows("About Release")
	p.hides("About Tabs")
	p.do(chromedp.SendKeys(chromedp.CSS("#q"), "tabs"))
	p.shows("About Tabs")
}

func narrowAndClear(t *testing.T, browser context.Context) {
	const session = "U1-C1-1741512345.123456"
	files := twoMemories()
	files["ada/sessions/"+session+"/memory/old.md"] = memoirtest.Note("Old habit", memories.Project, "As ever.")
	files["ada/sessions/"+session+"/memory/new.md"] = memoirtest.Note("New habit", memories.Project, "From now on.")
	s := serve(t, files)
	p := open(t, browser, s, adaList+"?session="+session, person{})
	p.shows("2 memories from session")
	p.do(chromedp.Click(chromedp.CSS("#sort-menu summary")))
	p.follow(click("Project"))
	p.shows("2 memories from session")
	p.until(`location.search === "?session=U1-C1-1741512345.123456&type=project"`)
	p.do(chromedp.Click(rowLink(s.Memory("ada", "Old habit"))))
	p.shows("As ever.")
	p.do(chromedp.NavigateBack())
	p.shows("2 memories from session")
	p.follow(click("Clear the filter session"))
	p.shows("3 memories")
	p.follow(click("Clear the filter Project"))
	p.shows("About Tabs")
}

func searchWithMarks(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	p := open(t, browser, s, adaList, person{})
	p.live()
	p.do(chromedp.SendKeys(chromedp.CSS("#q"), "tues"))
	p.until(`document.querySelectorAll(".row").length === 1`)
	p.until(`[...document.querySelectorAll(".row mark")].map(m => m.textContent).join() === "Tues"`)
	p.shows("On Tuesdays.")
	p.do(chromedp.Click(rowLink(s.Memory("ada", "Release"))))
	p.reads(s.Memory("ada", "Release"))
	p.until(`location.search === "?q=tues"`)
	p.until(`document.getElementById("q").value === "tues"`)
}

func copyTheBody(t *testing.T, browser context.Context) {
	const body = "Use **tabs**, see [[Release]].\n\n- [x] always"
	s := serve(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, body)})
	p := open(t, browser, s, pageOf(s.Memory("ada", "Tabs")), person{})
	p.live()
	p.choose("Copy as Markdown")
	p.until(`document.getElementById("copied").textContent === "Copied"`)
	p.do(click("Edit E"))
	p.until(`document.activeElement.id === "body"`)
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("textarea").select()`), chromedp.KeyEvent(kb.Delete))
	p.until(`document.querySelector("textarea").value === ""`)
	p.paste()
	p.until(`document.querySelector("textarea").value.trim() === ` + quoted(body))
}

// paste pastes the clipboard into the focused field, as its keys do.
func (p *tab) paste() {
	p.t.Helper()
	key := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: "v", Code: "KeyV", Commands: []string{"paste"}}
	call(p, input.DispatchKeyEvent, key)
}

func sayStillTrue(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	age(t, s, "ada/memory/tabs.md", 40)
	p := open(t, browser, s, pageOf(s.Memory("ada", "Tabs")), person{})
	p.live()
	p.shows("40 days old")
	p.do(click("Still true Tabs V"))
	p.shows("Still true: Tabs")
	p.opens("Release")
	p.do(chromedp.Click(rowLink(s.Memory("ada", "Tabs"))))
	p.opens("Tabs")
	p.hides("40 days old")
}

func followALink(t *testing.T, browser context.Context) {
	files := twoMemories()
	files["ada/memory/tabs.md"] = memoirtest.Note("Tabs", memories.Feedback, "See [[Release]].")
	s := serve(t, files)
	p := open(t, browser, s, pageOf(s.Memory("ada", "Tabs"))+"?sort=name", person{})
	p.live()
	p.mark()
	p.do(chromedp.Click(chromedp.CSS(".prose a")))
	p.reads(s.Memory("ada", "Release"))
	p.until(`location.search === "?sort=name"`)
	p.until(`document.querySelector(".pane-facts").innerText.includes("Tabs")`)
	p.isMarked()
}

func numbered(n int, t memories.Type) memoirtest.Files {
	files := memoirtest.Files{}
	for i := range n {
		files[fmt.Sprintf("ada/memory/%03d.md", i)] = memoirtest.Note(fmt.Sprintf("Fact %03d", i), t, fmt.Sprintf("What was learned as number %d.", i))
	}
	return files
}

// age sets a file's modification time to the given number of days ago.
func age(t *testing.T, s *site, path string, days int) {
	t.Helper()
	at := time.Now().AddDate(0, 0, -days).Add(-time.Hour)
	if err := os.Chtimes(s.Path(path), at, at); err != nil {
		t.Fatal(err)
	}
	s.Scan(strings.SplitN(path, "/", 2)[0])
}
