package pages_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// manyAgents returns the files of agents with one memory each, named agent-000 and so on.
func manyAgents(n int) memoirtest.Files {
	files := memoirtest.Files{}
	for i := range n {
		files[fmt.Sprintf("agent-%03d/memory/a.md", i)] = memoirtest.Note(fmt.Sprintf("Fact %d", i), memories.Types()[i%4], "Known.")
	}
	return files
}

func TestHome_RowPerAgent(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{
		"ada/memory/tabs.md":      memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/no_type.md":   "Just words.\n",
		"grace/memory/release.md": memoirtest.Note("Release", memories.Project, "On Tuesdays."),
		"empty/memory/.keep":      "",
	})
	page := s.get(t, "/")
	page.expect(http.StatusOK, "All clear.", "1 without memories", "Show all")
	if got := page.each(".agents tbody .who a"); len(got) != 2 || !slices.Contains(got, "ada") || !slices.Contains(got, "grace") {
		t.Errorf("rows: %q", got)
	}
	row := page.Find("#agent-ada")
	if got := row.Find("a").AttrOr("href", ""); got != adaList {
		t.Errorf("the row leads to %q", got)
	}
	if got := words(row.Find("td").Eq(1)) + " " + words(row.Find("td").Eq(2)); got != "2 +2" {
		t.Errorf("memories, and learned this week: %q", got)
	}
	if got := words(page.Find(".home-tile").Eq(1)); !strings.Contains(got, "+3") {
		t.Errorf("learned by all: %q", got)
	}
	if got := s.get(t, "/?show=all").Find(".agents tbody tr").Length(); got != 3 {
		t.Errorf("%d rows of all agents", got)
	}
}

func TestHome_FilterAndSort(t *testing.T) {
	t.Parallel()
	files := manyAgents(3)
	files["agent-001/memory/b.md"] = memoirtest.Note("Second", memories.User, "Known.")
	s := serve(t, files)
	for path, want := range map[string]string{
		"/?sort=name": "agent-000 agent-001 agent-002", "/?sort=memories": "agent-001 agent-000 agent-002",
		"/?q=002&sort=name": "agent-002", "/?q=nothing": "",
	} {
		if got := strings.Join(s.get(t, path).each(".agents tbody .who a"), " "); got != want {
			t.Errorf("%s has %q, want %q", path, got, want)
		}
	}
	s.get(t, "/?q=nothing").expect(http.StatusOK, "No results for “ nothing ”")
	for _, path := range []string{"/?sort=colour", "/?show=some"} {
		s.get(t, path).expect(http.StatusNotFound)
	}
}

func TestHome_PartIsTheList(t *testing.T) {
	t.Parallel()
	s := serve(t, manyAgents(2))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.address+"/?q=001", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("HX-Request-Type", "partial")
	request.Header.Set("HX-Target", "div#list")
	page := s.send(t, request)
	if page.Find("main").Length() != 0 || page.Find("#list tbody tr").Length() != 1 {
		t.Errorf("the part is %s", page.raw)
	}
}

func TestHome_News(t *testing.T) {
	t.Parallel()
	same := strings.Replace(memoirtest.Note("Plan", memories.Feedback, "One."), "description: About Plan", "description: Asks for a plan.", 1)
	s := serve(t, memoirtest.Files{
		"ada/memory/plan.md": same, "grace/memory/plan.md": same,
		"grace/memory/key.md": memoirtest.Note("Key", memories.Reference, "The token is ghp_Zz9Yy8Xx7Ww6Vv5Uu4Tt3Ss2Rr1Qq0Pp9Oo8"),
	})
	page := s.get(t, "/")
	if got := page.each(".news li"); len(got) != 1 || !strings.HasPrefix(got[0], "Asks for a plan. 2 agents") {
		t.Errorf("the news are %q", got)
	}
	markdown := s.get(t, page.Find("a[data-copies]").AttrOr("href", ""))
	if !strings.HasPrefix(markdown.Header.Get("Content-Type"), "text/markdown") || !strings.Contains(markdown.raw, "\n- Asks for a plan. (") || strings.Contains(markdown.raw, "Key") {
		t.Errorf("the Markdown is %q", markdown.raw)
	}
}

func TestHome_Empty(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, nil)
	s := serveMemoir(t, m, setting{addSamples: func() error { return nil }})
	page := s.get(t, "/")
	page.expect(http.StatusOK, "No agents yet", "Add sample agents")
	if got := page.each(".watched li"); !slices.Equal(got, []string{m.Dir + " ✓"}) {
		t.Errorf("watched are %q", got)
	}
}

// TestHome_Large checks that the page of many agents stays small.
func TestHome_Large(t *testing.T) {
	t.Parallel()
	s := serve(t, manyAgents(200))
	page := s.get(t, "/")
	shown := map[string]bool{}
	for _, words := range []string{"1 to 100 of 200 Next 100", "101 to 200 of 200 Previous 100"} {
		page.expect(http.StatusOK, words)
		page.Find(".agents tbody tr").Each(func(_ int, row *selection) { shown[row.AttrOr("id", "")] = true })
		page = s.get(t, page.Find(".home-rest a").AttrOr("href", ""))
	}
	if len(shown) != 200 {
		t.Errorf("%d agents on both pages, want 200", len(shown))
	}
	if n := len(s.get(t, "/palette").raw); n > 20_000 {
		t.Errorf("the palette has %d bytes", n)
	}
}

func TestFaultB14_FortyAgents(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	files := manyAgents(40)
	files["infra/memory/a.md"] = memoirtest.Note("Terraform", memories.Project, "Plans are reviewed.")
	s := serve(t, files)
	atDesk(func(t *testing.T, browser context.Context) {
		p := open(t, browser, s, "/", person{})
		p.live()
		p.until(`[...document.querySelectorAll(".agents tbody tr")].every(row => row.getBoundingClientRect().height <= 46.5)`)
		p.press("j")
		p.until(`document.activeElement.matches(".agents a[data-open]")`)
		p.press("/")
		p.until(`document.activeElement.id === "agents-filter"`)
		p.types("infr")
		p.until(`document.querySelectorAll(".agents tbody tr").length === 1 && location.search.includes("q=infr")`)
		p.press(kb.Escape, kb.Escape)

		p.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(2))) // Ctrl
		p.until(`document.activeElement.id === "palette-field"`)
		p.types("inf")
		p.follow(chromedp.KeyEvent(kb.Enter))
		p.until(`location.pathname.startsWith("/agents/infra/memory")`)
	})(t, browser)
	page := s.get(t, "/?q=infra")
	if got := bytes.Count([]byte(words(page.Find("#agent-infra"))), []byte("infra")); got != 1 {
		t.Errorf("the row names the agent %d times", got)
	}
}

func TestFaultB15_HomeLeadsWithTheQueue(t *testing.T) {
	t.Parallel()
	s := reviewing(t, oneOfEach(), setting{})
	page := s.get(t, "/")
	first := page.Find("main .home-tile").First()
	if got := words(first); !strings.HasPrefix(got, "Waiting for you") || !strings.Contains(got, "about") || !strings.Contains(got, "safety") {
		t.Errorf("the first tile says %q", got)
	}
	if got := page.Find("main .primary"); got.Length() != 1 || got.AttrOr("href", "") != "/review" {
		t.Error("the one primary button does not lead to the review")
	}
	first.Find(".home-chips a").Each(func(_ int, chip *selection) {
		review := s.get(t, chip.AttrOr("href", ""))
		if review.StatusCode != http.StatusOK {
			t.Errorf("%s answers %d", words(chip), review.StatusCode)
		}
	})
}

func TestHome_FitsEveryScreen(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	s := reviewing(t, oneOfEach(), setting{})
	fits(t, browser, s, "/", "/?q=nothing", "/search", "/search?q=type:project+the", "/search?q=zzqq", "/search?q=ada")

	p := open(t, browser, s, "/", person{})
	p.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(2))) // Ctrl
	p.until(`document.querySelectorAll("#palette [role=option]").length > 3`)
	p.passes(axeCore(t), "the palette")
}

func TestHome_NamesHaveRoom(t *testing.T) {
	t.Parallel()
	atDesk(func(t *testing.T, browser context.Context) {
		files := memoirtest.Files{}
		for _, agent := range []string{"code-reviewer", "release-captain"} {
			files[agent+"/memory/tabs.md"] = memoirtest.Note("Tabs", memories.User, "Use tabs.")
		}
		p := open(t, browser, serve(t, files), "/", person{})
		if cut := p.list(`[...document.querySelectorAll(".agents .who, .agents .wide")].filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent.trim())`); len(cut) > 0 {
			t.Errorf("cut off: %q", cut)
		}
	})(t, startBrowser(t))
}
