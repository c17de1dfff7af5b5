package pages_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// TestContext_InBrowser uses the Context tab in a browser.
func TestContext_InBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	for name, flow := range map[string]flow{
		"an index is repaired as it was shown":          onPhone(repairInBrowser),
		"the tab follows the file":                      everywhere(watchIndex),
		"an index is repaired without JavaScript":       atDesk(repairWithoutScripts),
		"a part of the bar leads to its memory":         atDesk(clickBar),
		"a prompt is explained while it is typed":       everywhere(tryAsYouType),
		"a prompt is tried on a page without scripts":   onPhone(tryWithoutScripts),
		"a memory gets a prompt as phrase by keys":      atDesk(makeItFindThis),
		"the files of a past day are compared with now": atDesk(lookBackAtContext),
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
	p.follow(chromedp.Click(chromedp.CSS(`.tabs a[href$="/context"]`)))
	p.live()
	p.follow(chromedp.Click(chromedp.CSS(`.file-tabs a[href*="memory-md"]`)))
	p.live()
	p.shows("gone.md does not exist.")
	p.fits()
	p.follow(click("Update index…"))
	p.live()
	p.shows("Adds 1 line · Removes 1 line")
	p.mark()
	p.do(click("Save"))
	p.at(adaContext)
	p.until(`document.querySelectorAll(".source li").length > 0 && !document.querySelector(".source").textContent.includes("gone.md")`)
	p.isMarked()
	if got := s.Read("ada/memory/MEMORY.md"); strings.Contains(got, "gone.md") || !strings.Contains(got, "(release.md)") {
		t.Errorf("the file is %q", got)
	}
}

func watchIndex(t *testing.T, browser context.Context) {
	s := serve(t, withDeadLink())
	p := open(t, browser, s, adaMemoryMD, person{})
	p.live()
	p.mark()
	s.Write("ada/memory/MEMORY.md", "- [Tabs](tabs.md)\n- [Release](release.md)\n")
	p.hides("Update index…")
	s.Write("ada/memory/MEMORY.md", longIndex(203))
	p.until(`document.querySelectorAll(".source .cut").length === 3`)
	p.until(`document.querySelector(".cut-here").textContent.includes("Cut here. The agent does not see the lines below.")`)
	p.isMarked()
}

func repairWithoutScripts(t *testing.T, browser context.Context) {
	s := serve(t, withDeadLink())
	p := open(t, browser, s, adaMemoryMD, person{withoutScripts: true})
	p.follow(click("Update index…"))
	p.follow(click("Save"))
	p.shows("MEMORY.md")
	if got := s.Read("ada/memory/MEMORY.md"); strings.Contains(got, "gone.md") {
		t.Errorf("the file is %q", got)
	}
}

func clickBar(t *testing.T, browser context.Context) {
	s := serve(t, differentMemories(40))
	p := open(t, browser, s, adaContext, person{})
	p.live()
	middle := evaluate[[]float64](p, `(() => {
		const box = document.querySelector(".xray-bar [data-kind=project] a").getBoundingClientRect();
		return [box.x + box.width / 2, box.y + box.height / 2];
	})()`)
	href := evaluate[string](p, `document.querySelector(".xray-bar [data-kind=project] a").getAttribute("href")`)
	p.follow(chromedp.MouseClickXY(middle[0], middle[1]))
	p.at(href)
}

func tryAsYouType(t *testing.T, browser context.Context) {
	s := deploying(t)
	s.asks("ada", "one", "when do we deploy on tuesdays?")
	p := open(t, browser, s, adaList, person{})
	p.press("g")
	p.follow(stroke("c"))
	p.at(adaContext)
	p.live()
	p.mark()
	p.press("/")
	p.until(`document.activeElement.id === "q"`)
	p.do(chromedp.SendKeys("#q", "tuesdays"))
	p.shows("Prompt too short")
	p.do(chromedp.SendKeys("#q", kb.End+" deploy"))
	p.shows("Given 1 of 2 candidates")
	p.until(`new URLSearchParams(location.search).get("q") === "tuesdays deploy"`)
	p.until(`document.activeElement.id === "q" && document.querySelector("#q").value === "tuesdays deploy"`)
	p.do(chromedp.Click(chromedp.CSS("#recall-numbers summary")))
	p.shows("Given 1 · 100 %")
	p.isMarked()
	p.fits()
	p.follow(chromedp.Click(chromedp.CSS("#prompt .prompt-found a[data-open]")))
	p.at(pageOf(s.Memory("ada", "deploy on tuesdays")))
	p.shows("Deployments go out on Tuesdays only.")
}

func tryWithoutScripts(t *testing.T, browser context.Context) {
	s := deploying(t)
	p := open(t, browser, s, adaContext, person{withoutScripts: true})
	p.shows("No prompts yet.")
	p.do(chromedp.SendKeys("#q", "when do we deploy on tuesdays"))
	p.follow(click("Show"))
	p.shows("Given 1 of 2 candidates")
	p.shows("No prompts yet.")
	p.fits()
}

// makeItFindThis is J6: a prompt, Make it find this, and the phrase, without another document.
func makeItFindThis(t *testing.T, browser context.Context) {
	s := deploying(t)
	p := open(t, browser, s, adaContext, person{})
	p.live()
	p.mark()
	p.do(chromedp.SendKeys("#q", "may mira visit bolivia"))
	p.shows("Make it find this")
	p.do(chromedp.Click(chromedp.CSS(`#memory-` + s.Memory("ada", "tea").ID + ` .do`)))
	p.until(`document.activeElement.id === "find-phrase" && document.activeElement.value === "may mira visit bolivia"`)
	p.do(chromedp.SendKeys("#find-phrase", kb.End+" in spring"))
	// An update of the page keeps the form.
	s.Write("ada/memory/late.md", memoirtest.Note("late", memories.User, "Came later."))
	p.until(`document.querySelector(".xray-legend [data-kind=user] b") && document.querySelector(".agent .facts").textContent.includes("4 memories")`)
	p.until(`document.querySelector("#find-phrase").value.endsWith("in spring") && document.activeElement.id === "find-phrase"`)
	p.do(click("Save"))
	p.until(`!document.querySelector("#find-phrase") && new URLSearchParams(location.search).get("q") === "may mira visit bolivia"`)
	p.isMarked()
	asked, err := s.Store.AskedAs(t.Context(), s.Memory("ada", "tea").ID)
	if err != nil || !slices.Equal(asked.Phrases, []string{"may mira visit bolivia in spring"}) {
		t.Errorf("the memory is asked as %+v, %v", asked, err)
	}
}

func lookBackAtContext(t *testing.T, browser context.Context) {
	s, then := past(t)
	p := open(t, browser, s, asOf(adaContext, then), person{})
	p.shows("Changed since then")
	p.until(`document.querySelector(".source").textContent.includes("On Tuesdays.")`)
	p.follow(click("Back to now"))
	p.until(`!document.querySelector(".source").textContent.includes("On Tuesdays.")`)
}

// holes is JavaScript that draws the bar and returns the widest run of pixels without a part, left of
// the end of what enters conversations.
const holes = `(async () => {
	const bar = document.querySelector(".xray-bar"), box = bar.getBoundingClientRect();
	const parts = [...bar.querySelectorAll("a path")].map((p) => p.getBoundingClientRect()).sort((a, b) => a.left - b.left);
	let at = box.left, widest = 0;
	for (const part of parts) {
		widest = Math.max(widest, part.left - at);
		at = Math.max(at, part.right);
	}
	return [widest, parts.length, at - box.left, box.width];
})()`

func TestFaultA7_NoHolesOnScreen(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	s := serve(t, differentMemories(474))
	for _, sized := range []flow{atDesk(func(t *testing.T, browser context.Context) { noHoles(t, browser, s) }), onPhone(func(t *testing.T, browser context.Context) { noHoles(t, browser, s) })} {
		sized(t, browser)
	}
}

func noHoles(t *testing.T, browser context.Context, s *site) {
	t.Helper()
	p := open(t, browser, s, adaContext, person{})
	p.until(`document.querySelectorAll(".xray-bar path").length > 0`)
	got := evaluate[[]float64](p, holes)
	if got[0] > 1 || got[2] < 0.9*got[3] {
		t.Errorf("the widest hole is %.2f pixels of %v", got[0], got)
	}
	if fills := p.list(`[...new Set([...document.querySelectorAll(".xray-bar a path")].map((p) => getComputedStyle(p).fill))]`); len(fills) < 5 || slices.Contains(fills, "rgb(0, 0, 0)") {
		t.Errorf("the colours are %q", fills)
	}
}
