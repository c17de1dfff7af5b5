package templates_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// openList opens the Memory tab and waits until it is live and current.
func openList(t *testing.T, s *site, allowed ...string) *page {
	t.Helper()
	p := open(t, s.URL+address.MemoriesPath(slug), allowed...)
	p.settled(s)
	return p
}

// settled waits for the refresh after the event stream has opened.
func (p *page) settled(s *site) {
	p.t.Helper()
	p.do(chromedp.Poll[chromedp.Void](`performance.getEntriesByType("resource").some(e => e.initiatorType === "fetch" && e.responseEnd > 0)`))
	s.until(p.t, s.followed)
}

const rowCount = `document.querySelectorAll(".row").length`

func TestLive_NewMemory(t *testing.T) {
	t.Parallel()
	s := serveSite(t)
	p := openList(t, s)
	p.do(chromedp.Evaluate[chromedp.Void](`window.sameDocument = true`))
	s.learn("Tickets about <billing> go to Mira")
	p.until(`document.querySelector(".row h3").textContent === "Tickets about <billing> go to Mira"`)
	if !evaluate[bool](p, `window.sameDocument === true`) {
		t.Error("the page was loaded anew")
	}
}

func TestLive_KeepsReaderState(t *testing.T) {
	t.Parallel()
	s := serveSite(t)
	p := openList(t, s)
	p.do(chromedp.Evaluate[chromedp.Void](`(() => {
		const q = document.getElementById("q");
		q.focus({preventScroll: true});
		q.setRangeText("zeb", 0, 0, "end");
		q.setSelectionRange(1, 2);
		window.kept = document.getElementById("memory-0198c0de-0000-7000-8000-000000000005");
	})()`))
	before := evaluate[float64](p, `window.kept.getBoundingClientRect().top + scrollY`)
	s.learn("Something new")
	p.until(rowCount + ` === 11`)
	got := evaluate[string](p, `[document.activeElement.id, q.value, q.selectionStart, q.selectionEnd, window.kept.isConnected].join()`)
	if want := "q,zeb,1,2,true"; got != want {
		t.Errorf("focus, words, selection and row are %s, want %s", got, want)
	}
	if after := evaluate[float64](p, `window.kept.getBoundingClientRect().top + scrollY`); after <= before {
		t.Errorf("the row stayed at %v, although a row was added above it at %v", after, before)
	}
}

func TestLive_KeepsOpenDetails(t *testing.T) {
	t.Parallel()
	s := serveSite(t)
	s.banners = []ui.Banner{
		templates.MissingMemories(slug, []string{"One", "Two"}, "etag"),
		templates.MissingMemories(slug, []string{"Three"}, "etag"),
	}
	p := openList(t, s)
	p.do(chromedp.Click(chromedp.CSS(`.banner + .banner summary`)))
	s.learn("Something new")
	p.until(rowCount + ` === 11`)
	if got := evaluate[string](p, `[...document.querySelectorAll(".banner details")].map(d => d.open).join()`); got != "false,true" {
		t.Errorf("open are %s, want only the second", got)
	}
}

func TestLive_JoinsEvents(t *testing.T) {
	t.Parallel()
	s := serveSite(t)
	p := openList(t, s)
	before := s.asked()
	for i := range 1000 {
		s.learn(fmt.Sprintf("Fact %d", i))
	}
	p.until(rowCount + ` === 1010`)
	if asked := s.asked() - before; asked > 20 {
		t.Errorf("the page asked %d times", asked)
	}
}

func TestLive_Reconnects(t *testing.T) {
	t.Parallel()
	s := serveSite(t)
	p := openList(t, s, "net::ERR_INCOMPLETE_CHUNKED_ENCODING")
	s.drop()
	s.learn("Written while nobody listened")
	p.until(rowCount + ` === 11`)
	p.until(`document.getElementById("connection").textContent === ""`)
}

func TestLive_ServerAway(t *testing.T) {
	t.Parallel()
	s := serveSite(t)
	p := openList(t, s, "503 (Service Unavailable)")
	before := 0
	s.set(func(s *site) { s.away, before = true, s.lists })
	s.learn("Not yet to be seen")
	s.until(t, func() bool { return s.lists > before })
	if got := evaluate[int](p, rowCount); got != 10 {
		t.Errorf("the page shows %d rows, want the 10 it had", got)
	}
	s.set(func(s *site) { s.away = false })
	p.until(rowCount + ` === 11`)
}

func TestLive_HiddenPageClosesStream(t *testing.T) {
	t.Parallel()
	s := serveSite(t)
	p := openList(t, s)
	// Headless tabs are always visible, so a script hides this one.
	p.do(chromedp.Evaluate[chromedp.Void](`(() => {
		Object.defineProperty(document, "hidden", {value: true, configurable: true});
		document.dispatchEvent(new Event("visibilitychange"));
	})()`))
	s.until(t, s.unfollowed)
	s.learn("Written while nobody looked")
	p.do(chromedp.Evaluate[chromedp.Void](`(() => {
		delete document.hidden;
		document.dispatchEvent(new Event("visibilitychange"));
	})()`))
	p.until(rowCount + ` === 11`)
}

func TestLive_RefusedActionStays(t *testing.T) {
	t.Parallel()
	s := serveSite(t)
	p := open(t, s.URL+address.MemoryPath(slug, firstID), "409 (Conflict)")
	s.set(func(s *site) { s.refuses = true })
	p.do(chromedp.Click(chromedp.CSS(`#pane form[action$="/delete"] button`)))
	p.until(`document.querySelector("h1").textContent === "Changed on disk"`)
	s.until(t, s.unfollowed)
}

func TestLive_DeleteOpenMemory(t *testing.T) {
	t.Parallel()
	s := serveSite(t)
	p := open(t, s.URL+address.MemoryPath(slug, "0198c0de-0000-7000-8000-000000000001"))
	p.do(chromedp.Click(chromedp.CSS(`#pane form[action$="/delete"] button`)))
	p.until(rowCount + ` === 9`)
	if got, want := evaluate[string](p, `location.pathname`), address.MemoriesPath(slug); got != want {
		t.Errorf("the address is %s, want %s", got, want)
	}
	s.learn("Something new")
	p.until(`document.getElementById("held")?.textContent === "1 new · Show"`) // the next row has the focus
}

func TestLive_SearchWhileTyping(t *testing.T) {
	t.Parallel()
	s := serveSite(t)
	p := openList(t, s)
	p.do(chromedp.SendKeys(chromedp.CSS("#q"), "mira"))
	p.until(rowCount + ` === 1 && document.querySelector(".clears li").textContent.trim() === "1 memory"`)
	p.until(`location.search === "?q=mira"`)
	s.learn("Mira again")
	p.until(rowCount + ` === 2`)
	if got := evaluate[string](p, `document.activeElement.id + q.value`); got != "qmira" {
		t.Errorf("the field lost its focus or words: %s", got)
	}
}

func TestPages_WithoutScripts(t *testing.T) {
	t.Parallel()
	s := serveSite(t)
	p := open(t, "about:blank", "ERR_BLOCKED_BY_CLIENT")
	block := network.SetBlockedURLsParams{URLPatterns: []*network.BlockPattern{{URLPattern: "*://*:*/static/*.js", Block: true}}}
	ctx, cancel := p.step()
	defer cancel()
	if _, err := chromedp.Call(ctx, network.SetBlockedURLs, block); err != nil {
		t.Fatal(err)
	}
	p.visit(s.URL + address.MemoriesPath(slug))
	p.do(chromedp.SendKeys(chromedp.CSS("#q"), "mira"))
	p.follow(chromedp.Evaluate[chromedp.Void](`document.getElementById("search").requestSubmit()`))
	if got := evaluate[int](p, rowCount); got != 1 {
		t.Errorf("the search finds %d rows, want 1", got)
	}
}

// follow runs a step that opens another document, and waits for it.
func (p *page) follow(step chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := p.step()
	defer cancel()
	if _, err := chromedp.RunResponse(ctx, step); err != nil {
		p.t.Fatal(err)
	}
}
