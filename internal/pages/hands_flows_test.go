package pages_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// TestKeys_InBrowser uses only keys, on a desk and on a phone with a keyboard.
func TestKeys_InBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	// Each flow starts with the same list.
	begin := func(keys func(*testing.T, *tab, *site)) func(*testing.T, context.Context) {
		return func(t *testing.T, browser context.Context) {
			s := serve(t, facts(6))
			p := open(t, browser, s, adaList+"?sort=name", person{})
			p.live()
			keys(t, p, s)
		}
	}
	for name, flow := range map[string]flow{
		"a row is deleted, the next takes over, and undone":   atDesk(begin(deleteByKey)),
		"many are selected, deleted and brought back":         everywhere(begin(deleteManyByKey)),
		"tabs, search, new, edit and help have keys":          atDesk(begin(goPlaces)),
		"keys rest while somebody types or switched them off": atDesk(begin(restingKeys)),
		"the focus is never lost while files change":          onPhone(begin(keepFocus)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow(t, browser)
		})
	}
}

// press presses keys in order, in any focus.
func (p *tab) press(keys ...string) {
	p.t.Helper()
	for _, key := range keys {
		p.do(stroke(key))
	}
}

// stroke presses a key as a keyboard does, so that a shortcut is not typed too.
func stroke(key string, options ...chromedp.KeyOption) chromedp.Action[chromedp.Void] {
	return chromedp.KeyEvent(key, append(options, func(event *input.DispatchKeyEventParams) {
		if event.Type == input.DispatchKeyEventTypeKeyDown {
			event.Type = input.DispatchKeyEventTypeRawKeyDown
		}
	})...)
}

// focused waits until the row with that name has the focus.
func (p *tab) focused(name string) {
	p.t.Helper()
	p.until(`document.activeElement.closest("[data-row]")?.querySelector("[data-open]").textContent.trim() === ` + quoted(name))
}

// listed returns the names of the listed memories in the order of the page.
func (p *tab) listed() []string {
	p.t.Helper()
	return evaluate[[]string](p, `[...document.querySelectorAll("[data-row] [data-open]")].map(a => a.textContent.trim())`)
}

func deleteByKey(t *testing.T, p *tab, s *site) {
	all := p.listed()
	p.mark()
	p.press("j", "d")
	p.shows("Deleted " + all[1] + "")
	p.focused(all[2])
	if m := s.Memory("ada", all[1]); m.State != memories.Deleted {
		t.Errorf("%s is %s", all[1], m.State)
	}
	p.press("d")
	p.shows("Deleted " + all[2] + "")
	p.focused(all[3])
	p.press("u")
	p.shows("Restored " + all[2])
	p.focused(all[2])
	// One key moves the focus to the message and back.
	p.press("d")
	p.shows("Deleted " + all[2] + "")
	p.focused(all[3])
	p.press(kb.F6)
	p.until(`document.activeElement.closest(".toast") !== null`)
	p.press(kb.F6)
	p.focused(all[3])
	p.press(kb.F6, kb.Enter)
	p.shows("Restored " + all[2])
	p.focused(all[2])
	p.press(kb.F6, kb.Escape)
	p.until(`document.querySelector(".toast") === null`)
	p.focused(all[2])
	p.isMarked()
}

func deleteManyByKey(t *testing.T, p *tab, s *site) {
	p.press("j", "x", "j", "j", "X")
	p.shows("3 selected")
	s.Write("ada/memory/new.md", memoirtest.Note("Something new", memories.Project, "While they are selected."))
	p.shows("1 new · Show")
	p.shows("3 selected")
	p.press(kb.Escape)
	p.hides("3 selected")
	p.press("x", "k", "x")
	p.shows("2 selected")
	chosen := evaluate[[]string](p, `[...document.querySelectorAll("[data-row]:has([data-pick]:checked) [data-open]")].map(a => a.textContent.trim())`)
	p.press("d")
	p.shows("Deleted 2 memories")
	p.until(`document.querySelector("#selection[data-some]") === null`)
	for _, name := range chosen {
		if got := s.Memory("ada", name).State; got != memories.Deleted {
			t.Errorf("%s is %s", name, got)
		}
	}
	p.press("u")
	p.shows("2 memories restored")
	p.until(`document.querySelectorAll("[data-row]").length === 7`)
	p.until(`document.activeElement.matches("a[data-open]")`)
}

func goPlaces(t *testing.T, p *tab, s *site) {
	p.press("?")
	p.until(`document.querySelector("dialog").open`)
	p.shows("mark as still true")
	p.press("?")
	p.until(`!document.querySelector("dialog").open`)
	p.press("/")
	p.until(`document.activeElement.id === "q"`)
	p.press("j", "d") // typed as text
	p.until(`document.activeElement.value === "jd"`)
	p.do(stroke("g"))
	p.follow(chromedp.Navigate(s.address + adaList))
	for _, tab := range []struct{ key, path string }{{"c", "/context"}, {"l", "/timeline"}, {"s", "/settings"}, {"m", "/memory"}} {
		p.press("g")
		p.follow(stroke(tab.key))
		p.until(`location.pathname.startsWith(` + quoted(ada+tab.path) + `)`)
	}
	p.press("n")
	p.until(`document.activeElement.id === "name"`)
	p.follow(chromedp.Navigate(s.address + pageOf(s.Memory("ada", "Fact 03"))))
	p.press("e")
	p.until(`document.querySelector("#pane .editor #name")?.value === "Fact 03"`)
	p.follow(chromedp.Navigate(s.address + adaList + "?sort=name"))
	p.press("j")
	second := p.listed()[1] // j leaves the first, which is open
	p.press("e")
	p.until(`document.querySelector("#pane .editor #name")?.value === ` + quoted(second))
}

func restingKeys(t *testing.T, p *tab, s *site) {
	p.press("j")
	p.do(stroke("d", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.do(stroke("?"))
	p.until(`document.querySelector("dialog").open`)
	p.do(chromedp.Click(chromedp.CSS("#keys-switch-dialog")))
	p.press(kb.Escape)
	p.until(`!document.querySelector("dialog").open`)
	p.press("d", "x")
	p.follow(chromedp.Reload())
	p.press(kb.Tab, "d", "?")
	if got := len(p.listed()); got != 6 || evaluate[bool](p, `document.querySelector("dialog").open`) {
		t.Errorf("%d memories are left", got)
	}
	if s.Memory("ada", "Fact 01").State == memories.Deleted {
		t.Error("a key did something that was switched off")
	}
	p.follow(chromedp.Navigate(s.address + "/keys"))
	p.until(`!document.querySelector("#keys-switch-page").checked`)
	p.do(chromedp.Click(chromedp.CSS("#keys-switch-page")))
	p.do(stroke("?"))
	p.until(`document.querySelector("dialog").open`)
}

func keepFocus(t *testing.T, p *tab, s *site) {
	all := p.listed()
	p.press("j", "j")
	p.focused(all[1])
	s.Remove("ada/memory/fact_" + strings.TrimPrefix(all[1], "Fact ") + ".md")
	p.hides(all[1])
	p.focused(all[2])
	s.Write("ada/memory/fact_"+strings.TrimPrefix(all[2], "Fact ")+".md", memoirtest.Note(all[2], memories.Project, "Changed under the focus."))
	s.Write("ada/memory/new.md", memoirtest.Note("Something new", memories.User, "In another group."))
	p.shows("1 new")
	p.focused(all[2])
	p.press(kb.Tab) // to the button in its row
	where := evaluate[string](p, `document.activeElement.closest("[data-row]").id + document.activeElement.tagName`)
	s.Remove("ada/memory/new.md")
	p.hides("1 new")
	if got := evaluate[string](p, `document.activeElement.closest("[data-row]").id + document.activeElement.tagName`); got != where {
		t.Errorf("the focus went from %s to %s", where, got)
	}
	p.press("/", "zebra")
	p.shows("No results for “zebra”")
	p.until(`document.activeElement.id === "q" && document.activeElement.value === "zebra"`)
}

// TestBatch_ManyInBrowser selects all of a long list with one click.
func TestBatch_ManyInBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	atDesk(func(t *testing.T, browser context.Context) {
		s := serve(t, facts(95))
		p := open(t, browser, s, adaList+"?type=project", person{})
		p.live()
		bar := func(text string) chromedp.Action[chromedp.Void] {
			return chromedp.Click(chromedp.Search(`//form[@id="selection"]//button[normalize-space(.)="` + text + `"]`))
		}
		p.do(chromedp.Click(chromedp.CSS("#pick-all-all")))
		p.shows("95 selected")
		p.do(bar("Still true"))
		p.shows("95 memories still true")
		p.until(`document.querySelector("#selection[data-some]") === null`)

		p.do(chromedp.Click(chromedp.CSS("#pick-all-all")), bar("Delete"))
		p.shows("Deleted 95 memories")
		p.until(`document.querySelector("[data-row]") === null`)
		if strings.Contains(s.Read("ada/CLAUDE.md"), "Fact") || s.Read("ada/memory/fact_95.md") != "" {
			t.Error("something of them is still on disk")
		}
	})(t, browser)
}

func TestTheme_InBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	notFound := []string{"404 (Not Found)"}
	for name, as := range map[string]person{"with scripts": {allowed: notFound}, "without": {withoutScripts: true, allowed: notFound}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before(func(t *testing.T, browser context.Context) {
				s := serve(t, twoMemories())
				p := open(t, browser, s, adaList+"?q=t", as)
				for _, theme := range []string{"light", "dark"} {
					press := chromedp.Click(chromedp.CSS(`#theme [value="` + theme + `"]`))
					if as.withoutScripts {
						p.follow(press)
					} else {
						p.do(press)
					}
					p.until(`document.documentElement.dataset.theme === ` + quoted(theme))
					p.until(`getComputedStyle(document.documentElement).colorScheme === ` + quoted(theme))
				}
				p.until(`location.search === "?q=t"`)
				p.until(`[...document.querySelectorAll("#theme button")].filter(b => b.checkVisibility()).map(b => b.textContent.trim()).join() === "Theme: dark. Change to system"`)
				if !as.withoutScripts {
					p.until(`document.activeElement.closest("#theme") !== null`)
				}
				s.rememberedTheme(t, p)
			}, desk, tablet)(t, browser)
		})
	}
}

// rememberedTheme checks the theme of several pages, an error page included.
func (s *site) rememberedTheme(t *testing.T, p *tab) {
	t.Helper()
	for _, path := range []string{"/", "/sync", "/nothing", adaList} {
		p.follow(chromedp.Navigate(s.address + path))
		if got := evaluate[string](p, `document.documentElement.dataset.theme + " " + document.querySelector("meta[name=color-scheme]").content`); got != "dark dark" {
			t.Errorf("%s is %s", path, got)
		}
	}
}

// TestSelection_WithoutScripts selects memories and acts on them without scripts.
func TestSelection_WithoutScripts(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	onPhone(func(t *testing.T, browser context.Context) {
		s := serve(t, facts(4))
		p := open(t, browser, s, adaList, person{withoutScripts: true})
		selectBox := func(name string) {
			p.do(chromedp.Click(chromedp.CSS("#memory-" + s.Memory("ada", name).ID + " [data-pick]")))
		}
		bar := func(text string) chromedp.Action[chromedp.Void] {
			return chromedp.Click(chromedp.Search(`//form[@id="selection"]//*[self::button or self::summary][normalize-space(.)="` + text + `"]`))
		}
		selectBox("Fact 01")
		selectBox("Fact 02")
		p.follow(bar("Delete"))
		p.shows("Deleted 2 memories")
		p.follow(chromedp.Click(chromedp.CSS(`.views a[href$="view=trash"]`)))
		selectBox("Fact 01")
		p.follow(bar("Restore"))
		p.shows("1 memory restored")
		selectBox("Fact 02")
		p.do(bar("Delete permanently"))
		p.follow(bar("Yes, delete permanently"))
		p.shows("1 memory deleted permanently")
		if s.Read("ada/memory/fact_01.md") == "" || s.Read("ada/memory/fact_02.md") != "" {
			t.Error("the files are not what the pages say")
		}
	})(t, browser)
}
