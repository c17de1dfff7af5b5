package pages_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/pages"
	"memoir/internal/postgres/masked"
	"memoir/internal/records"
	"memoir/internal/waittest"
)

// withFacts returns a site with two memories and a fact in the index.
func withFacts(t *testing.T) *site {
	t.Helper()
	files := twoMemories()
	files["ada/memory/MEMORY.md"] = "# Shop\n- [Tabs](tabs.md)\n- [Release](release.md)\n\n## Build\n- Node 22 only, 24 breaks the canvas module\n"
	s := serve(t, files)
	waittest.For(s, "the fact", func() bool { return s.get(t, "/search?q=canvas").Find(".hit h3 a").Length() == 1 })
	return s
}

func TestFact_BecomesMemory(t *testing.T) {
	t.Parallel()
	s := withFacts(t)
	found := s.get(t, "/search?q=canvas")
	found.expect(http.StatusOK, "line 6")
	fact := found.Find(".hit h3 a").AttrOr("href", "")
	fact, _, _ = strings.Cut(fact, "?")
	if !strings.HasPrefix(fact, adaContext+"/facts/") {
		t.Fatalf("it leads to %q", fact)
	}
	if got := s.get(t, adaList+"?q=canvas").Find("#group-facts .row h3 a").AttrOr("href", ""); got != fact {
		t.Errorf("in the agent's list it leads to %q", got)
	}
	if got := s.get(t, adaList+"?q=canvas&type=user").Find("#group-facts").Length(); got != 0 {
		t.Error("a list of one type has facts")
	}
	if links := s.get(t, adaMemoryMD).Find(".source .do"); links.Length() != 1 || links.AttrOr("href", "") != fact {
		t.Errorf("the index has %d links", links.Length())
	}
	form := s.get(t, fact)
	form.expect(http.StatusOK, "Make a memory of it")
	if got := form.Find("#name").AttrOr("value", ""); got != "Node 22 only, 24 breaks the canvas module" {
		t.Errorf("the name is %q", got)
	}
	s.post(t, fact, url.Values{"name": {"Tabs"}, "type": {"feedback"}, "body": {"x"}}).expect(http.StatusConflict, "This name is taken.")
	s.post(t, fact, url.Values{"name": {"Node"}, "type": {"feedback"}, "description": {"Which Node"}, "body": {"Node 22 only."}}).expect(http.StatusOK, "Node 22 only.")
	if m := s.Memory("ada", "Node"); m.Type != memories.Feedback || m.Body != "Node 22 only." || m.Description != "Which Node" {
		t.Errorf("the memory is %+v", m)
	}
	if got := s.Read("ada/memory/MEMORY.md"); !strings.HasSuffix(got, "## Build\n- [Node](feedback_node.md) — Which Node\n") {
		t.Errorf("the index is %q", got)
	}
	s.get(t, fact).expect(http.StatusNotFound)
}

func TestFact_MemoryAddressRedirects(t *testing.T) {
	t.Parallel()
	s := withFacts(t)
	fact := s.get(t, "/search?q=canvas").Find(".hit h3 a").AttrOr("href", "")
	id := fact[strings.LastIndexByte(fact, '/')+1:]
	s.get(t, adaList+"/"+id).expect(http.StatusOK, "Make a memory of it")
}

func TestAdoptFact_ChangedLine(t *testing.T) {
	t.Parallel()
	s := withFacts(t)
	fact := s.get(t, "/search?q=canvas").Find(".hit h3 a").AttrOr("href", "")
	const changed = "- Node 24 breaks the canvas\n"
	s.Write("ada/memory/MEMORY.md", changed)
	answer := s.post(t, fact, url.Values{"name": {"Node"}, "type": {"user"}, "body": {"x"}})
	if answer.StatusCode != http.StatusConflict && answer.StatusCode != http.StatusNotFound {
		t.Errorf("it answers %d", answer.StatusCode)
	}
	if got := s.Read("ada/memory/MEMORY.md"); got != changed || s.Read("ada/memory/user_node.md") != "" {
		t.Errorf("the index is %q", got)
	}
}

// factsAway is a store whose database fails when a fact is read.
type factsAway struct{ pages.Store }

func (factsAway) IndexFact(context.Context, records.Agent, string) (memories.Memory, error) {
	return memories.Memory{}, memories.ErrUnavailable
}

func TestMemory_FactUnreadable(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, twoMemories())
	all := pages.New(m.Engine, factsAway{masked.Store{Store: m.Store}}, m.Recaller, pages.Options{Log: slog.New(slog.DiscardHandler)})
	answer := httptest.NewRecorder()
	all.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/agents/ada/memory/00000000-0000-4000-8000-000000000000", nil))
	if answer.Code != http.StatusServiceUnavailable {
		t.Errorf("status %d, want 503", answer.Code)
	}
}
