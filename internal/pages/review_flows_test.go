package pages_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memoir/internal/findings"
	"memoir/internal/memories"
)

// TestReview_InBrowser decides items with keys alone, and without scripts.
func TestReview_InBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	for name, flow := range map[string]flow{
		"one key each":       atDesk(decideWithKeys),
		"without JavaScript": onPhone(decideWithoutScripts),
		"two tabs, one item": atDesk(decideInTwoTabs),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow(t, browser)
		})
	}
}

// titleFocused is a script that reports whether the heading of the card has the focus.
const titleFocused = `document.activeElement?.id === "card-title"`

func decideWithKeys(t *testing.T, browser context.Context) {
	s := reviewing(t, oneOfEach(), setting{decider: &decider{}})
	p := open(t, browser, s, "/", person{})
	p.press("g")
	p.follow(stroke("r"))
	p.at("/review")
	p.mark()
	p.shows("Password in plain text")
	p.fits()
	open := func(kind findings.Kind) string { return s.itemPath(t, kind) }
	expired, junk := open(findings.Expired), open(findings.Junk)
	for evaluate[string](p, `location.pathname`) != expired {
		before := evaluate[string](p, `document.querySelector("[data-card]").dataset.card`)
		p.press("j")
		p.until(`document.querySelector("[data-card]").dataset.card !== ` + quoted(before))
	}
	p.press(kb.Enter) // decides nothing
	p.press("d")
	p.shows("Deleted Deploy freeze")
	p.until(titleFocused + ` && location.pathname !== ` + quoted(expired))
	if s.Memory("ada", "Deploy freeze").State != memories.Deleted {
		t.Error("the memory is not deleted")
	}
	second := evaluate[string](p, `document.querySelector(".triage-row a[aria-current] .name").innerText`)
	p.press("z")
	p.shows("Snoozed " + strings.Split(second, " ")[0])
	p.press("u")
	p.shows("Undone.")
	p.until(`document.querySelector(".triage-row a[aria-current] .name").innerText === ` + quoted(second))
	p.press("u")
	p.at(expired)
	p.until(titleFocused)
	if s.Memory("ada", "Deploy freeze").State != memories.Active {
		t.Error("the memory is not restored")
	}
	// A secret is removed after a question only.
	secret := s.itemPath(t, findings.Secret)
	p.do(chromedp.Click(chromedp.CSS(`a[data-item][href="` + secret + `"]`)))
	p.until(`"/review/" + document.querySelector("[data-card]").dataset.card === ` + quoted(secret))
	p.press("r")
	p.shows(secretPassword)
	p.press("r")
	p.hides(secretPassword)
	p.press("1")
	p.shows("This cannot be undone.")
	if s.Memory("ada", "Database login").Body == "" || !strings.Contains(s.Read("ada/memory/login.md"), secretPassword) {
		t.Error("the value is removed without a question")
	}
	p.isMarked()
	p.visit(junk)
	p.press("x")
	p.shows("Password in plain text") // a kind that is not one-sided cannot be selected
	if p.holds(`document.querySelector(".triage-list :checked") !== null`) {
		t.Error("the item is selected")
	}
	p.visit(expired)
	p.press("x")
	p.until(`document.querySelector(".triage-list :checked") !== null`)
	p.follow(click("Decide selected…"))
	p.shows("Decide 1 item")
	p.fits()
}

func decideWithoutScripts(t *testing.T, browser context.Context) {
	s := reviewing(t, oneOfEach(), setting{decider: &decider{}})
	expired := s.itemPath(t, findings.Expired)
	p := open(t, browser, s, expired, person{withoutScripts: true})
	p.shows("Deploy freeze")
	p.fits()
	p.follow(chromedp.Click(chromedp.CSS(`.decide [value="delete"]`)))
	p.shows("Deleted Deploy freeze")
	if s.Memory("ada", "Deploy freeze").State != memories.Deleted {
		t.Error("the memory is not deleted")
	}
	p.follow(chromedp.Click(chromedp.CSS(`.triage-undo button`)))
	p.shows("Undone.")
	p.at(expired)
	p.follow(chromedp.Click(chromedp.CSS(`.turn[rel="next"]`)))
	p.fits()
}

// visit opens a page that has no stream of events.
func (p *tab) visit(path string) {
	p.t.Helper()
	p.follow(chromedp.Navigate(p.address + path))
}

// decideInTwoTabs decides an item that another tab has decided, and one that has changed.
func decideInTwoTabs(t *testing.T, browser context.Context) {
	s := reviewing(t, oneOfEach(), setting{decider: &decider{}})
	expired := s.itemPath(t, findings.Expired)
	first, second := open(t, browser, s, expired, person{}), open(t, browser, s, expired, person{allowed: []string{"status of 409"}})
	first.press("d")
	first.shows("Deleted Deploy freeze")
	second.press("d")
	second.shows("Deleted Deploy freeze")
	junk := s.itemPath(t, findings.Junk)
	second.visit(junk)
	name := evaluate[string](second, `document.querySelector(".review-side h3").innerText`)
	s.Write("ada/memory/todo.md", "---\nname: todo\ntype: project\n---\n\nFixed another typo, all tests pass again.\n")
	s.Write("bob/memory/todo.md", "---\nname: done\ntype: project\n---\n\nFixed another typo, all tests pass again.\n")
	s.Scan("ada")
	s.Scan("bob")
	second.press("d")
	second.shows("This changed while you read it")
	for _, agent := range []string{"ada", "bob"} {
		if (agent == "ada") == (name == "todo") && s.Memory(agent, name).State != memories.Active {
			t.Errorf("%s is deleted", name)
		}
	}
}

// TestReview_Accessible checks the pages of the review with axe-core, in every look.
func TestReview_Accessible(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	s := reviewing(t, oneOfEach(), setting{decider: &decider{}})
	done := reviewing(t, oneExpired(), setting{decider: &decider{}})
	done.get(t, "/review").press(done, "delete")
	s.get(t, s.itemPath(t, findings.Junk)).press(s, "snooze")
	fits(t, browser, s, s.itemPath(t, findings.Secret), s.itemPath(t, findings.Contradiction), s.itemPath(t, findings.Contradiction)+"?merge=true",
		s.itemPath(t, findings.Broken), "/review/batch?kind=expired", "/review?view=snoozed", ada+"/review?kind=plan")
	fits(t, browser, done, "/review")
}

// TestFaultA8_ReviewUndo takes two decisions back, the newest first, also after a reload.
func TestFaultA8_ReviewUndo(t *testing.T) {
	t.Parallel()
	atDesk(func(t *testing.T, browser context.Context) {
		s := reviewing(t, oneOfEach(), setting{decider: &decider{}})
		first := s.itemPath(t, findings.Expired)
		p := open(t, browser, s, first, person{})
		p.press("d")
		p.until(titleFocused + ` && location.pathname !== ` + quoted(first))
		second := evaluate[string](p, `location.pathname`)
		p.press("z")
		p.until(titleFocused + ` && location.pathname !== ` + quoted(second))
		p.visit("/review")
		p.press("u")
		p.at(second)
		p.press("u")
		p.at(first)
		if s.Memory("ada", "Deploy freeze").State != memories.Active {
			t.Error("the memory is not restored")
		}
	})(t, startBrowser(t))
}

// TestFaultC30_OneCard shows a step of a plan as one card. A notice moves nothing.
func TestFaultC30_OneCard(t *testing.T) {
	t.Parallel()
	atDesk(func(t *testing.T, browser context.Context) {
		s := reviewing(t, oneOfEach(), setting{decider: &decider{}})
		p := open(t, browser, s, s.itemPath(t, findings.Contradiction), person{})
		if got := evaluate[int](p, `document.querySelectorAll(".triage-pane .review-side").length`); got != 2 {
			t.Errorf("the card has %d texts", got)
		}
		const heights = `[".triage-list", ".triage-pane"].map(part => document.querySelector(part).clientHeight).join(" ")`
		before := evaluate[string](p, heights)
		p.press("z")
		p.shows("Snoozed")
		p.until(`document.querySelector("#notices .toast") !== null`)
		if got := evaluate[string](p, heights); got != before {
			t.Errorf("the heights are %s, and were %s", got, before)
		}
	})(t, startBrowser(t))
}

// TestJob5_DecidesAll decides all that waits with one key an item, on one page.
func TestJob5_DecidesAll(t *testing.T) {
	t.Parallel()
	atDesk(func(t *testing.T, browser context.Context) {
		files := oneOfEach()
		for _, path := range []string{"ada/memory/untyped.md", "ada/memory/login.md"} { // their decisions ask, or are refused here
			delete(files, path)
		}
		s := reviewing(t, files, setting{decider: &decider{}})
		p := open(t, browser, s, "/review", person{})
		p.mark()
		left := evaluate[int](p, `document.querySelectorAll(".triage-row").length`)
		keys := 0
		for range left {
			card := evaluate[string](p, `document.querySelector("[data-card]").dataset.card`)
			key := map[bool]string{true: "1", false: "d"}[strings.HasPrefix(card, "contra") || strings.HasPrefix(card, "dup")]
			if strings.HasPrefix(card, "link") {
				key = "a"
			}
			p.press(key)
			keys++
			p.until(`document.querySelector("[data-card]")?.dataset.card !== ` + quoted(card))
		}
		p.shows("All clear.")
		p.isMarked()
		if keys != left {
			t.Errorf("%d items took %d keys", left, keys)
		}
	})(t, startBrowser(t))
}
