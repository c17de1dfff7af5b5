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
	waittest.For(s, "both agents", func() bool { return len(s.get(t, "/search?q=about").names()) == 3 })
	return s
}

func TestSearch_MarksHits(t *testing.T) {
	t.Parallel()
	s := harbour(t)
	page := s.get(t, "/search?q=FERR")
	page.expect(http.StatusOK, "2 memories found for “FERR”")
	if got := page.names(); !slices.Equal(got, []string{"Ferry times", "Release day"}) {
		t.Errorf("found %q", got)
	}
	if got := page.each(".row mark"); !slices.Equal(got, []string{"Ferr", "Ferr", "ferr"}) {
		t.Errorf("marked %q", got)
	}
	if got := page.each(".row .of-agent"); !slices.Equal(got, []string{"grace", "ada"}) {
		t.Errorf("of the agents %q", got)
	}
	if got := page.Find(".row .excerpt").Last().Text(); got != "We release on Tuesdays, in the ferry's low season." {
		t.Errorf("the excerpt is %q", got)
	}
	if got := page.Find(".row h3 a").First().AttrOr("href", ""); got != pageIn("grace", s.Memory("grace", "Ferry times")) {
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
	s.get(t, "/search").expect(http.StatusOK, "What are you looking for?")
	s.get(t, "/search?q=+%00").expect(http.StatusOK, "What are you looking for?")
	s.get(t, "/search?q=zzzz").expect(http.StatusOK, "0 memories found for “zzzz”", "Nothing is found", "Search in the trash")
	s.get(t, "/search?q=tea&type=project").expect(http.StatusOK, "Nothing is found", "Search in all that is remembered")
	s.get(t, "/search?q=...").expect(http.StatusOK, "Nothing is found")

	near := s.get(t, "/search?q=releese")
	near.expect(http.StatusOK, "No memory has all of “releese”. 1 comes close.", "Release day")
	if got := near.each(".row h3 mark"); !slices.Equal(got, []string{"Release"}) {
		t.Errorf("marked %q", got)
	}

	s.post(t, pageIn("ada", s.Memory("ada", "Tea"))+"/delete", nil)
	s.get(t, "/search?q=tea").expect(http.StatusOK, "Nothing is found")
	s.get(t, "/search?q=tea&state=deleted").expect(http.StatusOK, "1 memory in the trash found", "in the trash")

	s.get(t, "/search?q=a&type=opinion").expect(http.StatusBadRequest, "“type” can only be feedback, user, project or reference.")
	s.get(t, "/search?q=a&state=missing").expect(http.StatusBadRequest, "deleted")
	s.get(t, "/search?q=a&cursor=x").expect(http.StatusBadRequest, "leave it out to start from the first page")
}

func TestSearch_IndexIncomplete(t *testing.T) {
	t.Parallel()
	const partial = "The search index is still being filled"
	s := harbour(t)
	waittest.For(s, "the index", s.Engine.Searchable)
	if page := s.get(t, "/search?q=ferry"); strings.Contains(page.Text(), partial) || page.Find("#asking-again").Length() != 0 {
		t.Error("a complete index is called partial")
	}
	s.get(t, "/sync").expect(http.StatusOK, "complete", "what comes close")

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
	page.expect(http.StatusOK, "0 memories found for “berth”", partial)
	if got := page.Find("#asking-again").AttrOr("hx-get", ""); got != "/search?q=berth" {
		t.Errorf("the page asks again for %q", got)
	}
	s.get(t, "/sync").expect(http.StatusOK, "being filled")

	if err := reading.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	waittest.For(s, "the index", s.Engine.Searchable)
	page = s.get(t, "/search?q=berth")
	page.expect(http.StatusOK, "201 memories found for “berth”")
	if strings.Contains(page.Text(), partial) {
		t.Error("a complete index is called partial")
	}
}

func TestSearch_HitsAreEscaped(t *testing.T) {
	t.Parallel()
	const hostile = `<script>alert(1)</script> <img src=x onerror=alert(2)> hostile`
	s := serve(t, memoirtest.Files{"ada/memory/h.md": "---\nname: 'hostile <b>name</b>'\ndescription: 'hostile <i>text</i>'\ntype: user\n---\n" + hostile})
	page := s.get(t, "/search?q="+url.QueryEscape(`hostile <b>`))
	page.expect(http.StatusOK, "1 memory found for “hostile <b>”")
	if n := page.Find("main script, main img, main b, main i").Length(); n != 0 {
		t.Errorf("%d elements of a memory are in the page", n)
	}
	if got := page.Find(".row h3").Text(); got != "hostile <b>name</b>" {
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
		page.expect(http.StatusOK, "120 memories found")
		for _, name := range page.names() {
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
	for _, path := range []string{"/", "/sync", "/activity", adaList, "/nowhere"} {
		page := s.get(t, path)
		form := page.Find("header form").Has("#site-search")
		if form.AttrOr("action", "") != "/search" || form.AttrOr("method", "") != "get" || page.Find("#site-search").AttrOr("name", "") != "q" {
			t.Errorf("%s has no search in its header", path)
		}
		if page.Find(`header nav a[href="/search"]`).Length() != 1 {
			t.Errorf("%s has no link to the search", path)
		}
	}
	if page := s.get(t, "/search"); page.Find("#site-search").Length() != 0 || page.Find(`main input[name="q"]`).Length() != 1 {
		t.Error("the search page has not one field")
	}
}

// TestSearch_InBrowser uses the search field in the header. A
// phone's header has a link instead.
func TestSearch_InBrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	everywhere(func(t *testing.T, browser context.Context) {
		s := harbour(t)
		p := open(t, browser, s, "/", person{})
		p.searchFor("harb")
		p.shows("1 memory found for “harb”")
		p.live()
		p.mark()
		p.do(chromedp.SendKeys("#q", kb.End+"our"))
		p.until(`location.search === "?q=harbour"`)
		p.shows("1 memory found for “harbour”")
		p.do(chromedp.SendKeys("#q", kb.End+"x"))
		p.shows("No memory has all of “harbourx”. 1 comes close.")
		p.isMarked()
		s.Write("ada/memory/new.md", memoirtest.Note("New", memories.User, "The harbourx is new."))
		p.shows("1 memory found for “harbourx”")
		p.isMarked()
		p.until(`document.querySelector("#q").value === "harbourx" && document.activeElement.id === "q"`)
		p.follow(chromedp.Click(`.row h3 a`))
		p.shows("The harbourx is new.")
	})(t, browser)
}

func TestSearch_WithoutScripts(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	everywhere(func(t *testing.T, browser context.Context) {
		p := open(t, browser, harbour(t), "/", person{withoutScripts: true})
		p.searchFor("tuesd")
		p.shows("1 memory found for “tuesd”")
		p.follow(chromedp.SendKeys("#q", kb.End+"aq\r"))
		p.shows("No memory has all of “tuesdaq”. 1 comes close.")
		p.follow(chromedp.Click(`.row h3 a`))
		p.shows("We release on Tuesdays")
	})(t, browser)
}

// searchFor searches from the header.
func (p *tab) searchFor(text string) {
	p.t.Helper()
	if evaluate[bool](p, `document.getElementById("site-search").checkVisibility()`) {
		p.follow(chromedp.SendKeys("#site-search", text+"\r"))
	} else {
		p.follow(chromedp.Click(`.site nav a[href="/search"]`))
		p.do(chromedp.SendKeys("#q", text+"\r"))
	}
	p.at("/search")
}
