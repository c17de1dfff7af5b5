package extraction_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/api"
	"memoir/internal/extraction"
	"memoir/internal/hooks"
	"memoir/internal/jobs"
	"memoir/internal/memoirtest"
	"memoir/internal/model"
	"memoir/internal/model/modeltest"
	"memoir/internal/postgres"
	"memoir/internal/postgres/masked"
	"memoir/internal/waittest"
)

// server is a bench with a queue, the hooks and the API.
type server struct {
	*bench
	url   string
	queue *jobs.Queue
}

// serve starts one more server with the same disk and database.
func serve(b *bench, llm model.Model, quiet time.Duration) *server {
	b.Helper()
	return serveAt(b, b.claude, llm, quiet, 2)
}

// serveAt is serve with a directory of Claude Code and a number of workers.
func serveAt(b *bench, claude string, llm model.Model, quiet time.Duration, workers int) *server {
	b.Helper()
	return serveWith(b, workers, extraction.Options{Model: llm, Quiet: quiet, ClaudeDir: claude})
}

// serveWith is serve with a number of workers and options, which need no Queue and no Log.
func serveWith(b *bench, workers int, options extraction.Options) *server {
	b.Helper()
	store, err := postgres.Open(b.Context(), b.URL)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(store.Close)
	log := slog.New(slog.DiscardHandler)
	queue, err := jobs.New(store, jobs.Options{Workers: workers, FirstRetry: time.Millisecond, Poll: 20 * time.Millisecond, StopTimeout: time.Millisecond, Log: log})
	if err != nil {
		b.Fatal(err)
	}
	options.Queue, options.Log = queue, log
	x := extraction.Start(b.Engine, store, options)
	b.Cleanup(x.Close)
	queue.Start(b.Context(), b.Engine.Ready)
	b.Cleanup(queue.Close)
	mux := http.NewServeMux()
	mux.Handle("/hooks/", hooks.New(b.Engine, store, b.Recaller, x, log))
	mux.Handle("/api/", api.New(b.Engine, masked.Store{Store: store}, b.Recaller, api.Options{Extractor: x, Log: log}))
	running := httptest.NewServer(mux)
	b.Cleanup(running.Close)
	s := &server{&bench{Memoir: b.Memoir, claude: b.claude, model: b.model, extractor: x}, running.URL, queue}
	return s
}

// call makes a request and decodes its answer into out, which may be nil.
func (s *server) call(method, path string, body, out any, headers ...string) (status int) {
	s.Helper()
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			s.Fatal(err)
		}
	}
	request, err := http.NewRequestWithContext(s.Context(), method, s.url+path, bytes.NewReader(raw))
	if err != nil {
		s.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for pair := range slices.Chunk(headers, 2) {
		request.Header.Set(pair[0], pair[1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		s.Fatal(err)
	}
	if out != nil {
		if err := json.Unmarshal(answer, out); err != nil {
			s.Fatalf("%s %s: %d %s", method, path, response.StatusCode, answer)
		}
	}
	return response.StatusCode
}

func (s *server) stops(event, session string) {
	s.Helper()
	if status := s.call("POST", "/hooks/"+event+"?agent=ada", map[string]any{"session_id": session, "transcript_path": s.transcript(session), "cwd": s.Dir}, nil); status != 200 {
		s.Errorf("the hook was answered with %d", status)
	}
}

type listed struct {
	Proposals  []struct{ ID, Name, State, ETag string }
	Total      int
	NextCursor string `json:"next_cursor"`
}

func (s *server) waiting() listed {
	s.Helper()
	var l listed
	if status := s.call("GET", "/api/v1/agents/ada/proposals?state=waiting", nil, &l); status != 200 {
		s.Fatalf("status %d", status)
	}
	return l
}

func TestExtraction_FromHookToFile(t *testing.T) {
	// A conversation of 2,000 lines passes from the stop hook to CLAUDE.md, although its server
	// stops meantime.
	t.Parallel()
	b := setup(t, extraction.Propose, modeltest.Never(), modeltest.Status(529), found(rule("Use tabs", "always use tabs")), found())
	first := serve(b, b.model.Model(), 10*time.Millisecond)
	b.says("s1", chatter(0, 1500)+said("x", "user", "From now on always use tabs.")+chatter(1500, 499))
	first.stops("stop", "s1")
	waittest.For(b, "the question", func() bool { return len(b.model.Requests()) == 1 })
	first.queue.Close() // before the model has answered
	second := serve(b, b.model.Model(), 10*time.Millisecond)
	waittest.For(b, "the proposal", func() bool { return second.waiting().Total == 1 })
	second.stops("session-end", "s1") // no new messages
	p := second.waiting().Proposals[0]
	if status := second.call("POST", "/api/v1/agents/ada/proposals/"+p.ID+"/accept", map[string]any{}, nil, "If-Match", `"stale"`); status != 412 {
		t.Errorf("accepted unseen: %d", status)
	}
	var m struct {
		ID, Name, Body string
		ClaudeMDChars  int `json:"claude_md_chars"`
	}
	if status := second.call("POST", "/api/v1/agents/ada/proposals/"+p.ID+"/accept", map[string]any{"body": "Tabs, always."}, &m, "If-Match", p.ETag); status != 200 || m.Body != "Tabs, always." || m.ClaudeMDChars == 0 {
		t.Errorf("accepted: %d %+v", status, m)
	}
	if !strings.HasSuffix(b.file("feedback_use_tabs.md"), "\nTabs, always.\n") || !strings.Contains(b.Read("ada/CLAUDE.md"), "Tabs, always.") || b.Memory("ada", "Use tabs").ID != m.ID {
		t.Error("the file, the row and CLAUDE.md do not say it")
	}
	if status := second.call("POST", "/api/v1/agents/ada/proposals/"+p.ID+"/refuse", nil, nil); status != 409 {
		t.Errorf("what is a memory was refused: %d", status)
	}
	waittest.For(b, "the job to end", func() bool {
		entries, err := jobs.List(t.Context(), b.Store, b.agent().ID)
		return err == nil && len(entries) > 0 && !slices.ContainsFunc(entries, func(e jobs.Entry) bool { return e.State != jobs.Done })
	})
	if n := len(b.model.Requests()); n != 4 { // two failures, and one for each part
		t.Errorf("%d questions", n)
	}
}

func TestExtraction_API(t *testing.T) {
	t.Parallel()
	b := setup(t, extraction.Propose, found(rule("Use tabs", "always use tabs"), rule("Tea", "always use tabs")), modeltest.Status(http.StatusUnauthorized), found())
	s := serve(b, b.model.Model(), time.Hour)
	const extract = "/api/v1/agents/ada/extract"
	messages := map[string]any{"session": "chat", "messages": []any{map[string]any{"role": "user", "content": "always use tabs", "timestamp": "2026-03-02T10:00:00+01:00"}}}
	var out struct{ Said, State, Session, Detail string }
	if status := s.call("POST", extract+"?wait=60", messages, &out); status != 200 || out.State != "done" || out.Session != "chat" || !strings.Contains(out.Said, "Found 2 memories") {
		t.Errorf("waited: %d %+v", status, out)
	}
	if !strings.Contains(b.model.Requests()[0].Text, "Monday 2026-03-02 09:00 UTC") {
		t.Error("the message was asked about without its date")
	}
	if status := s.call("POST", extract, messages, &out); status != 202 || out.State != "waiting" {
		t.Errorf("not waited: %d %+v", status, out)
	}
	if status := s.call("POST", extract+"?wait=60", map[string]any{"transcript": said("1", "user", "something else")}, &out); status != 503 || !strings.Contains(out.Detail, "status 401: "+modeltest.Secret) {
		t.Errorf("a model that refuses: %d %+v", status, out)
	}
	for _, bad := range []map[string]any{
		{}, {"messages": []any{}}, {"transcript": "x", "transcript_path": "/x"}, {"transcript_path": "/etc/passwd"},
		{"messages": []any{map[string]any{"role": "system", "content": "x"}}},
	} {
		if status := s.call("POST", extract, bad, nil); status != 422 {
			t.Errorf("%v: %d", bad, status)
		}
	}
	if status := s.call("POST", "/api/v1/agents/nobody/extract", messages, nil); status != 404 {
		t.Errorf("nobody: %d", status)
	}
	for _, wait := range []string{"true", "61", "-1"} {
		if status := s.call("POST", extract+"?wait="+wait, messages, nil); status != 422 {
			t.Errorf("?wait=%s: %d", wait, status)
		}
	}
	// Pages of one proposal, up to the last.
	all, names := s.waiting(), ""
	for cursor, pages := "", 0; pages == 0 || cursor != ""; pages++ {
		var page listed
		if status := s.call("GET", "/api/v1/agents/ada/proposals?state=waiting&limit=1&cursor="+cursor, nil, &page); status != 200 || len(page.Proposals) != 1 || page.Total != 2 || pages > 1 {
			t.Fatalf("page %d: %d %+v", pages, status, page)
		}
		names, cursor = names+page.Proposals[0].Name+";", page.NextCursor
		if cursor != "" {
			if status := s.call("GET", "/api/v1/agents/ada/proposals?state=refused&cursor="+cursor, nil, nil); status != 422 {
				t.Errorf("a cursor of another list: %d", status)
			}
		}
	}
	if names != all.Proposals[0].Name+";"+all.Proposals[1].Name+";" || all.NextCursor != "" {
		t.Errorf("the pages have %s, the list %+v", names, all)
	}
	p := all.Proposals[0]
	var refused struct{ State string }
	for range 2 {
		if status := s.call("POST", "/api/v1/agents/ada/proposals/"+p.ID+"/refuse", nil, &refused); status != 200 || refused.State != "refused" {
			t.Errorf("refused: %d %+v", status, refused)
		}
	}
	if status := s.call("POST", "/api/v1/agents/ada/proposals/"+p.ID+"/accept", nil, nil); status != 409 {
		t.Errorf("a refused one was accepted: %d", status)
	}
	if status := s.call("GET", "/api/v1/agents/ada/proposals/nonsense", nil, nil); status != 404 {
		t.Errorf("nonsense: %d", status)
	}
	// Without a model everything else works, and the status explains how to configure one.
	without := serve(b, nil, time.Hour)
	without.stops("stop", "s1")
	if status := without.call("POST", extract, messages, &out); status != 409 || !strings.Contains(out.Detail, model.SwitchOn) {
		t.Errorf("without a model: %d %+v", status, out)
	}
}

func TestExtraction_Worthwhile(t *testing.T) {
	// Of conversations that nobody asked to read, those with little text by a person and those of
	// programs cost no question. What is said later is read with the beginning.
	t.Parallel()
	b := setup(t, extraction.Propose, found(), found(), found())
	s := serve(b, b.model.Model(), 10*time.Millisecond)
	message := func(key string) string {
		all, err := jobs.List(t.Context(), b.Store, b.agent().ID)
		i := slices.IndexFunc(all, func(e jobs.Entry) bool { return e.Key == key && e.State == jobs.Done })
		if err != nil || i < 0 {
			return ""
		}
		return all[i].Message
	}
	b.says("short", said("1", "user", "Use tabs.")+said("2", "user", "Really."))
	s.stops("stop", "short")
	waittest.For(b, "the short conversation", func() bool { return strings.Contains(message("short"), "Too little was said") })
	script := strings.ReplaceAll(said("s", "user", strings.Repeat("A long prompt of a script. ", 40)), `"type":"user"`, `"type":"user","entrypoint":"sdk-cli"`)
	b.says("script", script)
	s.stops("stop", "script")
	waittest.For(b, "the script", func() bool { return strings.Contains(message("script"), "No new messages by a person") })
	if n := len(b.model.Requests()); n != 0 {
		t.Fatalf("%d questions about what is not worth one", n)
	}
	b.says("short", said("3", "user", "And never spaces."))
	s.stops("stop", "short")
	waittest.For(b, "the question", func() bool { return len(b.model.Requests()) == 1 })
	if asked := b.model.Requests()[0].Text; !strings.Contains(asked, "Use tabs.") || !strings.Contains(asked, "never spaces") {
		t.Errorf("the question is about %q", asked)
	}
	b.says("ask", said("a", "user", "Keep in mind: port 8080."))
	s.stops("stop", "ask")
	waittest.For(b, "what a person asks to keep", func() bool { return len(b.model.Requests()) == 2 })
	b.says("script2", strings.ReplaceAll(script, `"uuid":"s"`, `"uuid":"s2"`))
	if out := b.run("script2"); out.Questions != 1 {
		t.Errorf("a script's conversation that somebody asked to read: %+v", out)
	}
}

func TestExtraction_DailyTokens(t *testing.T) {
	t.Parallel()
	b := setup(t, extraction.Propose, found(), found())
	s := serveWith(b, 2, extraction.Options{Model: b.model.Model(), Quiet: 10 * time.Millisecond, ClaudeDir: b.claude, DailyTokens: 10})
	b.says("one", said("1", "user", "Remember: always use tabs."))
	s.stops("stop", "one")
	waittest.For(b, "the first conversation", func() bool {
		used, err := s.extractor.TokensToday(t.Context())
		return err == nil && used == 15
	})
	b.says("two", said("2", "user", "Remember: never use spaces."))
	s.stops("stop", "two")
	waittest.For(b, "the second to wait", func() bool {
		all, err := jobs.List(t.Context(), b.Store, b.agent().ID)
		return err == nil && slices.ContainsFunc(all, func(e jobs.Entry) bool {
			return e.Key == "two" && e.State == jobs.Waiting && strings.Contains(e.Message, "15 of today's 10 tokens") && e.RunAt.UTC().Hour() == 0
		})
	})
	if n := len(b.model.Requests()); n != 1 {
		t.Errorf("%d questions", n)
	}
	if out := b.run("two"); out.Questions != 1 {
		t.Errorf("a conversation that somebody asked to read: %+v", out)
	}
}

func TestExtraction_ProjectWithoutMemory(t *testing.T) {
	// Claude Code has worked on a project and saved nothing. The conversation's hooks find its
	// agent, and what is saved creates the directory that Claude Code reads.
	t.Parallel()
	b := setup(t, extraction.Auto, found(rule("Use tabs", "always use tabs")))
	s := serveWith(b, 2, extraction.Options{Mode: extraction.Auto, Model: b.model.Model(), Quiet: 10 * time.Millisecond, ClaudeDir: b.claude})
	b.Write("shop/.git/HEAD", "ref: refs/heads/main\n")
	b.Write("shop/cmd/main.go", "package main\n")
	name, root := memoirtest.ClaudeProject(b.Path("shop/cmd")), memoirtest.ClaudeProject(b.Path("shop"))
	path := filepath.Join(b.claude, "projects", name, "s1.jsonl")
	transcript := `{"cwd":"` + b.Path("shop/cmd") + `"}` + "\n" + chatter(0, 20) + said("x", "user", "From now on always use tabs.")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(transcript), 0o644)); err != nil {
		t.Fatal(err)
	}
	memory := filepath.Join(b.claude, "projects", root, "memory")
	if status := s.call("POST", "/hooks/stop", map[string]any{"session_id": "s1", "transcript_path": path, "cwd": b.Path("shop/cmd")}, nil); status != 200 {
		t.Errorf("the hook was answered with %d", status)
	}
	waittest.For(b, "the memory", func() bool {
		_, err := os.Stat(filepath.Join(memory, "use-tabs.md"))
		return err == nil
	})
	waittest.For(b, "the entry", func() bool {
		raw, err := os.ReadFile(filepath.Join(memory, "MEMORY.md"))
		return err == nil && strings.Contains(string(raw), "(use-tabs.md)")
	})
}
