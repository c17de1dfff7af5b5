package pages_test

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memoir/internal/findings"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// TestMishap_InBrowser has something go wrong, or happen elsewhere, while a page is open.
func TestMishap_InBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	for name, flow := range map[string]flow{
		"a sign-in ends during a save":     atDesk(saveSignedOut),
		"the open memory is deleted":       atDesk(deletedElsewhere),
		"undo opens the restored memory":   atDesk(undoOpens),
		"an action gets no answer":         atDesk(actUnanswered),
		"removing a secret's value by key": atDesk(confirmByKey),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow(t, browser)
		})
	}
}

func saveSignedOut(t *testing.T, browser context.Context) {
	s := serveMemoir(t, memoirtest.Start(t, twoMemories()), setting{token: "the token"})
	p := open(t, browser, s, pageOf(s.Memory("ada", "Tabs")), person{allowed: []string{"401 (Unauthorized)"}})
	signsIn := func() {
		p.at("/sign-in")
		p.do(chromedp.SendKeys(chromedp.CSS("#token"), "the token"))
		p.follow(click("Sign in"))
		p.opens("Tabs")
		p.live()
	}
	signsIn()
	p.press("e")
	p.until(`document.activeElement.id === "body"`)
	p.do(chromedp.SendKeys(chromedp.CSS("#body"), " Always."))
	evaluate[bool](p, `fetch("/sign-out", { method: "POST" }).then(() => true)`)
	p.save()
	signsIn()
	p.press("e")
	p.shows("Unsaved draft,")
	p.do(click("Restore"))
	p.until(`document.getElementById("body").value.includes("Always.")`)
}

// deletedElsewhere presses the key of a decision after another browser has deleted the open memory.
func deletedElsewhere(t *testing.T, browser context.Context) {
	s := serve(t, facts(3))
	p := open(t, browser, s, adaList, person{})
	p.live()
	all := p.listed()
	p.press("j")
	p.opens(all[1])
	s.submit(t, s.get(t, pageOf(s.Memory("ada", all[1]))), "Delete "+all[1])
	p.shows("Delete permanently")
	p.press("d")
	p.opens(all[2])
	p.press("k")
	p.opens(all[0])
	if got := s.Memory("ada", all[2]).State; got != memories.Active {
		t.Errorf("%s, which was not shown, is %s", all[2], got)
	}
	p.press("d")
	p.shows("Deleted " + all[0])
}

func undoOpens(t *testing.T, browser context.Context) {
	s := serve(t, facts(3))
	p := open(t, browser, s, adaList, person{})
	p.live()
	all := p.listed()
	p.opens(all[0])
	p.press("d")
	p.shows("Deleted " + all[0])
	p.opens(all[1])
	p.press("u")
	p.shows("Restored " + all[0])
	p.focused(all[0])
	p.opens(all[0])
}

// actUnanswered deletes a memory while the server does not answer.
func actUnanswered(t *testing.T, browser context.Context) {
	s := serve(t, facts(3))
	p := open(t, browser, s, adaList, person{allowed: []string{"htmx:error"}})
	p.live()
	all := p.listed()
	p.press("j")
	p.opens(all[1])
	p.do(chromedp.Evaluate[chromedp.Void](`{
		const send = window.fetch;
		window.fetch = (...request) => request[1]?.method === "POST" ? Promise.reject(new TypeError("Failed to fetch")) : send(...request);
	}`))
	p.press("d")
	p.shows("Connection lost. Try again.")
	s.Write("ada/memory/fact_01.md", memoirtest.Note("Fact 01", memories.User, "Changed."))
	p.hides("Connection lost. Try again.")
	p.focused(all[1])
	p.opens(all[1])
}

// confirmByKey asks for the removal of a secret's value by its key, and puts it off.
func confirmByKey(t *testing.T, browser context.Context) {
	s := reviewing(t, oneOfEach(), setting{decider: &decider{}})
	p := open(t, browser, s, s.itemPath(t, findings.Secret), person{})
	p.until(`document.querySelector(".confirm") !== null && document.documentElement.dataset.script === ""`)
	top := `document.querySelector('.decide [value="allow"]').getBoundingClientRect().top`
	before := evaluate[float64](p, top)
	p.press("1")
	p.until(`document.activeElement.textContent.includes("Yes, remove the value")`)
	if after := evaluate[float64](p, top); after != before {
		t.Errorf("the other decisions moved by %v px", after-before)
	}
	p.press(kb.Escape)
	p.until(`!document.querySelector(".confirm").open && document.activeElement.matches(".confirm > summary")`)
	// A menu closes at a click outside of it.
	p.do(chromedp.Click(chromedp.CSS("#snoozes > summary")))
	p.until(`document.getElementById("snoozes").open`)
	p.do(chromedp.Click(chromedp.CSS("#card-title")))
	p.until(`!document.getElementById("snoozes").open`)
	p.do(chromedp.Click(chromedp.CSS(".triage-tabs .drop > summary")), chromedp.Click(chromedp.CSS(`.triage-tabs .drop a[href*="kind=junk"]`)))
	p.until(`location.search === "?kind=junk" && document.querySelector(".drop[open]") === null`)
	// A merge begins in its text, and Esc leaves it.
	contradiction := s.itemPath(t, findings.Contradiction)
	p.visit(contradiction)
	p.follow(stroke("m"))
	p.until(`document.activeElement.id === "merge-body"`)
	p.press(kb.Escape)
	p.until(`document.activeElement.id === "main"`)
	p.follow(stroke(kb.Escape))
	p.until(`document.querySelector(".decide") !== null`)
}
