package pages_test

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// TestKeys_EveryList uses all lists except the Memory tab with keys only.
func TestKeys_EveryList(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	begin := func(keys func(*testing.T, *tab, *site)) func(*testing.T, context.Context) {
		return func(t *testing.T, browser context.Context) {
			s := manyLists(t)
			keys(t, open(t, browser, s, "/", person{}), s)
		}
	}
	for name, flow := range map[string]flow{
		"what a search finds": everywhere(begin(keysOnFindings)),
		"what happened":       atDesk(begin(keysOnActivity)),
		"the agents":          onPhone(begin(keysOnAgents)),
		"the sessions":        atDesk(begin(keysOnSessions)),
		"the trash":           atDesk(begin(keysOnTrash)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow(t, browser)
		})
	}
}

// manyLists returns a site with two agents and an item in each of their lists.
func manyLists(t *testing.T) *site {
	t.Helper()
	files := facts(3)
	files["bob/memory/kettle.md"] = memoirtest.Note("Kettle", memories.User, "A fact about tea.")
	files["ada/sessions/"+conversation+"/memory/oddity.md"] = "No frontmatter, a fact all the same."
	files["ada/sessions/"+conversation+"/memory/second.md"] = "Another one."
	s := serve(t, files)
	s.scanAll()
	for _, name := range []string{"Fact 01", "Fact 02"} {
		s.submit(t, s.get(t, pageOf(s.Memory("ada", name))), "Delete "+name)
	}
	return s
}

// types types a text into the focused element.
func (p *tab) types(text string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(text))
}

// goTo opens a page and waits until it is live.
func (p *tab) goTo(path string) {
	p.t.Helper()
	p.follow(chromedp.Navigate(p.address + path))
	p.live()
}

func keysOnFindings(t *testing.T, p *tab, s *site) {
	p.goTo("/search")
	p.press("/")
	p.until(`document.activeElement.id === "q"`)
	p.types("fact")
	p.until(`location.search === "?q=fact"`)
	p.shows("3 memories")
	p.live()
	all := p.listed()
	p.until(`document.activeElement.id === "q"`)
	p.press(kb.Tab, "j") // keys work outside the field
	p.focused(all[0])
	p.press("j", "j", "k")
	p.focused(all[1])
	s.Write("bob/memory/more.md", memoirtest.Note("More", memories.User, "A fact that came meanwhile."))
	p.shows("4 memories")
	p.focused(all[1])
	p.follow(stroke(kb.Enter))
	p.until(`document.querySelector("main h1, main h2") !== null && location.pathname !== "/search"`)
	p.follow(chromedp.NavigateBack())
	p.at("/search")
	p.focused(all[1])
	p.follow(stroke("e"))
	p.until(`location.pathname.endsWith("/edit")`)
}

func keysOnActivity(t *testing.T, p *tab, s *site) {
	p.goTo(adaTimeline)
	all := p.listed()
	p.press("j", "j")
	p.focused(all[1])
	s.Write("ada/memory/new.md", memoirtest.Note("Something new", memories.Project, "While somebody looks."))
	p.until(`[...document.querySelectorAll("[data-row]")].length === ` + "1 + " + evaluate[string](p, `String(document.querySelectorAll("[data-row]").length)`))
	p.focused(all[1])
	where := evaluate[string](p, `document.activeElement.href`)
	p.follow(stroke(kb.Enter))
	p.until(`location.href === ` + quoted(where))
}

func keysOnAgents(_ *testing.T, p *tab, _ *site) {
	p.live()
	all := p.listed()
	p.press("j", "j")
	p.focused(all[1])
	p.press("k")
	p.focused(all[0])
	p.follow(stroke(kb.Enter))
	p.until(`location.pathname.startsWith("/agents/` + all[0] + `/memory")`)
}

func keysOnSessions(_ *testing.T, p *tab, _ *site) {
	p.goTo(adaTimeline + "?show=sessions")
	p.press("j")
	p.focused("Session of 9 Mar 2025")
	p.follow(stroke(kb.Enter))
	p.until(`new URLSearchParams(location.search).get("session") === ` + quoted(conversation))
}

func keysOnTrash(t *testing.T, p *tab, s *site) {
	p.goTo(adaList + "?view=trash")
	all := p.listed()
	p.press("j", "j", "k")
	p.focused(all[0])
	p.press("r")
	p.shows("Restored " + all[0])
	p.focused(all[1])
	p.press("r") // the last row
	p.shows("Restored " + all[1])
	p.shows("Trash is empty")
	p.until(`document.activeElement.id === "main"`)
	if m := s.Memory("ada", all[1]); m.State != memories.Active {
		t.Errorf("%s is %s", all[1], m.State)
	}
}
