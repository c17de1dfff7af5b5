package pages_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

var traced = flag.Bool("interactions", false, "measure how quickly pages answer to keys and clicks")

// interactionGoal is the longest time from an input to the next frame, in milliseconds.
const interactionGoal = 100

// observer is a script that collects the time of each input to the end of the next frame: frames as
// scripts see them, and inputs as the browser reports them for the metric INP. Without a window,
// Chromium reports some frames only with the one after. tasks are those that blocked the page.
const observer = `
	window.nextFrames = [];
	window.inputs = new Map();
	window.tasks = [];
	for (const kind of ["keydown", "click"]) {
		addEventListener(kind, (event) => requestAnimationFrame(() => {
			const { port1, port2 } = new MessageChannel();
			port1.onmessage = () => nextFrames.push(performance.now() - event.timeStamp);
			port2.postMessage(0);
		}), true);
	}
	new PerformanceObserver((list) => {
		for (const e of list.getEntries()) {
			if (e.interactionId) inputs.set(e.interactionId, Math.max(e.duration, inputs.get(e.interactionId) ?? 0));
		}
	}).observe({ type: "event", durationThreshold: 16, buffered: false });
	new PerformanceObserver((list) => tasks.push(...list.getEntries().map((e) => e.duration))).observe({ type: "longtask" });`

// settled resolves when the browser has reported all inputs so far.
const settled = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))`

// TestInteractions_Trace measures how quickly the pages of 10,000 memories answer to inputs, with
// the flag -interactions:
//
//	go test ./internal/pages -run TestInteractions -interactions -v
//
// The browser does not report inputs of less than 16 ms; they count as 16. Times contain what other
// processes do on the machine; the work of each interaction does not, and includes its answer.
func TestInteractions_Trace(t *testing.T) {
	if !*traced {
		t.Skip("measures for some minutes; use -interactions")
	}
	files := differentMemories(10_000)
	for i := range 60 {
		files[fmt.Sprintf("ada/memory/freeze%02d.md", i)] = memoirtest.Note(fmt.Sprintf("Freeze %02d", i), memories.Project, fmt.Sprintf("No deploys of service %02d until 3 March 2025.", i))
		files[fmt.Sprintf("agent-%02d/memory/tabs.md", i)] = memoirtest.Note("Tabs", memories.User, "Use tabs.")
	}
	files["ada/memory/MEMORY.md"] = "# Memory\n\n- [First](m0.md)\n"
	s := reviewing(t, files, setting{decider: &decider{}})
	m := measure{open(t, startBrowser(t), s, adaList, person{})}
	m.do(chromedp.EmulateViewport(1440, 900))

	m.on(adaList)
	m.live()
	m.rounds("open a memory", 20, func(i int) {
		m.do(chromedp.Click(chromedp.CSS(fmt.Sprintf("#rows-feedback > li:nth-child(%d) a", i+2))))
		m.until(fmt.Sprintf(`document.querySelector("#rows-feedback > li:nth-child(%d) a").ariaCurrent === "true"`, i+2))
	})
	m.rounds("next row", 20, func(int) {
		m.do(chromedp.Evaluate[chromedp.Void](`window.path = location.pathname`))
		m.press("j")
		m.until(`location.pathname !== path`)
	})
	m.rounds("a tab of a memory", 20, func(i int) {
		tab := []string{"history", "cost", "file", ""}[i%4]
		m.do(chromedp.Click(chromedp.CSS(fmt.Sprintf(".pane-tabs a:nth-child(%d)", []int{2, 3, 4, 1}[i%4]))))
		m.until(fmt.Sprintf(`(new URLSearchParams(location.search).get("tab") ?? "") === %q && document.querySelector(".pane-tabs [aria-current]")?.href === location.href`, tab))
	})
	m.on(adaList)
	m.rounds("delete, then undo", 20, func(i int) {
		m.press([]string{"d", "u"}[i%2])
		m.shows([]string{"Deleted", "Restored"}[i%2])
	})
	m.on(adaList)
	m.press("/")
	m.rounds("type in the filter", 28, func(i int) {
		m.types(string("booking"[i%7]))
		if i%7 == 6 {
			m.until(`location.search.includes("booking")`)
			m.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("q").value = ""`))
		}
	})
	m.on(adaList)
	m.rounds("open and close the palette", 20, func(i int) {
		if i%2 == 0 {
			m.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(2))) // Ctrl
			m.until(`document.querySelectorAll("#palette [role=option]").length > 3`)
		} else {
			m.press(kb.Escape)
			m.until(`!document.getElementById("palette").open`)
		}
	})
	m.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(2)))
	m.rounds("type in the palette", 28, func(i int) {
		m.types(string("booking"[i%7]))
		if i%7 == 6 {
			m.until(`document.querySelectorAll("#palette [role=option]").length > 3`)
			m.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("palette-field").value = ""`))
		}
	})
	m.on(adaList + "?sort=name")
	m.rounds("select rows", 20, func(int) { m.press("j", "x") })
	m.press(kb.Escape)
	for rows := 200; rows <= 1000; rows += 100 {
		m.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("list").scrollTo(0, 1e9)`))
		m.until(fmt.Sprintf(`document.querySelectorAll("#list [data-row]").length >= %d`, rows))
	}
	m.live()
	m.rounds("next row of 1,000, while files change", 20, func(i int) {
		s.Write(fmt.Sprintf("ada/memory/other%d.md", i), memoirtest.Note(fmt.Sprintf("Other %d", i), memories.User, "Meanwhile."))
		m.press("j")
	})
	m.on(adaList)
	m.press("e")
	m.until(`document.activeElement.id === "body"`)
	m.rounds("type in a form, while files change", 40, func(i int) {
		if i%5 == 0 {
			s.Write(fmt.Sprintf("ada/memory/new%d.md", i), memoirtest.Note(fmt.Sprintf("New %d", i), memories.User, "Meanwhile."))
		}
		m.types("x")
	})
	m.until(`document.querySelector(".views").textContent.includes("10,088")`)
	m = measure{open(t, startBrowser(t), s, "/", person{})} // without the form
	m.on("/review?kind=expired")
	m.rounds("decide", 20, func(int) {
		m.do(chromedp.Evaluate[chromedp.Void](`window.item = document.querySelector("[data-card]").dataset.card`))
		m.press("v")
		m.until(`document.querySelector("[data-card]").dataset.card !== item`)
	})
	m.on("/")
	m.press("/")
	m.rounds("filter the agents", 20, func(i int) {
		m.types(string("agent"[i%5]))
		if i%5 == 4 {
			m.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("agents-filter").value = ""`))
		}
	})
}

// measure measures the interactions of a tab.
type measure struct{ *tab }

// on opens a page, and starts to observe it.
func (m measure) on(path string) {
	m.t.Helper()
	m.follow(chromedp.Navigate(m.address + path))
	m.do(chromedp.Evaluate[chromedp.Void](observer))
	call(m.tab, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
}

// work returns the processor time of the page's main thread so far, in milliseconds. Other processes
// on the machine do not change it.
func (m measure) work() float64 {
	m.t.Helper()
	ctx, cancel := m.step()
	defer cancel()
	found, err := chromedp.Call(ctx, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		m.t.Fatal(err)
	}
	for _, metric := range found.Metrics {
		if metric.Name == "TaskDuration" {
			return 1000 * metric.Value
		}
	}
	m.t.Fatal("the browser does not know its tasks")
	return 0
}

// rounds repeats an interaction, and reports its times.
func (m measure) rounds(name string, times int, interact func(round int)) {
	m.t.Helper()
	m.do(chromedp.Evaluate[chromedp.Void](settled+`.then(() => { inputs.clear(); tasks.length = nextFrames.length = 0; })`, chromedp.EvalAwaitPromise))
	before := m.work()
	for round := range times {
		interact(round)
		m.do(chromedp.Evaluate[chromedp.Void](settled, chromedp.EvalAwaitPromise))
	}
	each := (m.work() - before) / float64(times)
	reported, frames, tasks := evaluate[[]float64](m.tab, `[...inputs.values()]`), evaluate[[]float64](m.tab, `nextFrames`), evaluate[[]float64](m.tab, `tasks`)
	for len(reported) < times {
		reported = append(reported, 16)
	}
	slices.Sort(reported)
	slices.Sort(frames)
	m.t.Logf("%-36s next frame: median %3.0f, p98 %3.0f, longest %3.0f ms; INP: median %3.0f, p98 %3.0f ms; longest task %3.0f ms; work of each %3.0f ms",
		name, frames[len(frames)/2], frames[len(frames)*98/100], frames[len(frames)-1], reported[len(reported)/2], reported[len(reported)*98/100], slices.Max(append(tasks, 0)), each)
	if p98 := frames[len(frames)*98/100]; p98 > interactionGoal {
		m.t.Logf("%-36s is over %d ms", name, interactionGoal)
	}
}
