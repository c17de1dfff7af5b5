package recall_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"testing"
	"time"

	"memoir/internal/embedding"
	"memoir/internal/embedding/embeddingtest"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/recall"
	"memoir/internal/waittest"
)

// withMeaning starts an agent with some memories, all embedded, and a recaller with the endpoint and
// a model, if by is not nil.
func withMeaning(t *testing.T, by recall.Selector) (*memoirtest.Memoir, *recall.Recaller, *embeddingtest.Server) {
	t.Helper()
	files := notes()
	for i := range 20 { // so that similarities have a distribution
		files[fmt.Sprintf("ada/memory/other_%d.md", i)] = memoirtest.Note(fmt.Sprintf("other %d", i), memories.User, fmt.Sprintf("Item%d belongs to thing%d.", i, i))
	}
	m, endpoint := memoirtest.Start(t, files), embeddingtest.New(t)
	endpoint.Mean(map[string]string{"ship": "deployments", "weekday": "tuesdays"})
	meaning := embedding.Start(m.Engine, m.Store, embedding.Options{Settle: time.Millisecond, URL: endpoint.URL, Model: "words", Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(meaning.Close)
	agent, err := m.Store.Agent(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	waittest.For(m, "the vectors", func() bool {
		status, err := meaning.Status(t.Context(), agent)
		return err == nil && status.Embedded == status.Memories && status.Embedded > 20
	})
	r := recall.New(m.Store, recall.Options{Meaning: meaning, Selector: by, Patience: waittest.Patience(), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(r.Close)
	return m, r, endpoint
}

func TestRecall_ByMeaning(t *testing.T) {
	t.Parallel()
	m, r, endpoint := withMeaning(t, nil)
	const query = "which weekday may we ship"
	if got := names(ask(t, m.Recaller, recall.Request{Query: query})); len(got) > 0 {
		t.Fatalf("words give %q", got)
	}
	result := ask(t, r, recall.Request{Query: query, Session: "one"})
	if got := names(result); !slices.Equal(got, []string{"deploy on tuesdays"}) || !slices.Contains(result.Memories[0].Why, "its meaning is near the question") {
		t.Errorf("meaning gives %q: %+v", got, result.Memories)
	}
	if got := names(ask(t, r, recall.Request{Query: query, Session: "one"})); len(got) > 0 {
		t.Errorf("the session is given %q again", got)
	}
	sent := len(endpoint.Requests())
	if got := names(ask(t, r, recall.Request{Query: "does the wiki have a weekday", ReadOnly: true})); !slices.Equal(got, []string{"the wiki"}) || len(endpoint.Requests()) != sent {
		t.Errorf("a reader gets %q, and %d requests were sent", got, len(endpoint.Requests())-sent)
	}
}

func TestRecall_WordsWithoutMeaning(t *testing.T) {
	t.Parallel()
	_, r, endpoint := withMeaning(t, nil)
	for name, reply := range map[string]embeddingtest.Reply{
		"slow": embeddingtest.Silent, "wrong in size": endpoint.Sized(7), "down": embeddingtest.Status(http.StatusServiceUnavailable, "down"), "no JSON": embeddingtest.Raw("<html>"),
	} {
		endpoint.Set(reply)
		if got := names(ask(t, r, recall.Request{Query: "when do we deploy, " + name})); !slices.Contains(got, "deploy on tuesdays") {
			t.Errorf("with an endpoint that is %s: %q", name, got)
		}
	}
}

// What words, meaning and the model choose for one prompt is given once.
func TestForPrompt_ThreeWays(t *testing.T) {
	t.Parallel()
	choose := func(context.Context) ([]string, error) {
		return []string{"memory/feedback_deploy.md", "memory/reference_wiki.md", "memory/user_language.md"}, nil
	}
	m, r, _ := withMeaning(t, &offered{choose: choose})
	given := prompt(t, r, "may we ship on tuesdays")
	if got := names(given); !slices.Equal(got, []string{"deploy on tuesdays"}) || len(given.Memories[0].Why) != 3 {
		t.Errorf("words and meaning give %q", got)
	}
	var later []string
	waittest.For(m, "the model's choice", func() bool {
		later = append(later, names(late(t, r))...)
		return len(later) > 0
	})
	slices.Sort(later)
	if want := []string{"prefers short answers", "the wiki"}; !slices.Equal(later, want) {
		t.Errorf("the model gives %q, want %q", later, want)
	}
}
