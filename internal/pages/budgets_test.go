package pages_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/go-chi/chi/v5"

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

// TestBudgets_Pages requests each page of a server with 200 agents, one of them with 10,000 memories
// and one with long texts. It follows the links to each variant of a page.
func TestBudgets_Pages(t *testing.T) {
	t.Parallel()
	files := differentMemories(10_000)
	for i := range 198 {
		agent := fmt.Sprintf("house-of-agent-%03d", i)
		files[agent+"/memory/tabs.md"] = memoirtest.Note("Tabs of "+agent, memories.User, "Use tabs in "+agent+".")
	}
	for path, text := range differentMemories(150) {
		files[strings.Replace(path, "ada", "wordy", 1)] = strings.NewReplacer("name: ", "name: "+strings.Repeat("wordy ", 10), "description: ", "description: "+strings.Repeat("many long words ", 100)).Replace(text)
	}
	m := memoirtest.Start(t, files)
	d := &decider{Reviewer: examine(t, m)}
	s := serveMemoir(t, m, setting{decider: d})
	one, other := pageOf(s.Memory("ada", s.get(t, adaList+"?sort=name").names()[0])), s.get(t, "/agents/wordy/memory").Find("#list [data-open]").AttrOr("href", "")
	s.eachVariant(t, func(path string, page *answer) {
		page.expect(http.StatusOK)
		if size := packed(t, page.raw); len(page.raw) > 150_000 || size > 25_000 {
			t.Errorf("%s has %d bytes, %d compressed", path, len(page.raw), size)
		}
	},
		"/", adaList, one, one+"?from=search&q=booking", "/agents/wordy/memory", other, other+"?from=search&q=words", "/agents/wordy/timeline", "/agents/wordy/context?q=words", "/agents/house-of-agent-007/memory",
		adaContext, ada+"/context?q=booking", "/review", ada+"/review", "/agents/wordy/review", "/timeline", "/search?q=booking", "/search?q=words", "/memories?q=booking", "/memories?q=words", "/access", "/exchange", "/sync", "/palette?q=booking", "/palette?q=words", "/keys",
	)
}

// fixedFields are the fields of an address whose values are a fixed few.
var fixedFields = strings.Fields("view sort type kind state tab show file group layout origin")

// eachVariant requests the pages of the given addresses, and one page of each variant that links
// lead to: another route, an agent's first or further ones, another value of a fixed field, or other
// fields together, at most three. It calls check with each page and its address.
func (s *site) eachVariant(t *testing.T, check func(path string, page *answer), from ...string) {
	t.Helper()
	known := map[string]bool{}
	for waiting := from; len(waiting) > 0; waiting = waiting[1:] {
		address, err := url.Parse(waiting[0])
		if err != nil {
			t.Fatal(err)
		}
		fields := slices.Sorted(maps.Keys(address.Query()))
		if len(fields) == 1 && slices.Contains(fixedFields, fields[0]) {
			fields[0] += "=" + address.Query().Get(fields[0])
		}
		route := s.routes.Find(chi.NewRouteContext(), http.MethodGet, address.EscapedPath())
		variant := strings.Join(append(fields, strconv.FormatBool(strings.HasPrefix(address.Path, ada)), route), " ")
		if known[variant] || len(fields) > 3 {
			continue
		}
		known[variant] = true
		if page := s.get(t, waiting[0]); strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") {
			check(waiting[0], page)
			waiting = append(waiting, linksOf(page)...)
		}
	}
}
