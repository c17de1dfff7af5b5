package pages_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// TestPane_InBrowser reads, decides and edits in the pane.
func TestPane_InBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	for name, flow := range map[string]flow{
		"a key opens a memory, and Back leaves the list":       atDesk(readByKeys),
		"a decision opens the next memory":                     atDesk(decideByKeys),
		"Enter moves into the pane, and Esc back":              atDesk(enterAndLeave),
		"tabs have addresses":                                  everywhere(goThroughTabs),
		"a secret is shown on request, and hidden again":       atDesk(revealInBrowser),
		"a memory is written in the pane":                      atDesk(writeInPane),
		"phrases are written in the pane":                      everywhere(askInPane),
		"a change on disk leaves what is typed":                atDesk(typeDuringChange),
		"tabs, deciding and writing work without JavaScript":   onPhone(paneWithoutScripts),
		"a reader's keys change nothing":                       atDesk(readerKeys),
		"a phone shows the pane instead of the list, and back": onPhone(paneOnPhone),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow(t, browser)
		})
	}
}

// opens waits until the pane has the memory of that name.
func (p *tab) opens(name string) {
	p.t.Helper()
	p.until(`document.querySelector("#pane h2")?.textContent === ` + quoted(name))
}

// TestPane_ReadTen counts the keys to read ten memories.
func TestPane_ReadTen(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	atDesk(func(t *testing.T, browser context.Context) {
		s := serve(t, facts(10))
		p := open(t, browser, s, adaList, person{})
		p.live()
		p.mark()
		keys := 0
		for i, name := range p.listed() {
			if i > 0 {
				p.press("j")
				keys++
			}
			p.opens(name)
			p.shows("What is known of " + strings.TrimPrefix(name, "Fact ") + ".")
		}
		if keys > 10 {
			t.Errorf("keys = %d, want at most 10", keys)
		}
		p.isMarked()
	})(t, browser)
}

// TestPane_CleanTwenty counts the keys to decide about twenty memories, without waiting between them.
func TestPane_CleanTwenty(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	atDesk(func(t *testing.T, browser context.Context) {
		s := serve(t, facts(21))
		for i := 1; i <= 21; i++ {
			age(t, s, fmt.Sprintf("ada/memory/fact_%02d.md", i), 90)
		}
		p := open(t, browser, s, adaList, person{})
		p.live()
		p.mark()
		all := p.listed()
		p.do(chromedp.Focus(rowLink(s.Memory("ada", all[0]))))
		for i := range 20 {
			p.press([]string{"v", "d"}[i%2])
		}
		p.opens(all[20])
		deleted, confirmed := 0, 0
		for _, name := range all[:20] {
			m := s.Memory("ada", name)
			if m.State == memories.Deleted {
				deleted++
			} else if m.ModifiedAt.After(s.Memory("ada", all[20]).ModifiedAt) {
				confirmed++
			}
		}
		if deleted != 10 || confirmed != 10 {
			t.Errorf("20 keys delete %d and confirm %d", deleted, confirmed)
		}
		p.isMarked()
	})(t, browser)
}

func readByKeys(t *testing.T, browser context.Context) {
	s := serve(t, facts(4))
	p := open(t, browser, s, "/", person{})
	p.follow(chromedp.Navigate(s.address + adaList))
	p.live()
	all := p.listed()
	p.opens(all[0])
	p.press("j", "j", kb.ArrowDown, "k")
	p.opens(all[2])
	p.focused(all[2])
	p.at(pageOf(s.Memory("ada", all[2])))
	p.follow(chromedp.NavigateBack())
	p.at("/")
}

func decideByKeys(t *testing.T, browser context.Context) {
	s := serve(t, facts(5))
	p := open(t, browser, s, adaList, person{})
	p.live()
	p.mark()
	all := p.listed()
	p.press("j")
	p.opens(all[1])
	p.press("d")
	p.shows("Deleted " + all[1])
	p.opens(all[2])
	p.focused(all[2])
	p.at(pageOf(s.Memory("ada", all[2])))
	p.press("v")
	p.opens(all[3])
	p.focused(all[3])
	// A key that comes before the pane is about the memory that it will show.
	p.press("j", "d")
	p.shows("Deleted " + all[4])
	p.opens(all[3])
	if got := s.Memory("ada", all[3]).State; got != memories.Active {
		t.Errorf("%s is %s", all[3], got)
	}
	p.isMarked()
}

func enterAndLeave(t *testing.T, browser context.Context) {
	s := serve(t, facts(3))
	p := open(t, browser, s, adaList, person{})
	p.live()
	all := p.listed()
	p.press("j")
	p.opens(all[1])
	p.press(kb.Enter)
	p.until(`document.activeElement === document.querySelector("#pane h2")`)
	p.press(kb.Escape)
	p.focused(all[1])
	p.do(chromedp.Click(chromedp.CSS("#pane .more-menu summary")))
	p.shows("Copy as Markdown")
	p.press(kb.Escape)
	p.until(`!document.querySelector("#pane .more-menu").open`)
}

func goThroughTabs(t *testing.T, browser context.Context) {
	s := taught(t)
	m := s.Memory("ada", "Tabs")
	p := open(t, browser, s, pageOf(m), person{})
	p.live()
	p.mark()
	for tab, text := range map[string]string{"history": "First learned", "cost": "Never recalled in the last 90 days.", "file": "sessions/U1-C1-1741512345.123456/memory/tabs.md"} {
		p.do(chromedp.Click(chromedp.CSS(`.pane-tabs a[href$="tab=` + tab + `"]`)))
		p.shows(text)
		p.until(`location.search === "?tab=` + tab + `"`)
		p.fits()
	}
	p.isMarked()
	p.follow(chromedp.Reload())
	p.until(`document.querySelectorAll('.pane-tabs [aria-current]').length === 1`)
}

const paneSecret = "correct-Horse-42"

func revealInBrowser(t *testing.T, browser context.Context) {
	s := serve(t, memoirtest.Files{"ada/memory/db.md": memoirtest.Note("Database", memories.Reference, "db password: "+paneSecret)})
	p := open(t, browser, s, adaList, person{})
	p.live()
	p.opens("Database")
	p.shows("Masked.")
	p.hides(paneSecret)
	p.press("r")
	p.shows(paneSecret)
	s.Write("ada/memory/other.md", memoirtest.Note("Other", memories.User, "While it is shown."))
	p.shows("Other")
	p.shows(paneSecret)
	p.press("r")
	p.hides(paneSecret)
	p.shows("Masked.")
}

func writeInPane(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	p := open(t, browser, s, adaList, person{allowed: []string{"422 (Unprocessable"}})
	p.live()
	p.mark()
	p.press("n")
	p.until(`document.activeElement.id === "name"`)
	p.do(chromedp.SendKeys(chromedp.CSS("#name"), "Kettle"), chromedp.Click(chromedp.CSS(`label[for="type-user"]`)),
		chromedp.SendKeys(chromedp.CSS("#description"), "Who drinks what"), chromedp.SendKeys(chromedp.CSS("#body"), "password: "+paneSecret))
	p.until(`document.querySelector(".counter").textContent === "15 of 150"`)
	p.save()
	p.shows("Agents will not receive this memory")
	if s.Read("ada/memory/user_kettle.md") != "" {
		t.Error("the secret is saved without asking")
	}
	p.do(click("Save anyway"))
	p.shows("Saved Kettle")
	p.opens("Kettle")
	p.hides(paneSecret)
	p.isMarked()
}

// choose clicks an item of the open memory's menu.
func (p *tab) choose(item string) {
	p.t.Helper()
	p.do(chromedp.Click(chromedp.CSS("#pane .more-menu summary")), click(item))
}

// save presses the keys that save a form.
func (p *tab) save() {
	p.t.Helper()
	p.do(stroke(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
}

func typeDuringChange(t *testing.T, browser context.Context) {
	s := serve(t, twoMemories())
	m := s.Memory("ada", "Tabs")
	p := open(t, browser, s, pageOf(m), person{allowed: []string{"412 (Precondition Failed)"}})
	p.live()
	p.mark()
	p.press("e")
	p.until(`document.activeElement.id === "body"`)
	p.do(chromedp.SendKeys(chromedp.CSS("#body"), " Three of them."))
	s.Write("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use spaces."))
	p.shows("Changed on disk")
	p.until(`document.querySelector("#body").value.includes("Three of them.")`)
	p.save()
	p.shows("Memory has changed")
	p.shows("Use spaces.")
	p.fits()
	p.do(chromedp.Click(chromedp.CSS("#pane [data-save]")))
	p.shows("Saved Tabs")
	p.shows("Three of them.")
	p.isMarked()
}

func paneWithoutScripts(t *testing.T, browser context.Context) {
	s := serve(t, facts(3))
	p := open(t, browser, s, adaList, person{withoutScripts: true})
	all := p.listed()
	p.follow(chromedp.Click(rowLink(s.Memory("ada", all[0]))))
	p.follow(click("History 1"))
	p.shows("Never changed")
	p.follow(click("Text"))
	p.follow(click("Still true " + all[0] + " V"))
	p.shows("What is known of " + strings.TrimPrefix(all[1], "Fact ") + ".")
	p.follow(click("Delete " + all[1]))
	p.shows("What is known of " + strings.TrimPrefix(all[2], "Fact ") + ".")
	p.follow(click("Edit E"))
	p.do(chromedp.SendKeys(chromedp.CSS("#description"), "Last one. "))
	p.follow(saveForm)
	p.shows("Last one.")
	p.follow(click("‹ All memories"))
	p.at(adaList)
}

func readerKeys(t *testing.T, browser context.Context) {
	s := serveMemoir(t, memoirtest.Start(t, facts(2)), setting{token: "the-token", readToken: "look-only"})
	p := open(t, browser, s, "/sign-in?next="+adaList, person{allowed: []string{"401"}})
	p.do(chromedp.SendKeys(chromedp.CSS("input[name=token]"), "look-only"))
	p.follow(chromedp.SendKeys(chromedp.CSS("input[name=token]"), kb.Enter))
	p.at(pageOf(s.Memory("ada", p.listed()[0])))
	p.live()
	p.press("j", "d", "e", "n", "v")
	p.opens(p.listed()[1])
	if got := evaluate[int](p, `document.querySelectorAll('#pane form, .editor').length`); got != 0 {
		t.Errorf("a reader has %d forms", got)
	}
	if s.Memory("ada", "Fact 01").State != memories.Active || s.Memory("ada", "Fact 02").State != memories.Active {
		t.Error("a key deletes")
	}
}

func paneOnPhone(t *testing.T, browser context.Context) {
	s := serve(t, facts(3))
	p := open(t, browser, s, adaList, person{})
	p.live()
	all := p.listed()
	p.do(chromedp.Click(rowLink(s.Memory("ada", all[1]))))
	p.opens(all[1])
	p.until(`!document.getElementById("list").checkVisibility()`)
	p.fits()
	p.do(click("Delete " + all[1]))
	p.opens(all[2])
	p.do(click("‹ All memories"))
	p.at(adaList)
	p.until(`document.getElementById("list").checkVisibility() && !document.getElementById("pane").checkVisibility()`)
}

// TestFaultB22_EditInPlace corrects a typo and counts the keys besides the text.
func TestFaultB22_EditInPlace(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	atDesk(func(t *testing.T, browser context.Context) {
		s := serve(t, twoMemories())
		p := open(t, browser, s, pageOf(s.Memory("ada", "Tabs")), person{})
		p.live()
		p.mark()
		p.press("e")
		p.until(`document.activeElement.id === "body"`)
		p.do(chromedp.SendKeys(chromedp.CSS("#body"), "!"))
		p.save()
		p.shows("Saved Tabs")
		p.shows("!Use tabs.")
		p.until(`document.querySelector(".editor") === null`)
		p.at(pageOf(s.Memory("ada", "Tabs")))
		p.isMarked()
		// Esc leaves an unchanged form at once.
		p.press("e")
		p.until(`document.activeElement.id === "body"`)
		p.press(kb.Escape)
		p.until(`document.querySelector(".editor") === null`)
		p.isMarked()
	})(t, browser)
}

// TestFaultA6_TypedText leaves a form with unsaved text.
func TestFaultA6_TypedText(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	atDesk(func(t *testing.T, browser context.Context) {
		s := serve(t, twoMemories())
		m := s.Memory("ada", "Tabs")
		p := open(t, browser, s, pageOf(m), person{})
		acceptDialogs(p.ctx)
		p.live()
		p.press("e")
		p.until(`document.activeElement.id === "body"`)
		p.do(chromedp.SendKeys(chromedp.CSS("#body"), " Always."))
		p.until(`Object.keys(localStorage).includes(` + quoted("memoir-draft:ada/"+m.ID) + `)`)
		p.do(chromedp.Click(chromedp.Search(`//nav//a[normalize-space(.)="Home"]`)))
		p.until(`document.getElementById("leave").open`)
		p.do(click("Keep editing"))
		p.until(`!document.getElementById("leave").open && document.activeElement.id === "body"`)
		p.press(kb.Escape)
		p.until(`document.getElementById("leave").open`)
		p.follow(chromedp.Reload())
		p.opens("Tabs")
		p.hides("Always.")
		p.press("e")
		p.shows("Unsaved draft,")
		p.do(click("Restore"))
		p.until(`document.getElementById("body").value.includes("Always.")`)
		p.save()
		p.shows("Saved Tabs")
		p.shows("Always.")
		p.until(`!Object.keys(localStorage).some(key => key.startsWith("memoir-draft:"))`)
		// Leaving on purpose keeps the draft until it is discarded.
		p.press("e")
		p.until(`document.activeElement.id === "body"`)
		p.do(chromedp.SendKeys(chromedp.CSS("#body"), " Never."))
		p.press(kb.Escape)
		p.until(`document.getElementById("leave").open`)
		p.do(click("Leave"))
		p.until(`document.querySelector(".editor") === null`)
		p.press("e")
		p.shows("Unsaved draft,")
		p.do(click("Discard"))
		p.until(`!Object.keys(localStorage).some(key => key.startsWith("memoir-draft:"))`)
		// A secret is not kept.
		p.do(chromedp.SendKeys(chromedp.CSS("#body"), " password: "+paneSecret))
		p.press(kb.Escape)
		p.until(`document.getElementById("leave").open`)
		p.until(`!Object.keys(localStorage).some(key => key.startsWith("memoir-draft:"))`)
	})(t, browser)
}

// TestFaultA11_RightToLeft checks the direction of blocks in one text.
func TestFaultA11_RightToLeft(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	atDesk(func(t *testing.T, browser context.Context) {
		s := serve(t, memoirtest.Files{"ada/memory/rtl.md": memoirtest.Note("مرحبا", memories.User, "يفضل الجداول.\n\nIn English.\n\n- שלום עולם.")})
		p := open(t, browser, s, pageOf(s.Memory("ada", "مرحبا")), person{})
		got := evaluate[string](p, `[...document.querySelectorAll("#pane h2, #pane .prose > p, #pane .prose li")].map(e => getComputedStyle(e).direction).join()`)
		if want := "rtl,rtl,ltr,rtl"; got != want {
			t.Errorf("directions = %s, want %s", got, want)
		}
		p.until(`(() => {
			const text = document.querySelector("#pane .prose p").firstChild;
			const range = document.createRange();
			range.setStart(text, text.length - 1);
			range.setEnd(text, text.length);
			const stop = range.getBoundingClientRect();
			range.setStart(text, 0);
			range.setEnd(text, 1);
			return stop.left < range.getBoundingClientRect().left;
		})()`)
	})(t, browser)
}
