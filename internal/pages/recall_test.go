package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/recall"
)

const adaRecall = ada + "/recall"

// deploying returns a site with an agent that knows about deployments and more.
func deploying(t *testing.T) *site {
	t.Helper()
	return serve(t, memoirtest.Files{
		"ada/memory/deploy.md": memoirtest.Note("deploy on tuesdays", memories.Feedback, "Deployments go out on Tuesdays only."),
		"ada/memory/wiki.md":   memoirtest.Note("the wiki", memories.Reference, "It says who may deploy to staging."),
		"ada/memory/tea.md":    memoirtest.Note("tea", memories.User, "Mira drinks green tea."),
		"empty/memory/x.png":   "no memory",
	})
}

// asks recalls as a hook of Claude Code does.
func (s *site) asks(agent, session string, queries ...string) {
	s.Helper()
	for _, query := range queries {
		if _, err := s.Recaller.Recall(s.Context(), recall.Request{Agent: agent, Query: query, Session: session, From: recall.FromHook}); err != nil {
			s.Fatal(err)
		}
	}
}

// tries returns the page with the trial of a query.
func (s *site) tries(t *testing.T, query string) *answer {
	t.Helper()
	page := s.get(t, adaRecall+"?"+url.Values{"q": {query}}.Encode())
	page.expect(http.StatusOK)
	return page
}

func TestRecall_ExplainsQuery(t *testing.T) {
	t.Parallel()
	s := deploying(t)
	page := s.tries(t, "when do we deploy on tuesdays?")
	page.expect(http.StatusOK, "1 memory given, of 2 candidates.", "Looked for “deploy”, “tuesdays”", "“deploy” is in its name", "The best.", "Close, and not given")
	if got := page.each(".explained h5"); !slices.Equal(got, []string{"deploy on tuesdays", "the wiki"}) {
		t.Errorf("explained are %q", got)
	}
	if got := page.Find(".explained h5 a").First().AttrOr("href", ""); got != pageOf(s.Memory("ada", "deploy on tuesdays")) {
		t.Errorf("the best leads to %q", got)
	}
	near := page.Find(".explained[data-short]")
	if got := words(near.Find(".score")); !strings.HasSuffix(got, "% of it.") && !strings.HasSuffix(got, "% of what it takes.") {
		t.Errorf("what came close is told as %q", got)
	}
	best, next := page.Find(".explained meter").First(), near.Find("meter")
	if value := best.AttrOr("value", ""); value == "" || value != best.AttrOr("max", "") || value <= next.AttrOr("value", "") {
		t.Errorf("the bars are %q of %q, and %q", value, best.AttrOr("max", ""), next.AttrOr("value", ""))
	}
	if got := page.Find("#q").AttrOr("value", ""); got != "when do we deploy on tuesdays?" {
		t.Errorf("the field holds %q", got)
	}
	for query, want := range map[string]string{
		"deploy":                 "One word says too little to choose by",
		"the and of":             "none of its words says what it is about",
		"capital of mongolia":    "no memory has any of its words, so nobody has written about it",
		"may mira visit bolivia": "none has enough of them",
		"":                       "Nothing has been recalled yet",
	} {
		s.tries(t, query).expect(http.StatusOK, want)
	}
	s.get(t, "/agents/empty/recall?q=when+do+we+deploy").expect(http.StatusOK, "There are no memories to choose from.")
	s.get(t, "/agents/nobody/recall").expect(http.StatusNotFound)
	// A trial is not recorded.
	s.get(t, adaRecall).expect(http.StatusOK, "Nothing has been recalled yet")
}

func TestRecall_TrialEqualsRecall(t *testing.T) {
	t.Parallel()
	s := deploying(t)
	for _, query := range []string{"when do we deploy", "who drinks green tea", "may I deploy to staging", "is there a wiki", "what about tuesdays"} {
		result, err := s.Recaller.Recall(t.Context(), recall.Request{Agent: "ada", Query: query, From: recall.FromScript})
		if err != nil {
			t.Fatal(err)
		}
		var given []string
		for _, m := range result.Memories {
			given = append(given, m.Name)
		}
		tried := s.tries(t, query)
		if got := tried.each(".explained:not([data-short]) h5"); !slices.Equal(got, given) {
			t.Errorf("%q is tried with %q and gives %q", query, got, given)
		}
	}
}

func TestRecall_ListsPast(t *testing.T) {
	t.Parallel()
	s := deploying(t)
	s.asks("ada", "one", "when do we deploy on tuesdays?", "deploy", "what is the capital of mongolia")
	s.asks("ada", "two", "on which day do we deploy, tuesdays?")
	page := s.get(t, adaRecall)
	if got := page.each(".recall-table tr"); !slices.Contains(got, "Recalls 4 4") || !slices.Contains(got, "gave something 2 · 50 % 2 · 50 %") ||
		!slices.Contains(got, "nothing, of few 1 1") || !slices.Contains(got, "nothing was looked at 1 1") || !slices.Contains(got, "Asked by hooks 4 4") {
		t.Errorf("the table says %q", got)
	}
	today := time.Now().UTC().Format("2 Jan 2006")
	if got := page.each("#recalls-numbers tbody tr"); !slices.Equal(got, []string{today + " 4 2 50 %"}) {
		t.Errorf("the numbers are %q", got)
	}
	if got := words(page.Find("#recalls-picture-desc")); !strings.HasSuffix(got, "2 of 4 recalls gave something: 50 %.") {
		t.Errorf("the picture says %q", got)
	}
	if got := page.each("section:has(#never-title) li > a"); !slices.Contains(got, "tea") || slices.Contains(got, "deploy on tuesdays") {
		t.Errorf("never recalled are %q", got)
	}
	if got := page.each("section:has(#never-title) li .figure"); got[0] != "of 3 recalls" {
		t.Errorf("their chances are %q", got)
	}
	if got := page.each("section:has(#most-title) li"); len(got) != 1 || got[0] != "deploy on tuesdays today 2 of 3 · 66 %" {
		t.Errorf("always recalled are %q", got)
	}
	if got := page.each(".event .badge"); !slices.Equal(got, []string{"1 given", "nothing", "not looked", "1 given"}) {
		t.Errorf("the last recalls are %q", got)
	}
	first := page.Find(".event").Last()
	for _, want := range []string{"when do we deploy on tuesdays?", "deploy on tuesdays", "“deploy” is in its name", "by a hook", "the words chose, of 2 candidates", "ms", "bytes"} {
		if !strings.Contains(words(first), want) {
			t.Errorf("the first recall is told without %q: %s", want, words(first))
		}
	}
	if got := s.get(t, adaRecall+"?session=two").each(".asked"); !slices.Equal(got, []string{"on which day do we deploy, tuesdays?"}) {
		t.Errorf("session two was asked %q", got)
	}
	s.get(t, pageOf(s.Memory("ada", "deploy on tuesdays"))).expect(http.StatusOK, "Recalled 2 times, last just now")
	s.get(t, pageOf(s.Memory("ada", "tea"))).expect(http.StatusOK, "Recalled never, of 3 recalls since it was learned")
	s.Write("ada/memory/late.md", memoirtest.Note("late", memories.User, "Came after all of that."))
	s.Scan("ada")
	if page := s.get(t, pageOf(s.Memory("ada", "late"))); strings.Contains(words(page.Find(".provenance")), "Recalled") {
		t.Error("a memory that had no chance yet is said to be never recalled")
	}
}

func TestRecall_Pages(t *testing.T) {
	t.Parallel()
	s := deploying(t)
	for i := range 120 {
		s.asks("ada", fmt.Sprintf("session %d", i), fmt.Sprintf("when do we deploy %d", i))
	}
	seen := map[string]bool{}
	path, pages := adaRecall, 0
	for path != "" {
		page := s.get(t, path)
		page.expect(http.StatusOK)
		for _, asked := range page.each(".asked") {
			seen[asked] = true
		}
		path = page.Find(".past-recalls .more a[rel=next]").AttrOr("href", "")
		pages++
	}
	if len(seen) != 120 || pages != 3 {
		t.Errorf("%d pages have %d recalls", pages, len(seen))
	}
	s.get(t, adaRecall+"?cursor=wrong").expect(http.StatusBadRequest)
}

func TestRecall_QueryIsEscaped(t *testing.T) {
	t.Parallel()
	const hostile = "<script>alert(1)</script> <img src=x onerror=alert(2)> when do we deploy \u202e\x00 \xff"
	s := deploying(t)
	s.asks("ada", "<b>session</b>", hostile)
	page := s.tries(t, hostile)
	if n := page.Find("main script, main img, main b").Length(); n != 0 {
		t.Errorf("%d elements of a query are in the page", n)
	}
	if got := words(page.Find(".asked")); !strings.Contains(got, "<script>alert(1)</script>") || !strings.Contains(got, "[U+202E]") {
		t.Errorf("the query is shown as %q", got)
	}
	s.get(t, adaRecall+"?session="+url.QueryEscape("<b>session</b>")).expect(http.StatusOK, "Only <b>session</b>", "when do we deploy")
}

func TestRecall_PurgedMemory(t *testing.T) {
	t.Parallel()
	s := deploying(t)
	s.asks("ada", "one", "when do we deploy on tuesdays?")
	s.submit(t, s.get(t, adaList), "Delete deploy on tuesdays")
	if got := s.get(t, adaRecall).Find(".given a").AttrOr("href", ""); got != pageOf(s.Memory("ada", "deploy on tuesdays")) {
		t.Errorf("a memory in the trash is linked as %q", got)
	}
	s.asScript(t, http.MethodDelete, "/agents/ada/memories/"+s.Memory("ada", "deploy on tuesdays").ID+"?purge=true")
	page := s.get(t, adaRecall)
	if got := words(page.Find(".given strong")); got != "deploy on tuesdays" || page.Find(".given a").Length() != 0 {
		t.Errorf("a memory that is gone is shown as %q", got)
	}
	if got := page.each("section:has(#most-title) li"); len(got) != 0 {
		t.Errorf("always recalled are %q", got)
	}
}

func TestRecall_Sums(t *testing.T) {
	t.Parallel()
	s := deploying(t)
	s.asks("ada", "", "when do we deploy on tuesdays?", "when do we deploy on tuesdays?", "when do we deploy on tuesdays?")
	conn, err := pgx.Connect(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context()) //nolint:errcheck // the test is over
	if _, err := conn.Exec(t.Context(), `
		WITH moved AS (SELECT id, row_number() OVER (ORDER BY at, id) AS n FROM recalls)
		UPDATE recalls r SET at = at - CASE moved.n WHEN 1 THEN interval '40 days' ELSE interval '3 days' END, took_us = 4000 * moved.n,
			selected_by = CASE moved.n WHEN 1 THEN 'model' ELSE selected_by END, asked_by = 'mcp'
		FROM moved WHERE moved.id = r.id AND moved.n < 3`); err != nil {
		t.Fatal(err)
	}
	rows := s.get(t, adaRecall).each(".recall-table tr")
	for _, want := range []string{"Recalls 2 3", "gave something 2 · 100 % 3 · 100 %", "Asked over MCP 1 2", "Chosen by a model 0 1"} {
		if !slices.Contains(rows, want) {
			t.Errorf("the table is without %q: %q", want, rows)
		}
	}
	s.get(t, adaRecall).expect(http.StatusOK, "by the words, and 4.0 ms by a model (the median)")
	if got := s.get(t, adaRecall).each("#recalls-numbers tbody tr"); len(got) != 2 {
		t.Errorf("the days of the picture are %q", got)
	}
}
