package pages_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/waittest"
)

// harbour returns a site with two agents that both know about ferries.
func harbour(t *testing.T) *site {
	t.Helper()
	s := serve(t, memoirtest.Files{
		"ada/memory/release.md": memoirtest.Note("Release day", memories.Project, "We release on Tuesdays, in the **ferry's** low season."),
		"ada/memory/tea.md":     memoirtest.Note("Tea", memories.User, "Mira drinks green tea."),
		"grace/memory/ferry.md": memoirtest.Note("Ferry times", memories.Reference, "They leave the harbour at six."),
	})
	waittest.For(s, "both agents", func() bool { return len(s.get(t, "/search?q=about").hits()) == 3 })
	return s
}

// hits returns the names of the memories that a search found, best first.
func (a *answer) hits() []string {
	return a.Find(".hit h3 a").Map(func(_ int, s *selection) string { return strings.Join(strings.Fields(s.Text()), " ") })
}

func TestSearch_MarksHits(t *testing.T) {
	t.Parallel()
	s := harbour(t)
	page := s.get(t, "/search?q=FERR")
	page.expect(http.StatusOK, "2 memories")
	if got := page.hits(); !slices.Equal(got, []string{"Ferry times", "Release day"}) {
		t.Errorf("found %q", got)
	}
	if got := page.each(".hit mark"); !slices.Equal(got, []string{"Ferr", "Ferr", "ferr"}) {
		t.Errorf("marked %q", got)
	}
	if got := page.each(".hit .of-agent"); !slices.Equal(got, []string{"grace", "ada"}) {
		t.Errorf("of the agents %q", got)
	}
	if got := strings.TrimSpace(page.Find(".hit .excerpt").Last().Text()); got != "We release on Tuesdays, in the ferry's low season." {
		t.Errorf("the excerpt is %q", got)
	}
	if got := page.Find(".hit h3 a").First().AttrOr("href", ""); got != pageIn("grace", s.Memory("grace", "Ferry times"))+"?from=search&q=FERR" {
		t.Errorf("it leads to %q", got)
	}
	if got := page.Find("main").AttrOr("data-events", ""); got != "/api/v1/events" {
		t.Errorf("the page follows %q", got)
	}
}

func pageIn(agent string, m memories.Memory) string { return "/agents/" + agent + "/memory/" + m.ID }

func TestSearch_SaysNumbers(t *testing.T) {
	t.Parallel()
	s := harbour(t)
	if page := s.get(t, "/search"); len(page.hits()) != 0 || page.Find(".empty").Length() != 0 {
		t.Error("without a query, the page has results")
	}
	s.get(t, "/search?q=+%00").expect(http.StatusOK, "type:project")
	s.get(t, "/search?q=zzzz").expect(http.StatusOK, "No results for “ zzzz ”", "search the trash")
	s.get(t, "/search?q=type:project+tea").expect(http.StatusOK, "No results for", "Search without filters")
	if page := s.get(t, "/search?q=type:project"); words(page.Find(".empty")) != "Add a word Or list all memories ." {
		t.Errorf("filters alone say %q", words(page.Find(".empty")))
	}
	if page := s.get(t, "/search"); slices.Contains(page.each(".term"), "is:stale") {
		t.Error("a filter after two days is offered, which no page calls stale")
	}
	s.get(t, "/search?q=...").expect(http.StatusOK, "No results for")

	near := s.get(t, "/search?q=releese")
	near.expect(http.StatusOK, "No exact results for “releese”. 1 similar memory", "Release day")
	if got := near.each(".hit h3 mark"); !slices.Equal(got, []string{"Release"}) {
		t.Errorf("marked %q", got)
	}

	s.post(t, pageIn("ada", s.Memory("ada", "Tea"))+"/delete", nil)
	s.get(t, "/search?q=tea").expect(http.StatusOK, "No results for")
	s.get(t, "/search?q=is:trash+tea").expect(http.StatusOK, "1 memory", "Trash")
	s.get(t, "/search?q=a&cursor=x").expect(http.StatusBadRequest, "leave it out to start from the first page")
}

func TestSearch_Filters(t *testing.T) {
	t.Parallel()
	s := harbour(t)
	s.Write("ada/memory/project_pier.md", fmt.Sprintf("---\nname: Pier\ntype: project\nmetadata:\n  modified: %s\n---\n\nThe pier is closed.\n", time.Now().AddDate(0, 0, -31).Format(time.RFC3339)))
	s.Scan("ada")
	for query, want := range map[string][]string{
		"ferry type:reference": {"Ferry times"},
		"ferry agent:ada":      {"Release day"},
		"agent:grace":          {"Ferry times"},
		"agent:nobody ferry":   {},
		"ferry is:stale":       {},
		"ferry is:team":        {},
		"ferry is:unchecked":   {},
		"pier is:unchecked":    {"Pier"},
		"type:opinion":         {},
	} {
		if got := s.get(t, "/search?q="+url.QueryEscape(query)).hits(); !slices.Equal(got, want) {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
	page := s.get(t, "/search?q=agent:ada+type:project+ferry")
	if got := page.each(".term[aria-current]"); !slices.Equal(got, []string{"Remove agent:ada", "Remove type:project"}) {
		t.Errorf("the chips are %q", got)
	}
	if got := page.Find(".term[aria-current]").First().AttrOr("href", ""); got != "/search?q=type%3Aproject+ferry" {
		t.Errorf("without the first chip: %q", got)
	}
	if got := s.get(t, "/search?q=tea&type=project&state=deleted").Request.URL.String(); !strings.HasSuffix(got, "/search?q=type%3Aproject+is%3Atrash+tea") {
		t.Errorf("the earlier address leads to %s", got)
	}
}

func TestSearch_NamesAgents(t *testing.T) {
	t.Parallel()
	s := harbour(t)
	page := s.get(t, "/search?q=gra")
	if got := words(page.Find(".found-group").First()); got != "Agents 1 gra ce 1 memory" {
		t.Errorf("the agents are %q", got)
	}
	if got := page.Find(".hit a").First().AttrOr("href", ""); got != "/agents/grace/memory" {
		t.Errorf("the agent leads to %q", got)
	}
}

func TestSearch_LeadsBack(t *testing.T) {
	t.Parallel()
	s := harbour(t)
	opened := s.get(t, s.get(t, "/search?q=low+season").Find(".hit h3 a").AttrOr("href", ""))
	opened.expect(http.StatusOK, "Release day", "Back to results", "Tea") // the list is not filtered
	if got := opened.Find("a[data-back]").First().AttrOr("href", ""); got != "/search?q=low+season" {
		t.Errorf("back leads to %q", got)
	}
	if got := s.get(t, pageIn("ada", s.Memory("ada", "Tea"))).Find(".back-to-results").Length(); got != 0 {
		t.Error("a memory that was not found by a search leads to one")
	}
}

func TestSearch_IndexIncomplete(t *testing.T) {
	t.Parallel()
	const partial = "Index incomplete. Results may be missing."
	s := harbour(t)
	waittest.For(s, "the index", s.Engine.Searchable)
	if page := s.get(t, "/search?q=ferry"); strings.Contains(page.Text(), partial) || page.Find("#asking-again").Length() != 0 {
		t.Error("a complete index is called partial")
	}
	s.get(t, "/sync").expect(http.StatusOK, "Search index Complete")

	conn, err := pgx.Connect(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context()) //nolint:errcheck // the test is over
	reading, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reading.Exec(t.Context(), "LOCK TABLE memory_search IN SHARE MODE"); err != nil {
		t.Fatal(err)
	}
	// Many files at once are listed first and become searchable later.
	many := filepath.Join(t.TempDir(), "many")
	if err := os.MkdirAll(filepath.Join(many, "memory"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 201 {
		note := memoirtest.Note(fmt.Sprintf("Berth %d", i), memories.Project, "Where ferries lie.")
		if err := os.WriteFile(filepath.Join(many, "memory", fmt.Sprintf("berth_%d.md", i)), []byte(note), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(many, filepath.Join(s.Dir, "many")); err != nil {
		t.Fatal(err)
	}
	waittest.For(s, "the memories that came at once", func() bool { return !s.Engine.Searchable() })
	page := s.get(t, "/search?q=berth")
	page.expect(http.StatusOK, "No results for “ berth ”", partial)
	if got := page.Find("#asking-again").AttrOr("hx-get", ""); got != "/search?q=berth" {
		t.Errorf("the page asks again for %q", got)
	}
	s.get(t, "/sync").expect(http.StatusOK, "Search index Being built")

	if err := reading.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	waittest.For(s, "the index", s.Engine.Searchable)
	page = s.get(t, "/search?q=berth")
	page.expect(http.StatusOK, "201 memories")
	if strings.Contains(page.Text(), partial) {
		t.Error("a complete index is called partial")
	}
}

func TestSearch_HitsAreEscaped(t *testing.T) {
	t.Parallel()
	const hostile = `<script>alert(1)</script> <img src=x onerror=alert(2)> hostile`
	s := serve(t, memoirtest.Files{"ada/memory/h.md": "---\nname: 'hostile <b>name</b>'\ndescription: 'hostile <i>text</i>'\ntype: user\n---\n" + hostile})
	page := s.get(t, "/search?q="+url.QueryEscape(`hostile <b>`))
	page.expect(http.StatusOK, "1 memory")
	if n := page.Find("main script, main img, main b, main i").Length(); n != 0 {
		t.Errorf("%d elements of a memory are in the page", n)
	}
	if got := strings.TrimSpace(page.Find(".hit h3 a").Text()); got != "hostile <b>name</b>" {
		t.Errorf("the name is %q", got)
	}
}

func TestSearch_Pages(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{}
	for i := range 120 {
		files[fmt.Sprintf("ada/memory/m%d.md", i)] = memoirtest.Note(fmt.Sprintf("Memory %03d", i), memories.User, "The ferry is on time.")
	}
	s := serve(t, files)
	seen := map[string]bool{}
	path, pages := "/search?q=ferry", 0
	for path != "" {
		page := s.get(t, path)
		page.expect(http.StatusOK, "120 memories")
		for _, name := range page.hits() {
			seen[name] = true
		}
		path = page.Find("main .more a[rel=next]").AttrOr("href", "")
		pages++
	}
	if len(seen) != 120 || pages != 3 {
		t.Errorf("%d pages have %d memories", pages, len(seen))
	}
}

func TestSearch_LinkOnEveryPage(t *testing.T) {
	t.Parallel()
	s := harbour(t)
	for _, path := range []string{"/", "/sync", "/timeline", adaList, "/search", "/nowhere"} {
		page := s.get(t, path)
		if got := page.Find(".side [data-palette]").AttrOr("href", ""); got != "/search" {
			t.Errorf("without scripts, the search of %s leads to %q", path, got)
		}
		if page.Find("#palette [role=combobox]").Length() != 1 {
			t.Errorf("%s has no palette", path)
		}
	}
}

func TestSearch_WithoutScripts(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	everywhere(func(t *testing.T, browser context.Context) {
		p := open(t, browser, harbour(t), "/", person{withoutScripts: true})
		p.follow(chromedp.Click(p.paletteLink()))
		p.at("/search")
		p.follow(chromedp.SendKeys("#q", "tuesd\r"))
		p.shows("1 memory")
		p.follow(chromedp.SendKeys("#q", kb.End+"aq\r"))
		p.shows("No exact results for “tuesdaq”.")
		p.follow(chromedp.Click(".hit h3 a"))
		p.shows("We release on Tuesdays")
		p.follow(chromedp.Click(".back-to-results a"))
		p.shows("No exact results for “tuesdaq”.")
	})(t, browser)
}

func TestFaultB20_SearchStays(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	everywhere(func(t *testing.T, browser context.Context) {
		s := harbour(t)
		p := open(t, browser, s, "/search", person{})
		p.live()
		p.mark()
		p.until(`document.activeElement.id === "q"`)
		p.press("/")
		p.until(`document.querySelector("#q").value === ""`)
		p.do(chromedp.SendKeys("#q", "harbour"))
		p.until(`location.search === "?q=harbour"`)
		p.shows("1 memory")
		p.do(chromedp.SendKeys("#q", kb.End+"x"))
		p.shows("No exact results for “harbourx”.")
		p.isMarked()
		s.Write("ada/memory/new.md", memoirtest.Note("New", memories.User, "The harbourx is new."))
		p.until(`document.querySelectorAll(".hit").length === 1 && document.querySelector(".hit h3").textContent.includes("New")`)
		p.isMarked()
		p.until(`document.querySelector("#q").value === "harbourx" && document.activeElement.id === "q"`)
		p.follow(chromedp.Click(".hit h3 a"))
		p.shows("The harbourx is new.")
		p.live()
		p.follow(stroke(kb.Escape))
		p.at("/search")
		p.until(`document.querySelector("#q").value === "harbourx"`)
	})(t, browser)
}
