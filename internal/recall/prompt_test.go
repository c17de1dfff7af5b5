package recall_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"memoir/internal/fence"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/model"
	"memoir/internal/recall"
	"memoir/internal/records"
	"memoir/internal/waittest"
)

// offered is a selector that records the names that it can choose from. It chooses what choose
// returns.
type offered struct {
	mu     sync.Mutex
	names  [][]string
	choose func(ctx context.Context) ([]string, error)
}

func (o *offered) Select(ctx context.Context, _ string, candidates []memories.Memory) ([]string, error) {
	var all []string
	for _, m := range candidates {
		all = append(all, m.Name)
	}
	o.mu.Lock()
	o.names = append(o.names, all)
	o.mu.Unlock()
	return o.choose(ctx)
}

func (o *offered) asked() [][]string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.names)
}

func withSelector(t *testing.T, m *memoirtest.Memoir, by recall.Selector) *recall.Recaller {
	t.Helper()
	r := recall.New(m.Store, recall.Options{Selector: by, Patience: waittest.Patience(), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(r.Close)
	return r
}

func prompt(t *testing.T, r *recall.Recaller, query string) recall.Result {
	t.Helper()
	result, err := r.ForPrompt(t.Context(), recall.Request{Agent: "ada", Query: query, Session: "one", From: recall.FromHook})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func late(t *testing.T, r *recall.Recaller) recall.Result {
	t.Helper()
	result, err := r.Late(t.Context(), recall.Request{Agent: "ada", Session: "one", From: recall.FromHook})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// recalls returns ada's recalls, newest first.
func recalls(t *testing.T, m *memoirtest.Memoir) []records.PastRecall {
	t.Helper()
	agent, err := m.Store.Agent(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	page, err := m.Store.Recalls(t.Context(), records.RecallList{AgentID: agent.ID, Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	return page.Recalls
}

// TestForPrompt_NeverWaits shows that keywords answer while the model chooses, and that the
// model's choice comes later, once.
func TestForPrompt_NeverWaits(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, notes())
	let := make(chan []string)
	by := &offered{choose: func(ctx context.Context) ([]string, error) {
		select {
		case paths := <-let:
			return paths, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	r := withSelector(t, m, by)
	first := prompt(t, r, "when do we deploy")
	if got := names(first); !slices.Equal(got, []string{"deploy on tuesdays"}) || first.SelectedBy != recall.ByKeyword {
		t.Errorf("while the model thinks, the prompt is given %q by %s", got, first.SelectedBy)
	}
	waittest.For(m, "the model to be asked", func() bool { return len(by.asked()) == 1 })
	if slices.Contains(by.asked()[0], "deploy on tuesdays") || len(by.asked()[0]) != 6 {
		t.Errorf("the model may choose from %q", by.asked()[0])
	}
	if got := names(late(t, r)); len(got) > 0 {
		t.Errorf("before the model has chosen, a tool is given %q", got)
	}
	let <- []string{"memory/reference_wiki.md", "memory/no_such_file.md"}
	var chosen recall.Result
	waittest.For(m, "the choice", func() bool { chosen = late(t, r); return len(chosen.Memories) > 0 })
	if got := names(chosen); !slices.Equal(got, []string{"the wiki"}) || chosen.SelectedBy != recall.ByModel {
		t.Errorf("a tool is given %q by %s", got, chosen.SelectedBy)
	}
	if got := names(late(t, r)); len(got) > 0 {
		t.Errorf("the next tool is given %q again", got)
	}
	if got := names(prompt(t, r, "where are the runbooks")); slices.Contains(got, "the wiki") {
		t.Errorf("the next prompt is given %q again", got)
	}
	waittest.For(m, "the model to be asked again", func() bool { return len(by.asked()) == 2 })
	let <- []string{"memory/user_language.md"}
	waittest.For(m, "the second choice", func() bool { return recalls(t, m)[0].State == records.RecallSettled })
	if got := names(prompt(t, r, "what is the weather like")); !slices.Equal(got, []string{"prefers short answers"}) {
		t.Errorf("the prompt after a turn without tools is given %q", got)
	}
}

func TestForPrompt_ModelNotAsked(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, notes())
	by := &offered{choose: func(context.Context) ([]string, error) { return []string{"memory/reference_wiki.md"}, nil }}
	r := withSelector(t, m, by)
	for _, request := range []recall.Request{
		{Query: "when do we deploy", Session: "one", ReadOnly: true},
		{Query: "when do we deploy"},
		{Query: "deploy", Session: "one"},
	} {
		request.Agent, request.From = "ada", recall.FromHook
		if _, err := r.ForPrompt(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		if got, err := r.Late(t.Context(), request); err != nil || len(got.Memories) > 0 {
			t.Errorf("%+v: a tool is given %q (%v)", request, names(got), err)
		}
	}
	r.Close() // waits for recalls in the background
	if len(by.asked()) > 0 {
		t.Errorf("the model was asked: %q", by.asked())
	}
}

// TestForPrompt_ThreeTimeouts shows that the record names the reason, and that a model that did
// not answer three times is not asked for some time.
func TestForPrompt_ThreeTimeouts(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, notes())
	silent := &counting{}
	r := recall.New(m.Store, recall.Options{Selector: recall.SelectBy(model.Pausing(silent)), Patience: time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(r.Close)
	for i := range 5 {
		if got := names(prompt(t, r, fmt.Sprint("do we deploy on day ", i))); i == 0 && !slices.Equal(got, []string{"deploy on tuesdays"}) {
			t.Errorf("the prompt is given %q", got)
		}
		waittest.For(m, "the record", func() bool { return len(recalls(t, m)) == 2*(i+1) })
	}
	if got := silent.n(); got != 3 {
		t.Errorf("the model was asked %d times, want 3", got)
	}
	notes := map[string]int{}
	for _, past := range recalls(t, m) {
		notes[past.Note]++
	}
	if notes["The model did not choose: it took too long."] != 3 || notes["The model did not choose: it is paused, because it did not answer in time."] != 2 {
		t.Errorf("the records note %v", notes)
	}
}

// counting is a model that never answers.
type counting struct {
	mu    sync.Mutex
	asked int
}

func (c *counting) n() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
}

func (c *counting) Ask(ctx context.Context, _ model.Question) (model.Answer, error) {
	c.mu.Lock()
	c.asked++
	c.mu.Unlock()
	<-ctx.Done()
	return model.Answer{}, ctx.Err()
}

func TestForPrompt_TextLimit(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{}
	for _, name := range []string{"a", "b", "c", "d"} {
		files["ada/memory/"+name+".md"] = memoirtest.Note("deploy rule "+name, memories.Feedback, strings.Repeat("We deploy 😀 on Tuesdays.\n", 100))
	}
	m := memoirtest.Start(t, files)
	const limit = 10_000
	result, err := m.Recaller.ForPrompt(t.Context(), recall.Request{Agent: "ada", Query: "what are the deploy rules", Session: "one", From: recall.FromHook, MaxText: limit})
	if err != nil {
		t.Fatal(err)
	}
	const want = "1 chosen memory was not given: an answer has at most 10000 characters."
	if past := recalls(t, m); len(result.Memories) != 3 || result.Note != want || len(past) != 1 || past[0].Note != want || past[0].DeliveredCount != 3 {
		t.Errorf("%d memories are given: %q, recorded as %+v", len(result.Memories), result.Note, past)
	}
	if got := len(utf16.Encode([]rune(fence.Blocks(result.Blocks())))); got > limit {
		t.Errorf("the text has %d characters", got)
	}
	if again := prompt(t, m.Recaller, "what are the deploy rules"); len(again.Memories) != 1 || again.Note != "" {
		t.Errorf("the next prompt is given %q: %s", names(again), again.Note)
	}
}
