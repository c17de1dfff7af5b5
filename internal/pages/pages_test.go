package pages_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/go-chi/chi/v5"
	"golang.org/x/net/html"

	"memoir/internal/access/directory"
	"memoir/internal/access/oidc"
	"memoir/internal/access/oidc/oidctest"
	"memoir/internal/agents"
	"memoir/internal/api"
	"memoir/internal/consolidation"
	"memoir/internal/exporter"
	"memoir/internal/gate"
	"memoir/internal/importer"
	"memoir/internal/jobs"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/pages"
	"memoir/internal/postgres/masked"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/verification"
)

// site is a complete Memoir: real files, a real Postgres, and the pages and API behind the gate.
type site struct {
	*memoirtest.Memoir
	address string
	routes  chi.Routes
	log     *journal
	running atomic.Int64 // number of running requests
}

// setting are the differences of a site from the default.
type setting struct {
	addSamples func() error // the sample agents' button; nil for no button
	token      string       // empty if no token is needed
	readToken  string       // empty without readers
	checker    *verification.Checker
	decider    pages.Decider // nil: nobody decides about the review
	// provider is where people sign in, who are principals of the database. It is nil without one.
	provider *oidctest.Provider
}

// serve returns a site with the given files.
func serve(t testing.TB, files memoirtest.Files) *site {
	t.Helper()
	return serveMemoir(t, memoirtest.Start(t, files), setting{})
}

// serveMemoir returns a site of a running Memoir.
func serveMemoir(t testing.TB, m *memoirtest.Memoir, with setting) *site {
	t.Helper()
	s := &site{Memoir: m, log: &journal{}}
	log := slog.New(slog.NewTextHandler(s.log, nil))
	queue, err := jobs.New(m.Store, jobs.Options{Changed: m.Engine.EmitScanned, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	consolidator := consolidation.Start(m.Engine, m.Store, queue, consolidation.Options{Every: time.Hour, Log: log})
	t.Cleanup(consolidator.Close)
	queue.Start(t.Context(), m.Engine.Ready)
	t.Cleanup(queue.Close)
	im := importer.New(m.Engine, m.Store, log)
	mux := http.NewServeMux()
	mux.Handle("/api/", api.New(m.Engine, masked.Store{Store: m.Store}, m.Recaller, api.Options{ClaudeMDLimit: memoirtest.ClaudeMDLimit, Checker: with.checker, Consolidator: consolidator, Exporter: exporter.New(m.Engine, m.Store), Importer: im, Log: log}))
	all := pages.New(m.Engine, masked.Store{Store: m.Store}, m.Recaller, pages.Options{
		Places: agents.Settings{AgentsDir: m.Dir}, AddSamples: with.addSamples, ClaudeMDLimit: memoirtest.ClaudeMDLimit, Checker: with.checker, Consolidator: consolidator, Decider: with.decider, Importer: im, Tokens: directory.New(m.Store, log), Log: log,
	})
	s.routes = all.(chi.Routes)
	mux.Handle("/", all)
	server := httptest.NewUnstartedServer(nil)
	options := gate.Options{Addr: server.Listener.Addr().String(), Token: with.token, ReadToken: with.readToken, SignIns: m.Store, SignIn: pages.SignIn, Refusal: pages.Refusal, Log: slog.New(slog.DiscardHandler)}
	if with.provider != nil {
		options.Principals, options.PublicURL = directory.New(m.Store, log), gate.PublicURL{Scheme: "http", Host: options.Addr}
		options.OIDC = oidc.New(oidc.Options{
			Issuer: with.provider.Issuer, ClientID: oidctest.ClientID, ClientSecret: oidctest.ClientSecret, Claim: oidc.DefaultClaim, RedirectURL: options.PublicURL.Origin() + gate.OIDCCallbackPath,
		})
	}
	around, err := gate.New(options)
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = s.counted(around.Around(mux))
	server.Start()
	t.Cleanup(server.Close)
	t.Cleanup(m.Engine.Hub().Close)
	s.address = server.URL
	return s
}

// counted counts the running requests of the handler.
func (s *site) counted(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.running.Add(1)
		defer s.running.Add(-1)
		handler.ServeHTTP(w, r)
	})
}

// journal is a log that can be read while it is written.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// answer is a response after its redirects.
type answer struct {
	t *testing.T
	*http.Response
	*goquery.Document
	raw string
}

func (s *site) get(t *testing.T, path string) *answer {
	t.Helper()
	return s.getWith(t, path)
}

// getWith is get with headers, as names and values in turns.
func (s *site) getWith(t *testing.T, path string, headers ...string) *answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return s.send(t, request)
}

func (s *site) post(t *testing.T, path string, form url.Values) *answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.address+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return s.send(t, request)
}

func (s *site) send(t *testing.T, request *http.Request) *answer {
	t.Helper()
	return s.sendAs(t, request, testBrowser)
}

// testBrowser is the id of the browser of send.
var testBrowser = strings.Repeat("A", 26)

// getAs is get in the browser with an id.
func (s *site) getAs(t *testing.T, path, browser string) *answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.sendAs(t, request, browser)
}

func (s *site) sendAs(t *testing.T, request *http.Request, browser string) *answer {
	t.Helper()
	jar, err := cookiejar.New(nil) // carries the notice of an action to the page after it
	if err != nil {
		t.Fatal(err)
	}
	if browser != "" {
		jar.SetCookies(request.URL, []*http.Cookie{{Name: "memoir_browser", Value: browser, Path: "/"}})
	}
	response, err := (&http.Client{Jar: jar}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // read to its end below
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	document, err := goquery.NewDocumentFromReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return &answer{t, response, document, string(raw)}
}

// submit posts the form of the button with that text. The text includes parts for screen readers:
// "Delete Tabs".
func (s *site) submit(t *testing.T, page *answer, button string) *answer {
	t.Helper()
	found := page.Find("form button").FilterFunction(func(_ int, b *goquery.Selection) bool { return words(b) == button })
	// The open memory and its row have the same buttons.
	if own := found.Filter("#pane *"); found.Length() > 1 && own.Length() > 0 {
		found = own
	}
	if found.Length() != 1 {
		t.Fatalf("there are %d buttons %q on the page:\n%s", found.Length(), button, words(page.Find("body")))
	}
	form := found.Closest("form")
	fields := url.Values{}
	form.Find("input").Each(func(_ int, field *goquery.Selection) {
		fields.Add(field.AttrOr("name", ""), field.AttrOr("value", ""))
	})
	if name := found.AttrOr("name", ""); name != "" {
		fields.Set(name, found.AttrOr("value", ""))
	}
	return s.post(t, form.AttrOr("action", ""), fields)
}

type selection = goquery.Selection

// words returns the visible text, with single spaces between elements.
func words(s *goquery.Selection) string {
	var all []string
	for _, node := range s.Nodes {
		for inner := range node.Descendants() {
			if inner.Type == html.TextNode {
				all = append(all, strings.Fields(inner.Data)...)
			}
		}
	}
	return strings.Join(all, " ")
}

// expect checks the status, and that the main region or the notices contain all texts.
func (a *answer) expect(status int, says ...string) {
	a.t.Helper()
	text := words(a.Find("main, #notices"))
	if a.StatusCode != status {
		a.t.Errorf("%s answers %d, want %d:\n%s", a.Request.URL, a.StatusCode, status, text)
	}
	for _, part := range says {
		if !strings.Contains(text, part) {
			a.t.Errorf("%s does not say %q but:\n%s", a.Request.URL, part, text)
		}
	}
}

// each returns the text of each selected element.
func (a *answer) each(selector string) []string {
	return a.Find(selector).Map(func(_ int, s *goquery.Selection) string { return words(s) })
}

// names returns the names of the listed memories, from the top.
func (a *answer) names() []string {
	// A hit can be marked inside a word.
	return a.Find(".row h3").Map(func(_ int, s *goquery.Selection) string { return strings.Join(strings.Fields(s.Text()), " ") })
}

const (
	ada     = "/agents/ada"
	adaList = ada + "/memory"
)

func pageOf(m memories.Memory) string { return adaList + "/" + m.ID }

func TestMain(m *testing.M) { os.Exit(withBrowser(func() int { return pgtest.Run(m) })) }
