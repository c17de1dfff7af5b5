package pages_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memoir/internal/memoirtest"
)

func TestPalette_Groups(t *testing.T) {
	t.Parallel()
	s := harbour(t)
	groups := func(query string) string {
		page := s.get(t, "/palette?"+query)
		return strings.Join(page.Find("[role=group]").Map(func(_ int, g *selection) string {
			return g.AttrOr("aria-label", "") + ": " + strings.Join(g.Find("[role=option] .name").Map(func(_ int, o *selection) string { return strings.TrimSpace(o.Text()) }), ", ")
		}), "; ")
	}
	for query, want := range map[string]string{
		"q=gra":  "Agents: grace; Actions: New memory “gra”",
		"q=ferr": "Memories: Ferry times, Release day; Actions: New memory “ferr”, All results for “ferr”",
		"q=scan": "Actions: Scan now, New memory “scan”",
		"q=sett&here=" + url.QueryEscape("/agents/ada/memory"): "Actions: New memory “sett”; Pages: Settings",
		"q=agent:ada+tea": "Memories: Tea; Actions: New memory “tea”, All results for “agent:ada tea”",
	} {
		if got := groups(query); got != want {
			t.Errorf("%s has %q, want %q", query, got, want)
		}
	}
	entry := s.get(t, "/palette?q=ferr").Find(`[role=option][href*="/memory/new"]`)
	href := entry.AttrOr("href", "")
	if got := s.get(t, href).Find("#name").AttrOr("value", ""); got != "ferr" {
		t.Errorf("%s has the name %q", href, got)
	}
	tea := s.Memory("ada", "Tea")
	recent := groups(url.Values{"recent": {pageIn("ada", tea), "/agents/grace/memory", "/agents/gone", "/agents/ada/memory/gone", "https://example.com"}}.Encode())
	if !strings.HasPrefix(recent, "Recent: Tea, grace; Agents: ") || !strings.Contains(recent, "Actions: New memory, Scan now, Theme: light, Theme: dark; Pages: Home, Review, Timeline") {
		t.Errorf("without a query: %q", recent)
	}
	if got := words(s.get(t, "/palette?q=zzqq").Find(".palette-none")); got != "No results for “ zzqq ”" {
		t.Errorf("nothing found: %q", got)
	}
}

func TestPalette_Readers(t *testing.T) {
	t.Parallel()
	s := serveMemoir(t, memoirtest.Start(t, twoMemories()), setting{token: "the-token", readToken: "look-only"})
	for _, path := range []string{"/palette", "/palette?q=new"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer look-only")
		if got := s.send(t, request).each("[role=option] .name"); slices.ContainsFunc(got, func(name string) bool { return strings.HasPrefix(name, "New memory") || name == "Scan now" }) {
			t.Errorf("a reader is offered %q", got)
		}
	}
}

func TestPalette_Keys(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	everywhere(func(t *testing.T, browser context.Context) {
		s := harbour(t)
		p := open(t, browser, s, "/agents/grace/memory", person{})
		p.live()
		p.goTo("/agents/ada/memory")
		p.do(chromedp.Click(p.paletteLink()))
		p.until(`document.activeElement.id === "palette-field" && document.querySelector("#palette [role=group]")?.ariaLabel === "Recent"`)
		p.until(`document.querySelector("#palette [aria-selected=true] .name")?.textContent.trim() !== ""`)
		p.types("ferr")
		p.until(`document.querySelectorAll("#palette [role=option]").length === 4`)
		p.until(`document.getElementById(document.getElementById("palette-field").getAttribute("aria-activedescendant")).textContent.includes("Ferry times")`)
		p.press(kb.ArrowDown)
		p.until(`document.querySelector("#palette [aria-selected=true]").textContent.includes("Release day")`)
		p.press(kb.ArrowUp, kb.ArrowUp)
		p.until(`document.querySelector("#palette [aria-selected=true]").textContent.includes("All results")`)
		p.press(kb.Escape)
		p.until(`!document.getElementById("palette").open && document.activeElement.matches("[data-palette]")`)

		p.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(2))) // Ctrl
		p.types("zzqq")
		p.until(`document.getElementById("palette").innerText.includes("No results for “zzqq”")`)
		p.fits()
		p.press(kb.Escape)
		p.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(2)))
		p.types("low season")
		p.follow(chromedp.KeyEvent(kb.Enter)) // before the results are there
		p.shows("We release on Tuesdays")
		p.live()
		p.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(2)))
		p.types("theme: dark")
		p.until(`document.querySelector("#palette [aria-selected=true]")?.textContent.includes("Theme: dark")`)
		p.press(kb.Enter)
		p.until(`document.documentElement.dataset.theme === "dark" && !document.getElementById("palette").open`)
	})(t, browser)
}

// paletteLink finds the visible link to the search.
func (p *tab) paletteLink() chromedp.CSS {
	p.t.Helper()
	if p.holds(`document.querySelector(".side-search").checkVisibility()`) {
		return chromedp.CSS(".side-search")
	}
	return chromedp.CSS(".bottom [data-palette]")
}
