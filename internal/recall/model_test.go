package recall_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/model"
	"memoir/internal/recall"
)

// speaking is a server of the Messages API that answers with a text, and keeps what it was asked.
func speaking(t *testing.T, answer func(w http.ResponseWriter, r *http.Request)) (m model.Model, asked chan map[string]any) {
	t.Helper()
	asked = make(chan map[string]any, 99)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		var body map[string]any
		if err != nil || json.Unmarshal(raw, &body) != nil || r.URL.Path != "/v1/messages" || r.Header.Get("X-Api-Key") != "a key" {
			t.Errorf("the model was asked %s %s %.200s", r.Method, r.URL, raw)
		}
		asked <- body
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	return model.Anthropic("", "a key", server.URL), asked
}

func saying(text string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"id": "msg_1", "type": "message", "role": "assistant", "model": model.Default, "stop_reason": "end_turn",
			"content": []any{map[string]any{"type": "text", "text": text}}, "usage": map[string]any{"input_tokens": 10, "output_tokens": 5},
		})
	}
}

func refusing(status int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, `{"type":"error","error":{"type":"overloaded_error","message":"a secret of the server"}}`)
	}
}

func TestAModelChoosesByNamesAndDescriptions(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, notes())
	chosen := `{"selected_memories":["memory/reference_wiki.md","memory/invented.md","sessions/u-c-1/memory/seen.md","memory/reference_wiki.md"]}`
	by, asked := speaking(t, saying(chosen))
	r := recall.New(m.Store, recall.Options{Selector: recall.SelectBy(by), Patience: memoirtest.Patience, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(r.Close)
	result := ask(t, r, recall.Request{Query: "where is everything", Session: "one"})
	if got := names(result); !slices.Equal(got, []string{"the wiki", "the staging server"}) || result.SelectedBy != recall.ByModel || result.Note != "" {
		t.Errorf("it chose %q by %s: %s", got, result.SelectedBy, result.Note)
	}
	if result.Candidates != 7 {
		t.Errorf("it chose from %d", result.Candidates)
	}
	question := fmt.Sprint(<-asked)
	for _, part := range []string{
		"where is everything", "- [reference] memory/reference_wiki.md (", "): About the wiki", "- memory/untyped.md (", "selected_memories", "json_schema", model.Default,
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
	if question := fmt.Sprint(<-asked); strings.Contains(question, "reference_wiki") {
		t.Errorf("it was offered again what the session has seen: %s", question)
	}
}

func TestWhateverAModelDoesThereIsAnAnswer(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, notes())
	for name, c := range map[string]struct {
		answer   func(http.ResponseWriter, *http.Request)
		patience time.Duration
		note     string // empty: the model chose
	}{
		"prose":             {saying("I think you should look at the wiki."), 0, "no JSON"},
		"JSON of no use":    {saying(`["memory/reference_wiki.md"]`), 0, "another shape"},
		"numbers":           {saying(`{"selected_memories":[1,2]}`), 0, "another shape"},
		"nothing":           {saying(""), 0, "no JSON"},
		"nothing chosen":    {saying(`{"selected_memories":[]}`), 0, ""},
		"lies":              {saying(`{"selected_memories":["../../etc/passwd","bob/memory/feedback_other.md",""]}`), 0, ""},
		"no answer":         {saying(`{}`), 0, ""},
		"refused":           {refusing(http.StatusUnauthorized), 0, "status 401"},
		"too many requests": {refusing(http.StatusTooManyRequests), 0, "status 429"},
		"overloaded":        {refusing(529), 0, "status 529"},
		"a page":            {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, 0, "cannot be reached"},
		"cut off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, `{"id":"msg_1"`)
			panic(http.ErrAbortHandler)
		}, 0, "cannot be reached"},
		"late":  {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 50 * time.Millisecond, "too long"},
		"never": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, time.Millisecond, "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			by, _ := speaking(t, c.answer)
			if c.patience == 0 {
				c.patience = memoirtest.Patience
			}
			r := recall.New(m.Store, recall.Options{Selector: recall.SelectBy(by), Patience: c.patience, Log: slog.New(slog.DiscardHandler)})
			t.Cleanup(r.Close)
			result := ask(t, r, recall.Request{Query: "when do we deploy"})
			want, by1 := []string(nil), recall.ByModel
			if c.note != "" {
				want, by1 = []string{"deploy on tuesdays"}, recall.ByKeyword
			}
			if got := names(result); !slices.Equal(got, want) || result.SelectedBy != by1 {
				t.Errorf("it gave %q by %s", got, result.SelectedBy)
			}
			if !strings.Contains(result.Note, c.note) || c.note == "" && result.Note != "" || strings.Contains(result.Note, "secret") {
				t.Errorf("it notes %q", result.Note)
			}
		})
	}
}
