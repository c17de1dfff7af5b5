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
		"reading works without JavaScript":                           onPhone(readWithoutScripts),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow(t, browser)
		})
	}
}

// TestPanes_InBrowser reads on screens with and without space for both panes.
func TestPanes_InBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	for name, flow := range map[string]func(*testing.T, context.Context){
		"a memory opens beside its list and going back closes it":      openBeside,
		"a memory's own address shows the same picture":                openByAddress,
		"on a phone a memory takes the list's place and gives it back": openOnAPhone,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow(t, browser)
		})
	}
}

func (p *tab) wide()  { p.do(chromedp.EmulateViewport(1280, 900)) }
func (p *tab) phone() { p.do(chromedp.EmulateViewport(390, 844)) }

func rowLink(m memories.Memory) chromedp.CSS {
	return chromedp.CSS("#memory-" + m.ID + " a[data-open]")
}

// reads waits until the memory is open and its row is marked.
func (p *tab) reads(m memories.Memory) {
	p.t.Helper()
	p.until(`document.querySelector("#reading article")?.id === ` + quoted("open-"+m.ID))
	p.until(`document.querySelector("#list [aria-current]")?.closest(".row").id === ` + quoted("memory-"+m.ID))
}

func openBeside(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	tabs, release := s.Memory("ada", "Tabs"), s.Memory("ada", "Release")
	p := open(t, browser, s, adaList, person{})
	p.wide()
	p.live()
	p.mark()
	p.shows("Choose a memory to read it here.")
	p.do(chromedp.Click(rowLink(tabs)))
	p.reads(tabs)
	p.at(pageOf(tabs))
	p.shows("Use tabs.")
	p.shows("About Release")
	p.do(chromedp.Focus(rowLink(release)), chromedp.KeyEvent(kb.Enter))
	p.reads(release)
	p.at(pageOf(release))
	p.do(chromedp.NavigateBack())
	p.reads(tabs)
	p.do(chromedp.NavigateBack())
	p.at(adaList)
	p.shows("Choose a memory to read it here.")
	p.until(`document.querySelector("#list [aria-current]") === null`)
	p.do(chromedp.NavigateForward())
	p.reads(tabs)
	s.Write("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use spaces."))
	p.shows("Use spaces.")
	p.do(click("Next: Release"))
	p.reads(release)
	p.do(click("‹ All memories"))
	p.at(adaList)
	p.shows("Choose a memory to read it here.")
	p.isMarked()
}

func openByAddress(t *testing.T, browser context.Context) {
	s := serve(t, numbered(60, memories.Feedback))
	deep := s.Memory("ada", "Fact 055")
	p := open(t, browser, s, pageOf(deep)+"?sort=name", person{})
	p.wide()
	p.reads(deep)
	p.until(`document.querySelectorAll(".row").length === 60`)
	p.follow(chromedp.Reload())
	p.reads(deep)
	p.until(`(box => box.bottom <= innerHeight && box.top > 0)(document.querySelector("#list .row:has([aria-current])").getBoundingClientRect())`)
	p.until(`document.title.startsWith("Fact 055")`)
}

func openOnAPhone(t *testing.T, browser context.Context) {
	s := serve(t, numbered(18, memories.Feedback))
	chosen := s.Memory("ada", "Fact 015")
	p := open(t, browser, s, adaList+"?sort=name", person{})
	p.phone()
	p.live()
	p.do(chromedp.ScrollIntoView(rowLink(chosen)))
	before := evaluate[float64](p, `scrollY`)
	if before < 200 {
		t.Fatalf("the list is scrolled to %v", before)
	}
	for _, back := range []chromedp.Action[chromedp.Void]{chromedp.NavigateBack(), click("‹ All memories")} {
		p.do(chromedp.Click(rowLink(chosen)))
		p.until(`document.querySelector("#reading article")?.id === ` + quoted("open-"+chosen.ID))
		p.until(`document.getElementById("list").offsetParent === null && scrollY === 0`)
		p.until(`document.activeElement.textContent === "Fact 015"`)
		p.do(back)
		p.at(adaList)
		p.until(fmt.Sprintf(`document.querySelector("#reading article") === null && Math.abs(scrollY - %v) < 2`, before))
	}
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
	p.do(click("Copy as Markdown"))
	p.until(`document.getElementById("copied").textContent === "Copied"`)
	p.follow(click("Edit"))
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
	p.shows("40 days ago")
	p.do(click("Still true Tabs"))
	p.shows("Still true: Tabs.")
	p.until(`document.querySelector("#reading .age").textContent.trim() === "today"`)
	p.until(`[...document.querySelectorAll("#list .age")].every(age => age.textContent.trim() === "today")`)
	p.hides("This memory is 40 days old.")
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
	p.shows("Linked from Tabs")
	p.isMarked()
}

func readWithoutScripts(t *testing.T, browser context.Context) {
	s := serve(t, numbered(40, memories.Feedback))
	p := open(t, browser, s, adaList+"?sort=name", person{withoutScripts: true})
	p.follow(chromedp.Click(rowLink(s.Memory("ada", "Fact 003"))))
	p.shows("What was learned as number 3.")
	p.follow(click("Next: Fact 004"))
	p.shows("What was learned as number 4.")
	p.follow(click("Still true Fact 004"))
	p.shows("Still true: Fact 004.")
	p.follow(click("‹ All memories"))
	p.until(`location.search === "?sort=name"`)
	p.follow(click("Show more"))
	p.shows("Fact 035")
	p.follow(click("Back to the first"))
	p.shows("Fact 001")
}

// numbered returns memories with a number in their name and body.
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
