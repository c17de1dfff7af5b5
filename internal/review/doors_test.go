package review_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"memoir/internal/agents"
	"memoir/internal/api"
	"memoir/internal/consolidation"
	"memoir/internal/extraction"
	"memoir/internal/findings/secrets"
	"memoir/internal/hooks"
	"memoir/internal/jobs"
	"memoir/internal/mcp"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/model/modeltest"
	"memoir/internal/pages"
	"memoir/internal/postgres/masked"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/review"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// server is a Memoir with all its doors: API, pages, hooks, MCP, and features with a model.
type server struct {
	*memoirtest.Memoir
	url          string
	log          *record
	model        *modeltest.Server
	consolidator *consolidation.Consolidator
	extractor    *extraction.Extractor
	reviewer     *review.Reviewer
	session      *sdk.ClientSession
}

// record is a log that can be read while it is written.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

func serve(t *testing.T, files memoirtest.Files, replies ...modeltest.Reply) *server {
	t.Helper()
	s := &server{log: &record{}, model: modeltest.New(t, replies...)}
	s.Memoir = memoirtest.StartWith(t, files, func(o *engine.Options) { o.Log = s.logger() })
	s.start(t)
	return s
}

func (s *server) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// start runs the features and the endpoints over the server's Memoir.
func (s *server) start(t *testing.T) {
	t.Helper()
	log := s.logger()
	queue, err := jobs.New(s.Store, jobs.Options{Log: log})
	if err != nil {
		t.Fatal(err)
	}
	s.consolidator = consolidation.Start(s.Engine, s.Store, queue, consolidation.Options{Every: time.Hour, Model: s.model.Model(), Log: log})
	t.Cleanup(s.consolidator.Close)
	s.extractor = extraction.Start(s.Engine, s.Store, extraction.Options{Mode: extraction.Propose, Model: s.model.Model(), ClaudeDir: t.TempDir(), Log: log})
	t.Cleanup(s.extractor.Close)
	s.reviewer = review.Start(s.Engine, s.Store, review.Options{Settle: 10 * time.Millisecond, Suggestions: suggestions{s.extractor}, Plans: plans{s.consolidator}, Log: log})
	t.Cleanup(s.reviewer.Close)
	queue.Start(t.Context(), s.Engine.Ready)
	t.Cleanup(queue.Close)
	shown := masked.Store{Store: s.Store}
	mux := http.NewServeMux()
	mux.Handle("/api/", api.New(s.Engine, shown, s.Recaller, api.Options{ClaudeMDLimit: memoirtest.ClaudeMDLimit, Consolidator: s.consolidator, Extractor: s.extractor, Reviewer: s.reviewer, Log: log}))
	mux.Handle("/hooks/", hooks.New(s.Engine, s.Store, s.Recaller, s.extractor, log))
	mux.Handle("/mcp", mcp.New(s.Engine, shown, s.Recaller, mcp.Options{Version: "v1", Log: log}))
	mux.Handle("/", pages.New(s.Engine, shown, s.Recaller, pages.Options{
		Places: agents.Settings{AgentsDir: s.Dir}, ClaudeMDLimit: memoirtest.ClaudeMDLimit, Consolidator: s.consolidator, Extractor: s.extractor, Log: log,
	}))
	running := httptest.NewServer(mux)
	t.Cleanup(running.Close)
	t.Cleanup(s.Engine.Hub().Close)
	s.url = running.URL
	s.session, err = sdk.NewClient(&sdk.Implementation{Name: "test", Version: "v1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: s.url + "/mcp", MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.session.Close() })
}

// send makes a request and returns the status and the body. A body that is not nil is sent as JSON.
func (s *server) send(method, path string, body any) (status int, answer string) {
	s.Helper()
	var raw []byte
	if body != nil {
		raw, _ = json.Marshal(body)
	}
	request, err := http.NewRequestWithContext(s.Context(), method, s.url+path, bytes.NewReader(raw))
	if err != nil {
		s.Fatal(err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// tool calls a tool of the MCP server and returns all that it says.
func (s *server) tool(name string, arguments map[string]any) string {
	s.Helper()
	result, err := s.session.CallTool(s.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		s.Fatal(err)
	}
	raw, err := json.Marshal(result)
	if err != nil {
		s.Fatal(err)
	}
	return string(raw)
}

const (
	password = "Tr0ub4dor-Kestrel-91"
	other    = "plain-old-Falcon-77x"
)

// withSecret are a team of memories in which one has a secret in each text, and another had one.
func withSecret() memoirtest.Files {
	return memoirtest.Files{
		"ada/memory/warehouse.md":               "---\nname: warehouse login\ndescription: The warehouse database, password is " + password + "\ntype: reference\n---\n\nConnect with postgres://ada:" + password + "@db.internal/warehouse\n",
		"ada/memory/tabs.md":                    memoirtest.Note("Tabs", memories.Feedback, "Always indent the warehouse code with tabs."),
		"ada/memory/broken.md":                  "---\nname: [broken\ntype: user\nnothing closes this\n\nThe token is " + password + "\n",
		"ada/memory/untyped.md":                 "The vault password: " + password + "\n",
		"ada/memory/logs/2026/11/2026-11-20.md": "- 10:00 logged in with password " + password + "\n",
		"ada/memory/MEMORY.md":                  "- [warehouse login](warehouse.md) — the warehouse database\n- The staging password is " + other + "\n",
	}
}

func TestSecret_InNoDoor(t *testing.T) {
	t.Parallel()
	s := serve(t, withSecret(), modeltest.SaysJSON(map[string]any{"memories": []string{}}))
	m := s.Memory("ada", "warehouse login")
	said := map[string]string{}
	get := func(path string) {
		status, body := s.send("GET", path, nil)
		if status >= 500 {
			t.Errorf("GET %s: %d %s", path, status, body)
		}
		said["GET "+path] = body
	}
	post := func(path string, body any) {
		_, answer := s.send("POST", path, body)
		said["POST "+path] = answer
	}
	agent, one := "/api/v1/agents/ada", "/api/v1/agents/ada/memories/"+m.ID
	for _, path := range []string{
		agent + "/memories", agent + "/memories?q=warehouse", agent + "/memories?q=" + password, one, one + "/revisions", one + "/versions", one + "/fixes", one + "/citations",
		agent + "/claude-md", agent + "/claude-md?as_of=" + url.QueryEscape(time.Now().Format(time.RFC3339)), agent + "/index", agent + "/index/lint", agent + "/activity", agent + "/recalls",
		agent + "/proposals", agent + "/consolidation", agent + "/blocked", agent + "/logs", agent + "/memories?as_of=" + url.QueryEscape(time.Now().Format(time.RFC3339)),
		"/api/v1/search?q=warehouse", "/api/v1/search?q=" + password, "/api/v1/search?q=staging", "/api/v1/activity", "/api/v1/agents", "/api/v1/sync",
		"/", "/search?q=warehouse", "/search?q=staging", "/activity", "/sync", "/agents/ada", "/agents/ada/memory", "/agents/ada/claude-md", "/agents/ada/index", "/agents/ada/index/repair", "/agents/ada/recall?q=warehouse",
		"/agents/ada/activity", "/agents/ada/logs", "/agents/ada/logs/2026-11-20", "/agents/ada/trash", "/agents/ada/consolidation", "/agents/ada/attention", "/review", "/review?kind=secret", "/agents/ada/review", "/review?view=snoozed", "/agents/ada/memory/" + m.ID, "/agents/ada/memory/" + m.ID + "/edit", "/agents/ada/memory/" + m.ID + "/history",
		"/agents/ada/memory/" + m.ID + "/delete", "/agents/ada/memory/" + m.ID + "/versions",
	} {
		get(path)
	}
	_, unfinished := s.send("GET", agent+"/memories?state=needs_attention", nil)
	var list struct{ Memories []struct{ ID string } }
	if err := json.Unmarshal([]byte(unfinished), &list); err != nil || len(list.Memories) != 2 {
		t.Fatalf("%v: %s", err, unfinished)
	}
	for _, m := range list.Memories {
		for _, path := range []string{agent + "/memories/" + m.ID, agent + "/memories/" + m.ID + "/fixes", "/agents/ada/memory/" + m.ID, "/agents/ada/memory/" + m.ID + "/fix", "/agents/ada/memory/" + m.ID + "/edit"} {
			get(path)
		}
	}
	post(agent+"/recall", map[string]any{"query": "How do I log in to the warehouse database?"})
	post("/hooks/user-prompt-submit?agent=ada", map[string]any{"session_id": "s1", "prompt": "Log in to the warehouse database, please", "cwd": s.Dir})
	post("/hooks/session-start?agent=ada", map[string]any{"session_id": "s1", "source": "startup", "cwd": s.Dir})
	post(agent+"/memory-tool", map[string]any{"command": "view", "path": "/memories/warehouse.md"})
	post(agent+"/consolidation", nil)
	for name, arguments := range map[string]map[string]any{
		"list_memories": {"agent": "ada"}, "search_memories": {"agent": "ada", "query": "warehouse"}, "get_memory": {"agent": "ada", "name": "warehouse login"},
		"recall": {"agent": "ada", "query": "warehouse database"},
	} {
		said["tool "+name] = s.tool(name, arguments)
	}
	resource, err := s.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "memoir://agents/ada/memories/" + m.ID})
	said["resource"] = fmt.Sprint(resource, err)
	if raw, err := json.Marshal(resource); err == nil {
		said["resource"] += string(raw)
	}
	// A save of the same text, and a refused one.
	post(agent+"/memories", map[string]any{"name": "copy", "type": "user", "body": "The password is " + password})
	post(agent+"/memories", map[string]any{"name": "", "type": "user", "body": "The password is " + password})
	said["CLAUDE.md"] = s.Read("ada/CLAUDE.md")
	said["log"] = s.log.String()
	for _, request := range s.model.Requests() {
		said["model"] += request.Text
	}
	for door, text := range said {
		for _, secret := range []string{password, other} {
			// A search repeats what was asked for.
			if strings.Contains(text, secret) && !strings.Contains(door, secret) {
				t.Errorf("%s tells the secret: %s", door, around(text, secret))
			}
		}
	}
	for _, door := range []string{"GET " + agent + "/memories", "GET " + one, "GET /agents/ada/memory"} {
		if !strings.Contains(said[door], secrets.Bullets) {
			t.Errorf("%s does not show that something is masked", door)
		}
	}
	if !strings.Contains(said["GET "+one], `"code":"secret"`) {
		t.Errorf("the memory has no problem: %s", said["GET "+one])
	}
	for _, door := range []string{"POST " + agent + "/recall", "tool recall", "CLAUDE.md"} {
		if strings.Contains(said[door], "warehouse login") {
			t.Errorf("%s gives a memory in quarantine: %s", door, said[door])
		}
	}
}

// around returns the part of a text with a word.
func around(text, word string) string {
	at := strings.Index(text, word)
	return text[max(0, at-120):min(len(text), at+len(word)+40)]
}

func TestSecret_LetIn(t *testing.T) {
	t.Parallel()
	s := serve(t, withSecret(), modeltest.SaysJSON(map[string]any{}))
	m := s.Memory("ada", "warehouse login")
	status, revealed := s.send("GET", "/api/v1/agents/ada/memories/"+m.ID+"?reveal=true", nil)
	if status != 200 || !strings.Contains(revealed, password) {
		t.Errorf("revealed: %d %s", status, revealed)
	}
	if status, answer := s.send("PATCH", "/api/v1/agents/ada/memories/"+m.ID, map[string]any{"body": "Connect with " + secrets.Bullets}); status != 422 {
		t.Errorf("masked text was saved: %d %s", status, answer)
	}
	if status, answer := s.send("POST", "/api/v1/agents/ada/memories/"+m.ID+"/move", map[string]any{"to": "team"}); status != 422 || strings.Contains(answer, password) {
		t.Errorf("moved to the team: %d %s", status, answer)
	}
	if _, err := s.Engine.LetIn(t.Context(), "ada", m.ID, engine.ETag(m)); err != nil {
		t.Fatal(err)
	}
	if got := s.Read("ada/CLAUDE.md"); !strings.Contains(got, password) {
		t.Errorf("what was let in is not compiled:\n%s", got)
	}
	if status, body := s.send("GET", "/api/v1/agents/ada/memories/"+m.ID, nil); status != 200 || strings.Contains(body, secrets.Bullets) || strings.Contains(body, `"code":"secret"`) {
		t.Errorf("what was let in is masked: %d %s", status, body)
	}
	// The same content stays let in, also after a scan of all files; another one does not.
	touched := time.Now().Add(-time.Minute)
	if err := os.Chtimes(s.Path("ada/memory/warehouse.md"), touched, touched); err != nil {
		t.Fatal(err)
	}
	s.Scan("ada")
	if s.Memory("ada", "warehouse login").IsQuarantined() {
		t.Error("a scan has put the content into quarantine again")
	}
	if _, err := s.Engine.Hold(t.Context(), "ada", m.ID, ""); err != nil {
		t.Fatal(err)
	}
	if got := s.Read("ada/CLAUDE.md"); strings.Contains(got, password) || !s.Memory("ada", "warehouse login").IsQuarantined() {
		t.Errorf("what is held again is compiled:\n%s", got)
	}
	if _, err := s.Engine.LetIn(t.Context(), "ada", m.ID, ""); err != nil {
		t.Fatal(err)
	}
	s.Write("ada/memory/warehouse.md", memoirtest.Note("warehouse login", memories.Reference, "Now the password is "+other+"."))
	waittest.For(t, "the new content", func() bool { return s.Memory("ada", "warehouse login").IsQuarantined() })
	if got := s.Read("ada/CLAUDE.md"); strings.Contains(got, other) {
		t.Errorf("the new secret is compiled:\n%s", got)
	}
}

func TestSecret_KnownBeforeRules(t *testing.T) {
	// A database from before these rules has no problems. The first full scan examines all memories.
	t.Parallel()
	s := serve(t, withSecret(), modeltest.SaysJSON(map[string]any{}))
	conn, err := pgx.Connect(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `UPDATE memories SET problems = '[]'; UPDATE agents SET examined_version = 0`); err != nil {
		t.Fatal(err)
	}
	if s.Memory("ada", "warehouse login").IsQuarantined() {
		t.Fatal("the database still knows it")
	}
	s.Scan("ada")
	if !s.Memory("ada", "warehouse login").IsQuarantined() || strings.Contains(s.Read("ada/CLAUDE.md"), password) {
		t.Errorf("not held:\n%s", s.Read("ada/CLAUDE.md"))
	}
}
