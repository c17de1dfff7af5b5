package pages_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// firstViewLimit is the maximum transfer size of the first view of the Memory tab with its assets,
// in bytes (arbitrary).
const firstViewLimit = 110_000

func firstViewIsLight(t *testing.T, browser context.Context) {
	s := serve(t, differentMemories(300))
	p := open(t, browser, s, adaList, person{})
	p.do(chromedp.Reload())
	p.until(`document.readyState === "complete"`)
	parts := p.list(`[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
		.filter(e => e.encodedBodySize > 0).map(e => e.encodedBodySize + " " + new URL(e.name).pathname)`)
	total, packed := 0, false
	for _, part := range parts {
		var size int
		var path string
		if _, err := fmt.Sscan(part, &size, &path); err != nil {
			t.Fatal(err)
		}
		total += size
		packed = packed || strings.HasPrefix(path, adaList)
	}
	t.Logf("%d bytes: %s", total, strings.Join(parts, ", "))
	if !packed || total > firstViewLimit {
		t.Errorf("the first view takes %d bytes, more than %d: %s", total, firstViewLimit, strings.Join(parts, ", "))
	}
}

// liveUpdatesMoveNothing reads at the end of the list while an agent changes memories above.
func liveUpdatesMoveNothing(t *testing.T, browser context.Context) {
	s := serve(t, differentMemories(40))
	p := open(t, browser, s, adaList+"?sort=name", person{})
	p.live()
	p.do(chromedp.ScrollIntoView(chromedp.CSS(".row:nth-last-child(1)")))
	p.until(`document.getElementById("list").scrollTop > 0`)
	p.do(chromedp.Evaluate[chromedp.Void](`
		window.shifts = [];
		new PerformanceObserver(list => shifts.push(...list.getEntries().map(e =>
			e.value + " " + e.sources.map(s => (s.node?.id || s.node?.nodeName) + " from " + s.previousRect.y + " to " + s.currentRect.y).join(", "))))
			.observe({type: "layout-shift"});`))
	for i := range 3 {
		name := fmt.Sprintf("AAA %d", i) // before all others
		s.Write(fmt.Sprintf("ada/memory/first%d.md", i), memoirtest.Note(name, memories.Feedback, "New."))
	}
	p.until(`document.querySelector(".held")?.textContent.includes("3 new")`) // they wait while somebody reads
	p.do(chromedp.Evaluate[chromedp.Void](`new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))`, chromedp.EvalAwaitPromise))
	if shifts := p.list(`shifts`); len(shifts) > 0 {
		t.Errorf("live updates moved what somebody reads: %s", strings.Join(shifts, "; "))
	}
}

// differentMemories returns memories as different as real ones, so that they do not compress
// better.
func differentMemories(n int) memoirtest.Files {
	words := strings.Fields("the booking client ferry harbour cents retries winter timetable crew refund printer storm invoice " +
		"warehouse table query migrates freezes pages nobody after before unless always never Monday release branch cache review " +
		"small diff tests first style later owner team Mira Jonas Tomas Ines asks wants reads writes in by of without a whole")
	seed := uint32(1)
	draw := func(count int) string {
		drawn := make([]string, count)
		for i := range drawn {
			seed = seed*1664525 + 1013904223 // the linear congruential generator of Numerical Recipes
			drawn[i] = words[int(seed>>16)%len(words)]
		}
		return strings.Join(drawn, " ")
	}
	files := memoirtest.Files{}
	for i := range n {
		note := memoirtest.Note(fmt.Sprintf("%s %d", draw(3), i), memories.Types()[i%4], draw(60))
		files[fmt.Sprintf("ada/memory/m%d.md", i)] = strings.Replace(note, "description: About", "description: "+draw(12), 1)
	}
	return files
}

// TestBudgets_Pages requests each page of a server with 200 agents, one of them with 10,000 memories.
func TestBudgets_Pages(t *testing.T) {
	t.Parallel()
	files := differentMemories(10_000)
	for i := range 199 {
		agent := fmt.Sprintf("house-of-agent-%03d", i)
		files[agent+"/memory/tabs.md"] = memoirtest.Note("Tabs of "+agent, memories.User, "Use tabs in "+agent+".")
	}
	s := serve(t, files)
	of := s.get(t, adaList).Find("#list [data-open]").AttrOr("href", "")
	for _, path := range []string{
		"/", adaList, adaList + "?view=new", adaList + "?sort=name", adaList + "?q=booking", of, of + "?tab=history", of + "?tab=cost", of + "?tab=file",
		of + "/edit", of + "/delete", adaContext, ada + "/context?file=memory-md", ada + "/context?q=booking", ada + "/timeline", ada + "/timeline?show=sessions", ada + "/settings", ada + "/review",
		"/review", "/timeline", "/search?q=booking", "/sync", "/palette?q=booking", "/keys",
	} {
		page := s.get(t, path)
		page.expect(http.StatusOK)
		size := packed(t, page.raw)
		t.Logf("%s: %d bytes, %d compressed", path, len(page.raw), size)
		if len(page.raw) > 150_000 || size > 25_000 {
			t.Errorf("%s has %d bytes, %d compressed", path, len(page.raw), size)
		}
	}
}
