package pages_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/go-chi/chi/v5"

	"memoir/examples"
	"memoir/internal/findings"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/web/templates/address"
)

// TestPages_Looks checks that every page is accessible and fits every screen.
func TestPages_Looks(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)
	for name, check := range map[string]func(*testing.T, context.Context){
		"every page is accessible and fits its screen":    everyPageFits,
		"hostile memories neither run nor break the page": hostileIsHarmless,
		"who may not come in sees accessible pages":       gatePagesFit,
		"the sync page follows the disk, agent by agent":  onPhone(meterFollows),
		"the first view of the Memory tab is light":       firstViewIsLight,
		"live updates move nothing under the reader":      liveUpdatesMoveNothing,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, browser)
		})
	}
}

// look is a screen size, a colour scheme and the rules to check.
type look struct {
	name          string
	width, height int64
	scheme        string
	rules         string // option runOnly of axe-core; rules that depend on the document only run once
}

// looks are both schemes on a wide and a narrow screen, and each width. Both narrow screens have
// the layout of a phone.
var looks = []look{
	{"wide and light", 1280, 900, "light", ``},
	{"wide and dark", 1280, 900, "dark", `"color-contrast"`},
	{"on a phone in the dark", 390, 844, "dark", `"color-contrast", "target-size", "scrollable-region-focusable"`},
	{"in a window of 320 pixels, or enlarged to that", 320, 640, "light", `"color-contrast", "target-size", "scrollable-region-focusable"`},
}

func everyPageFits(t *testing.T, browser context.Context) {
	lived, linked := livedIn(t), linkedProject(t)
	sharing, _ := sharingSite(t)
	fits(t, browser, lived, lived.everyPage(t)...)
	fits(t, browser, linked, "/agents/old/about", "/agents/old/memory", "/agents/new/about")
	fits(t, browser, sharing, adaList, "/agents/ada/context", pageOf(sharing.Memory("ada", "Tabs")),
		address.MemoryPath("team", sharing.Memory("team", "Tabs").ID))
}

// fits checks pages of a site with axe-core and for overflow.
func fits(t *testing.T, browser context.Context, s *site, addresses ...string) {
	t.Helper()
	axe := axeCore(t)
	for some := range slices.Chunk(addresses, pagesPerTab) {
		p := open(t, browser, s, "/", person{allowed: []string{"404 (Not Found)"}})
		for _, address := range some {
			p.follow(chromedp.Navigate(s.address + address))
			p.passes(axe, address)
		}
	}
}

// pagesPerTab limits the work of one tab, so that it ends in time.
const pagesPerTab = 8

// passes checks the open page with axe-core and for overflow, in every look.
func (p *tab) passes(axe, name string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](axe),
		chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach(d => { d.open = true; })`))
	faults := map[string][]string{} // with the looks that have them
	for _, look := range looks {
		p.seen(look)
		for _, fault := range append(p.violations(look.rules), p.cutOff()...) {
			faults[fault] = append(faults[fault], look.name)
		}
	}
	for fault, seen := range faults {
		p.t.Errorf("%s, %s: %s", name, strings.Join(seen, "; "), fault)
	}
}

// gatePagesFit checks the pages of package gate.
func gatePagesFit(t *testing.T, browser context.Context) {
	axe := axeCore(t)
	s := serveMemoir(t, memoirtest.Start(t, twoMemories()), setting{token: "open-sesame"})
	p := open(t, browser, s, "/", person{allowed: []string{"403 (Forbidden)"}})
	p.passes(axe, "the sign-in")
	p.do(chromedp.SendKeys(chromedp.CSS("#token"), "wrong"))
	p.follow(chromedp.Click(chromedp.CSS(".sign-in button")))
	p.shows("Wrong token. Use the value of --token.")
	p.passes(axe, "the sign-in after a wrong token")

	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<form method="post" action="`+s.address+`/scan"><button>Win</button></form>`)
	}))
	t.Cleanup(elsewhere.Close)
	p.follow(chromedp.Navigate(elsewhere.URL))
	p.follow(chromedp.Click(chromedp.CSS("button")))
	p.shows("Request from another site")
	p.passes(axe, "a write from another site")
}

// axeCore returns the script of axe-core.
func axeCore(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile("../../tools/axe/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatalf("axe-core is missing (scripts/setup axe): %v", err)
	}
	return string(script)
}

// seen sets the screen and the scheme of a look.
func (p *tab) seen(as look) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(as.width, as.height))
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: as.scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}

// violations returns the violations of rules that axe-core finds. If rules is empty, it checks all
// rules, best practices included.
func (p *tab) violations(rules string) []string {
	p.t.Helper()
	options := `{resultTypes: ["violations"], rules: {"target-size": {enabled: true}}}`
	if rules != "" {
		options = `{resultTypes: ["violations"], runOnly: [` + rules + `]}`
	}
	return p.list(`axe.run(document, ` + options + `).then(found => {
		if (found.passes.length === 0) return ["axe-core found nothing to look at"];
		const largeEnough = (node) => { // axe-core ignores labels and links in text
			const target = document.querySelector(node.target[0]), label = target?.closest("label");
			const row = target?.matches("a[data-open]") && target.closest("[data-row]"); // its link covers the row
			return target?.closest("pre") || target?.matches("p > a") || row && row.offsetHeight >= 24 || label && label.offsetHeight >= 24 && label.offsetWidth >= 24;
		};
		return found.violations.flatMap(rule => rule.nodes.filter(node => rule.id !== "target-size" || !largeEnough(node)).slice(0, 3).map(
			node => rule.id + ": " + rule.help + ": " + node.target.join(" ") + ": " +
				[...node.any, ...node.all, ...node.none].map(check => check.message).join(" ")));
	})`)
}

// cutOff returns the elements outside the window that cannot be scrolled into view, and that no
// ellipsis shortens.
func (p *tab) cutOff() []string {
	p.t.Helper()
	return p.list(`(() => {
		const width = document.documentElement.clientWidth;
		const scrolls = (e) => e && (["auto", "scroll"].includes(getComputedStyle(e).overflowX) || getComputedStyle(e).textOverflow === "ellipsis" || scrolls(e.parentElement));
		const out = [...document.body.querySelectorAll("*")].filter(e => {
			const at = e.getBoundingClientRect();
			return e.checkVisibility() && at.width > 0 && (at.right > width + 1 || at.left < -1) && !e.closest(".unseen, .skip, .sprite") && !scrolls(e.parentElement);
		}).map(e => "cut off: " + e.tagName + "." + e.className + " “" + e.textContent.trim().slice(0, 40) + "”");
		if (document.documentElement.scrollWidth > width) out.push("the page scrolls sideways");
		return out.slice(0, 5);
	})()`)
}

func (p *tab) list(expression string) []string {
	p.t.Helper()
	return evaluate[[]string](p, expression)
}

func (p *tab) holds(expression string) bool {
	p.t.Helper()
	return evaluate[bool](p, expression)
}

// livedIn returns a site with content for every page: the sample agents after some use, and an
// agent that has just lost most memories.
func livedIn(t *testing.T) *site {
	t.Helper()
	files := memoirtest.Files{}
	for _, name := range strings.Fields("a b c d e f g h i j k l") {
		files["forgetful/memory/"+name+".md"] = memoirtest.Note("Note "+name, memories.Project, "Remember "+name+".")
	}
	m := memoirtest.Start(t, nil)
	if err := examples.Copy(m.Dir); err != nil {
		t.Fatal(err)
	}
	for path, text := range files {
		m.Write(path, text)
	}
	m.Write("untidy/memory/a.md", memoirtest.Note("Note a", memories.Project, "Remember a."))
	m.Write("untidy/memory/MEMORY.md", "<!-- mine -->\n- [Gone](gone.md)\n"+strings.Repeat("long ", 60)+longIndex(210))
	m.Write("untidy/CLAUDE.md", "# Mine\n\n<!-- memoir:begin -->\n<!-- memoir:begin -->\n")
	for path, text := range oneOfEach() {
		m.Write(path, text)
	}
	d := &decider{}
	s := serveMemoir(t, m, setting{decider: d})
	s.scanAll()
	for path := range files {
		if !strings.HasSuffix(path, "/a.md") {
			m.Remove(path)
		}
	}
	s.change(t, http.MethodPatch, "small-diffs", `{"body":"Ask for a split past 300 changed lines.\n\n**Why:** reviews past that find half as much."}`)
	gone := m.Read("code-reviewer/memory/feedback_blocking_vs_nit.md")
	s.change(t, http.MethodDelete, "Blocking or nit", "")
	for i, query := range strings.Split("How large may a pull request be before I ask for a split?\nWhen are migrations frozen?\nlgtm\nWhat is the weather in Oslo tomorrow?", "\n") {
		s.asks("code-reviewer", fmt.Sprintf("U0%d-C0-1741512345.123456", i), slices.Repeat([]string{query}, 20)...)
	}
	m.Write("code-reviewer/memory/nits.md", gone)
	s.propose(t, "code-reviewer", "small-diffs", memories.Feedback, "Ask for a split past 200 changed lines.\n\n**Why:** they said so.")
	s.propose(t, "code-reviewer", "Tuesdays are for reviews", memories.Project, "Reviews are asked for on Mondays.")
	for _, log := range []string{"2026/01/2026-01-31.md", "2026/02/2026-02-01.md", "2026/02/01/17-plan.md", "2026/03/2026-03-02.md"} {
		m.Write("code-reviewer/memory/logs/"+log, "# Plan\n\n- 09:00:00 Split the *large* request\n")
	}
	m.Write("code-reviewer/memory/logs/notes.md", "No entry.\n")
	m.Write("code-reviewer/session-memory/U01-C0-1741512345.123456/memory.md", "# Where we are\n\nThe request is split.\n")
	s.scanAll()
	d.Reviewer = examine(t, m)
	for _, name := range []string{"ines", "nightly report of a very long name that says what it is"} {
		s.post(t, "/access", url.Values{"name": {name}, "scope": {"read"}, "agents": {"code-*, on-call, data-analyst, forgetful, untidy"}, "days": {"30"}}).expect(http.StatusOK, "Token of "+name)
	}
	return s
}

func (s *site) scanAll() {
	s.Helper()
	if _, err := s.Engine.ScanAll(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// change makes an API call about a memory of the code reviewer.
func (s *site) change(t *testing.T, method, name, body string) {
	t.Helper()
	path := s.address + "/api/v1/agents/code-reviewer/memories/" + s.Memory("code-reviewer", name).ID
	request, err := http.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if answer := s.send(t, request); answer.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s", method, path, answer.raw)
	}
}

// noPages are addresses that answer GET but are not pages for users.
var noPages = map[string]string{
	"/static/*":                      "assets",
	"/favicon.ico":                   "leads to an asset",
	"/agents/{slug}/":                "leads to the Memory tab",
	"/agents/{slug}":                 "leads to the Memory tab",
	"/agents/{slug}/memory/{id}/raw": "the file's own text",
	"/palette":                       "a part of every page",
	"/exchange/apply":                "leads to the page of imports",
	"/access/{id}/revoke":            "leads to the page Access",
	"/undo/{event}":                  "leads to the timeline",
	"/review/summary.svg":            "a picture of the review's end card",
	"/review/summary.md":             "the text of the review's end card",
}

// everyPage follows the links of the site and returns an address of each kind of page. The test
// fails for a route without a link to it.
func (s *site) everyPage(t *testing.T) []string {
	t.Helper()
	const reviewer = "/agents/code-reviewer"
	all, visited := s.walk(t,
		"/", reviewer+"/memory",
		reviewer+"/memory/"+s.Memory("code-reviewer", "CI cache is per branch").ID,
		reviewer+"/memory?q=nothing-has-these-words",
		reviewer+"/memory/batch/deletion?memory="+s.Memory("code-reviewer", "Error codes").ID+"&memory="+s.Memory("code-reviewer", "small-diffs").ID,
		reviewer+"/context?q="+url.QueryEscape("How large may a pull request be before I ask for a split?"), reviewer+"/context?q=lgtm", reviewer+"/timeline?show=logs&q=split",
		"/agents/forgetful/memory", "/agents/forgetful/review", "/agents/on-call/review?kind=broken", "/review?view=snoozed", "/review/batch?kind=expired", "/agents/data-analyst/memory", "/agents/on-call/context",
		"/agents/untidy/context?file=memory-md", "/agents/untidy/context", "/agents/forgetful/context?file=memory-md",
		"/review", "/review?q=nowhere", "/review?kind=suggestion", "/review?kind=conflict", "/agents/ada/review", "/agents/ada/review?kind=duplicate,secret", s.itemPath(t, findings.Secret), s.itemPath(t, findings.Contradiction),
		"/there-is-no-such-page",
	)
	err := chi.Walk(s.routes, func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if method == http.MethodGet && !visited[route] && noPages[route] == "" && !s.isMoved(t, route) {
			t.Errorf("nothing leads to %s: link to it, or say among noPages what it is", route)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// isMoved reports whether the route only redirects to the page that replaced it.
func (s *site) isMoved(t *testing.T, route string) bool {
	t.Helper()
	address := strings.NewReplacer("{slug}", "ada", "{id}", "x", "{session}", "x", "{day}", "2026-01-02").Replace(route)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.address+address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close() //nolint:errcheck // not read
	return answer.StatusCode == http.StatusMovedPermanently
}

// walk visits the given addresses, and from there one address of each kind of page. It returns the
// addresses and their routes.
func (s *site) walk(t *testing.T, from ...string) (all []string, visited map[string]bool) {
	t.Helper()
	waiting := from
	known, visited := map[string]bool{}, map[string]bool{}
	for i := 0; i < len(waiting); i++ {
		route, kind := s.kindOf(t, waiting[i])
		if known[kind] && i >= len(from) || strings.Contains(kind, "&") && i >= len(from) {
			continue
		}
		known[kind] = true
		page := s.get(t, waiting[i])
		visited[route] = true
		if !strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") {
			continue
		}
		all = append(all, waiting[i])
		waiting = append(waiting, linksOf(page)...)
	}
	return all, visited
}

// kindOf returns the route of an address, and the kind of its page: the route and, for lists, the
// query's fields.
func (s *site) kindOf(t *testing.T, address string) (route, kind string) {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	route = s.routes.Find(chi.NewRouteContext(), http.MethodGet, parsed.EscapedPath())
	if strings.Contains(route, "{id}") {
		return route, route
	}
	fields := url.Values{}
	for name := range parsed.Query() {
		fields.Set(name, "")
	}
	return route, route + "?" + fields.Encode()
}

// linksOf returns the addresses of pages that a page links to.
func linksOf(page *answer) []string {
	var links []string
	page.Find("a[href]").Each(func(_ int, a *selection) {
		to, err := page.Request.URL.Parse(a.AttrOr("href", ""))
		if err == nil && to.Host == page.Request.URL.Host && !strings.HasPrefix(to.Path, "/api/") && !strings.HasPrefix(to.Path, address.SignInPath) {
			to.Fragment = ""
			links = append(links, to.RequestURI())
		}
	})
	return links
}
