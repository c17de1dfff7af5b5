package pages_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// TestIndex_InBrowser uses the Index tab and the CLAUDE.md tab in a browser.
func TestIndex_InBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	for name, flow := range map[string]flow{
		"an index is looked at, and repaired as it was shown": onPhone(repairInBrowser),
		"the Index tab follows the file":                      everywhere(watchIndex),
		"an index is repaired without JavaScript":             atDesk(repairWithoutScripts),
		"the bar of costs names what somebody points at":      atDesk(pointAtCosts),
		"a figure leads to the memory's place in the text":    onPhone(jumpToPlace),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow(t, browser)
		})
	}
}

func withDeadLink() memoirtest.Files {
	files := twoMemories()
	files["ada/memory/MEMORY.md"] = "# By hand\n\n- [Gone](gone.md)\n- [Tabs](tabs.md) — mine\n"
	return files
}

func repairInBrowser(t *testing.T, browser context.Context) {
	s := serve(t, withDeadLink())
	p := open(t, browser, s, adaList, person{})
	p.follow(chromedp.Click(chromedp.CSS(`.tabs a[href$="/index"]`)))
	p.live()
	p.shows("There is no gone.md.")
	p.follow(click("Bring in step…"))
	p.live()
	p.shows("1 line comes, 1 line goes.")
	p.mark()
	p.do(click("Bring it in step"))
	p.shows("MEMORY.md updated")
	p.at(indexTab)
	p.shows("Every memory has its line")
	p.isMarked()
	if got := s.Read("ada/memory/MEMORY.md"); strings.Contains(got, "gone.md") || !strings.Contains(got, "(release.md)") {
		t.Errorf("it says %q", got)
	}
}

func watchIndex(t *testing.T, browser context.Context) {
	s := serve(t, withDeadLink())
	p := open(t, browser, s, indexTab, person{})
	p.live()
	p.mark()
	s.Write("ada/memory/MEMORY.md", "- [Tabs](tabs.md)\n- [Release](release.md)\n")
	p.shows("Every memory has its line")
	s.Write("ada/memory/MEMORY.md", longIndex(203))
	p.until(`document.querySelectorAll('.index-line[data-fate="cut"]').length === 3`)
	p.do(chromedp.Click(chromedp.CSS(`.findings a[href="#line-201"]`)))
	p.until(`(() => { const at = document.getElementById("line-201").getBoundingClientRect(); return at.top >= 0 && at.bottom <= innerHeight; })()`)
	p.isMarked()
}

func repairWithoutScripts(t *testing.T, browser context.Context) {
	s := serve(t, withDeadLink())
	p := open(t, browser, s, indexTab, person{withoutScripts: true})
	p.follow(click("Bring in step…"))
	p.follow(click("Bring it in step"))
	p.shows("MEMORY.md updated")
	if got := s.Read("ada/memory/MEMORY.md"); strings.Contains(got, "gone.md") {
		t.Errorf("it says %q", got)
	}
}

// manyCosts returns memories of different sizes that fill a part of the limit.
func manyCosts() memoirtest.Files {
	files := memoirtest.Files{}
	for i, kind := range []memories.Type{memories.Feedback, memories.User, memories.Project, memories.Reference} {
		files[fmt.Sprintf("ada/memory/m%d.md", i)] = memoirtest.Note(fmt.Sprintf("Fact %d", i), kind, strings.Repeat("word ", 1000*(i+1)/2))
	}
	return files
}

func pointAtCosts(t *testing.T, browser context.Context) {
	s := serve(t, manyCosts())
	m := s.Memory("ada", "Fact 2")
	part := `.cost-bar a[data-cost="` + m.ID + `"]`
	p := open(t, browser, s, ada+"/claude-md", person{})
	p.live()
	says := func(name string) string {
		return `document.getElementById("cost-named").textContent.startsWith("` + name + `: ")`
	}
	x, y := p.middle(part)
	p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
	p.until(says("Fact 2"))
	p.do(chromedp.Focus(chromedp.CSS(`.costs li[data-cost="` + s.Memory("ada", "Fact 3").ID + `"] a`)))
	p.until(says("Fact 3"))
	x, y = p.middle(part)
	p.follow(chromedp.MouseClickXY(x, y))
	p.at(pageOf(m))
}

// middle scrolls to an element and returns the position of its middle in the window.
func (p *tab) middle(selector string) (x, y float64) {
	p.t.Helper()
	at := evaluate[[]float64](p, `(() => {
		const found = document.querySelector(`+quoted(selector)+`);
		found.scrollIntoView({block: "center", behavior: "instant"});
		const box = found.getBoundingClientRect();
		return [box.x + box.width / 2, box.y + box.height / 2];
	})()`)
	return at[0], at[1]
}

func jumpToPlace(t *testing.T, browser context.Context) {
	s := serve(t, manyCosts())
	p := open(t, browser, s, ada+"/claude-md", person{})
	p.live()
	p.do(chromedp.Click(chromedp.CSS(`.costs li[data-cost="` + s.Memory("ada", "Fact 3").ID + `"] .chars`)))
	p.until(`document.querySelector(".place:target")?.textContent.startsWith("### Fact 3")`)
	p.until(`(() => { const top = document.querySelector(".place:target").getBoundingClientRect().top; return top >= 0 && top < innerHeight; })()`)
}
