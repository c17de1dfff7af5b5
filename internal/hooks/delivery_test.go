package hooks_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"memoir/internal/access"

	"memoir/internal/extraction"
	"memoir/internal/gate"
	"memoir/internal/hooks"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/recall"
	"memoir/internal/records"
	"memoir/internal/waittest"
)

// leaving is a response whose client disconnects before the first byte is written.
type leaving struct {
	http.ResponseWriter
	leave func()
	gone  <-chan struct{}
}

func (w leaving) Write(p []byte) (int, error) {
	w.leave()
	<-w.gone
	return w.ResponseWriter.Write(p)
}

func (w leaving) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// TestUserPromptSubmit_ClientLeft shows that a memory is given again if the client did not wait for
// the answer that had it.
func TestUserPromptSubmit_ClientLeft(t *testing.T) {
	t.Parallel()
	d := setup(t, memoirtest.Files{"ada/memory/feedback_deploy.md": memoirtest.Note("deploy on tuesdays", memories.Feedback, "On Tuesdays.")})
	ctx, leave := context.WithCancel(t.Context())
	log := slog.New(slog.DiscardHandler)
	handler := hooks.New(d.Engine, d.Store, d.Recaller, extraction.Idle(d.Engine, d.Store, log), log)
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		handler.ServeHTTP(leaving{w, leave, r.Context().Done()}, r)
	}))
	t.Cleanup(server.Close)
	input := map[string]any{"session_id": "one", "cwd": d.Path("ada"), "prompt": "when do we deploy?"}
	body, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/hooks/user-prompt-submit", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if response, err := http.DefaultClient.Do(request); err == nil {
		response.Body.Close()
		t.Fatal("the client waited")
	}
	<-ended
	if text := d.prompt(input); !strings.Contains(text, "On Tuesdays.") {
		t.Errorf("the next prompt is given %q", text)
	}
	if _, text := d.call("user-prompt-submit", input); text != "" {
		t.Errorf("the prompt after it is given %q", text)
	}
}

// choosing is a selector that always chooses the same.
type choosing []string

func (c choosing) Select(context.Context, string, []memories.Memory) ([]string, error) { return c, nil }

// TestPostToolUse_GivesModelChoice shows that the model's choice reaches the agent with the next
// tool of any kind, once, and never a reader.
func TestPostToolUse_GivesModelChoice(t *testing.T) {
	t.Parallel()
	d := setup(t, memoirtest.Files{
		"ada/memory/feedback_deploy.md": memoirtest.Note("deploy on tuesdays", memories.Feedback, "On Tuesdays."),
		"ada/memory/reference_wiki.md":  memoirtest.Note("the wiki", memories.Reference, "Runbooks are at wiki.example."),
	})
	log := slog.New(slog.DiscardHandler)
	r := recall.New(d.Store, recall.Options{Selector: choosing{"memory/reference_wiki.md"}, Patience: waittest.Patience(), Log: log})
	t.Cleanup(r.Close)
	guard, err := gate.New(gate.Options{Addr: "127.0.0.1:0", Token: "a writer's token", ReadToken: "a reader's token", Needs: func(*http.Request) access.Scope { return access.Read }, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(guard.Around(hooks.New(d.Engine, d.Store, r, extraction.Idle(d.Engine, d.Store, log), log)))
	t.Cleanup(server.Close)
	call := func(who, event, more string) string {
		t.Helper()
		body := `{"session_id":"one","cwd":"` + d.Path("ada") + `",` + more + `}`
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/hooks/"+event, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer a "+who+"'s token")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		raw, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s (%v)", event, response.StatusCode, raw, err)
		}
		return string(raw)
	}
	agent, err := d.Store.Agent(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	recorded := func() (all []records.PastRecall) {
		page, err := d.Store.Recalls(t.Context(), records.RecallList{AgentID: agent.ID, Limit: 9})
		if err != nil {
			t.Fatal(err)
		}
		return page.Recalls
	}
	const query = `"prompt":"when do we deploy?"`
	waittest.For(d, "the reader's prompt", func() bool {
		text := call("reader", "user-prompt-submit", query)
		return strings.Contains(text, "On Tuesdays.") && !strings.Contains(text, "wiki.example")
	})
	if got := recorded(); len(got) > 0 {
		t.Errorf("a reader's prompt is recorded: %+v", got)
	}
	waittest.For(d, "the prompt", func() bool { return strings.Contains(call("writer", "user-prompt-submit", query), "On Tuesdays.") })
	waittest.For(d, "the choice", func() bool { got := recorded(); return len(got) > 1 && got[0].State == records.RecallSettled })
	if text := call("reader", "post-tool-use", `"tool_name":"Bash"`); strings.TrimSpace(text) != "{}" {
		t.Errorf("a reader's tool is given %s", text)
	}
	var text string
	waittest.For(d, "the choice after a tool", func() bool {
		text = call("writer", "post-tool-use", `"tool_name":"Bash","tool_input":{"command":"ls"}`)
		return strings.TrimSpace(text) != "{}"
	})
	if !strings.Contains(text, `"hookEventName":"PostToolUse"`) || !strings.Contains(text, "wiki.example") || strings.Contains(text, "On Tuesdays.") {
		t.Errorf("the tool is given %s", text)
	}
	if text := call("writer", "post-tool-use", `"tool_name":"Read"`); strings.TrimSpace(text) != "{}" {
		t.Errorf("the next tool is given %s", text)
	}
}
