package recall_test

import (
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/model"
	"memoir/internal/model/modeltest"
	"memoir/internal/recall"
	"memoir/internal/waittest"
)

func TestRecall_ModelChooses(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, notes())
	chosen := `{"selected_memories":["memory/reference_wiki.md","memory/invented.md","sessions/u-c-1/memory/seen.md","memory/reference_wiki.md"]}`
	by := modeltest.New(t, modeltest.Says(chosen))
	r := recall.New(m.Store, recall.Options{Selector: recall.SelectBy(by.Model()), Patience: waittest.Patience(), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(r.Close)
	result := ask(t, r, recall.Request{Query: "where is everything", Session: "one"})
	if got := names(result); !slices.Equal(got, []string{"the wiki", "the staging server"}) || result.SelectedBy != recall.ByModel || result.Note != "" {
		t.Errorf("it chose %q by %s: %s", got, result.SelectedBy, result.Note)
	}
	if result.Candidates != 7 {
		t.Errorf("it chose from %d", result.Candidates)
	}
	question := by.Requests()[0].Raw
	for _, part := range []string{
		"where is everything", "- [reference] memory/reference_wiki.md (", "): the wiki — About the wiki", "- memory/untyped.md (", "selected_memories", "json_schema", model.Default,
	} {
		if !strings.Contains(question, part) {
			t.Errorf("it was asked without %q: %s", part, question)
		}
	}
	for _, part := range []string{"Runbooks are at", "bob deploys"} {
		if strings.Contains(question, part) {
			t.Errorf("it was told %q: %s", part, question)
		}
	}
	if again := ask(t, r, recall.Request{Query: "where is everything", Session: "one"}); len(again.Memories) > 0 || again.Candidates != 5 {
		t.Errorf("of what the session has seen it chose %q from %d", names(again), again.Candidates)
	}
	if question := by.Requests()[1].Raw; strings.Contains(question, "reference_wiki") {
		t.Errorf("it was offered again what the session has seen: %s", question)
	}
}

func TestRecall_ModelFails(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, notes())
	for name, c := range map[string]struct {
		answer   modeltest.Reply
		patience time.Duration
		note     string
	}{
		"prose":             {modeltest.Says("I think you should look at the wiki."), 0, "not JSON"},
		"JSON of no use":    {modeltest.Says(`["memory/reference_wiki.md"]`), 0, "another shape"},
		"numbers":           {modeltest.Says(`{"selected_memories":[1,2]}`), 0, "another shape"},
		"nothing":           {modeltest.Says(""), 0, "not JSON"},
		"nothing chosen":    {modeltest.Says(`{"selected_memories":[]}`), 0, "chose none"},
		"lies":              {modeltest.Says(`{"selected_memories":["../../etc/passwd","bob/memory/feedback_other.md",""]}`), 0, "chose none"},
		"no answer":         {modeltest.Says(`{}`), 0, "chose none"},
		"refused":           {modeltest.Status(http.StatusUnauthorized), 0, "status 401"},
		"too many requests": {modeltest.Status(http.StatusTooManyRequests), 0, "status 429"},
		"overloaded":        {modeltest.Status(529), 0, "status 529"},
		"a page":            {modeltest.Page(), 0, "cannot be reached"},
		"cut off":           {modeltest.Cut(), 0, "cannot be reached"},
		"refusing":          {modeltest.Refuses(), 0, "refusal"},
		"late":              {modeltest.Never(), 50 * time.Millisecond, "too long"},
		"never":             {modeltest.Never(), time.Millisecond, "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			by := modeltest.New(t, c.answer)
			if c.patience == 0 {
				c.patience = waittest.Patience()
			}
			r := recall.New(m.Store, recall.Options{Selector: recall.SelectBy(by.Model()), Patience: c.patience, Log: slog.New(slog.DiscardHandler)})
			t.Cleanup(r.Close)
			result := ask(t, r, recall.Request{Query: "when do we deploy"})
			if got := names(result); !slices.Equal(got, []string{"deploy on tuesdays"}) || result.SelectedBy != recall.ByKeyword {
				t.Errorf("it gave %q by %s", got, result.SelectedBy)
			}
			// The endpoint's words are told only where they say which setting to change.
			if !strings.Contains(result.Note, c.note) || strings.Contains(result.Note, modeltest.Secret) != (name == "refused") {
				t.Errorf("it notes %q", result.Note)
			}
		})
	}
}

func TestRecall_EmptyChoice(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, memoirtest.Files{
		"ada/memory/a.md": memoirtest.Note("Releases", memories.Project, "They go out on Tuesdays."),
		"ada/memory/b.md": memoirtest.Note("Printer", memories.Project, "The printer is on the second floor, next to the lawnmower."),
	})
	by := modeltest.New(t, modeltest.Says(`{"selected_memories":[]}`))
	r := recall.New(m.Store, recall.Options{Selector: recall.SelectBy(by.Model()), Patience: waittest.Patience(), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(r.Close)
	for query, want := range map[string]string{
		"when are the releases":     "Releases", // in its name
		"where is the lawnmower":    "",         // only in a text
		"what is the weather today": "",
	} {
		result := ask(t, r, recall.Request{Query: query})
		by := recall.ByModel
		if want != "" {
			by = recall.ByKeyword
		}
		if got := strings.Join(names(result), " "); got != want || result.SelectedBy != by || (result.Note != "") != (want != "") {
			t.Errorf("%q gives %q by %s: %q", query, got, result.SelectedBy, result.Note)
		}
	}
}
