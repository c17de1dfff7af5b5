package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/model/modeltest"
	"memoir/internal/pages"
	"memoir/internal/postgres"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/records"
	"memoir/internal/waittest"
)

// ownTables are tables that change without a request, or store sign-ins.
var ownTables = map[string]string{
	"sign_ins":           "browsers that are signed in",
	"job_servers":        "each server notes that it is running",
	"river_leader":       "which server moves jobs along",
	"river_queue":        "the same, of River",
	"river_notification": "what River's servers tell each other",
	"server_requests":    "what one server asks of another",
	"agent_stats":        "what a server tells the others about its files",
}

// TestReader_ChangesNothing calls every operation of the API and every page with the read token,
// and compares all tables and files before and after.
func TestReader_ChangesNothing(t *testing.T) {
	t.Parallel()
	w := startWalk(t)
	// files younger than 2 s are read again by each scan
	w.until("all files to be trusted", func() string {
		w.allowed(http.MethodPost, "/api/v1/scan", "")
		return strings.Join(w.list("SELECT path FROM files WHERE present AND status = 'mirrored' AND signature IS NULL"), ", ")
	})
	before, asked := w.wait("the server to come to rest"), len(w.model.Requests())
	w.walkAPI()
	w.walkPages()
	w.walkHooks()
	w.walkTools()
	for range 3 { // background work starts up to 2 s after its request
		time.Sleep(time.Second)
		if difference := before.differences(w.state()); difference != "" {
			t.Fatalf("reading has changed:\n%s", difference)
		}
	}
	if now := len(w.model.Requests()); now != asked {
		t.Errorf("a reader's requests asked the model %d times", now-asked)
	}
}

// walk is a server with memories in every state, and the parameters of its addresses.
type walk struct {
	*runningServer
	model     *modeltest.Server
	claudeDir string
	db        *pgx.Conn
	agents    []string
	// values are the values of each parameter, by the preceding part of the path.
	values map[string][]string
}

// startWalk creates three agents: ada, with every kind of problem; lost, whose memories are
// missing; and a project of Claude Code with citations.
func startWalk(t *testing.T) *walk {
	t.Helper()
	w := &walk{model: modeltest.New(t, modeltest.Says(`{"selected_memories": []}`)), claudeDir: t.TempDir(), values: map[string][]string{}}
	project := t.TempDir()
	dir := filepath.Join(w.claudeDir, "projects", memoirtest.ClaudeProject(project))
	writeAt(t, filepath.Join(w.claudeDir, "projects/other/memory/other.md"), memoirtest.Note("Other", memories.User, "Elsewhere."))
	cwd, _ := json.Marshal(map[string]string{"cwd": project, "sessionId": "1"})
	writeAt(t, filepath.Join(dir, "1.jsonl"), string(cwd)+"\n")
	writeAt(t, filepath.Join(dir, "memory", "cites.md"), memoirtest.Note("Cites", memories.Project, "See `src/gone.go:12`."))
	database := pgtest.New(t)
	env := map[string]string{"ANTHROPIC_API_KEY": modeltest.Key, "ANTHROPIC_BASE_URL": w.model.URL}
	w.runningServer = startServerIn(t, env, "--token=all", "--read-token=look-only", "--claude-dir="+w.claudeDir, "--database-url="+database, "--background-model=")
	var err error
	if w.db, err = pgx.Connect(t.Context(), database); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.db.Close(context.Background()) })
	w.prepare(filepath.Base(dir), database)
	return w
}

// prepare brings the agents into every state.
func (w *walk) prepare(project, database string) {
	w.Helper()
	agents := filepath.Join(w.dir, "agents")
	const session = "U01-C0-1741512345.123456"
	for path, text := range map[string]string{
		"ada/memory/MEMORY.md":                          "- [Tabs](tabs.md) — hook\n- [Gone](gone.md)\n- Node 22 only: 24 breaks the canvas module\n",
		"ada/memory/no_type.md":                         "---\nname: No type\n---\n\nA body.\n",
		"ada/memory/broken.md":                          "\x00\xff",
		"ada/memory/lenient.md":                         "---\nname: Lenient #1 name\ntype: user\ndescription: a: b: c\n---\n\nA body.\n",
		"ada/memory/twin.md":                            memoirtest.Note("Twin", memories.User, "Likes tea."),
		"ada/memory/twin_too.md":                        memoirtest.Note("Twin too", memories.User, "Likes tea."),
		"ada/memory/README.md":                          "# For people\n",
		"ada/memory/team/office.md":                     memoirtest.Note("Office", memories.Reference, "Second floor."),
		"ada/memory/logs/2026/03/2026-03-02.md":         "- 09:00:00 Deployed\n",
		"ada/session-memory/" + session + "/memory.md":  "# Where we are\n",
		"ada/sessions/" + session + "/memory/tabs.md":   memoirtest.Note("Tabs", memories.Feedback, "Use spaces."),
		"ada/sessions/" + session + "/memory/seen.md":   memoirtest.Note("Seen", memories.Reference, "At staging."),
		"ada/sessions/" + session + "/memory/MEMORY.md": "",
	} {
		writeAt(w.T, filepath.Join(agents, path), text)
	}
	for i := range 12 {
		writeAt(w.T, filepath.Join(agents, "lost/memory", fmt.Sprintf("n%d.md", i)), memoirtest.Note(fmt.Sprintf("Note %d", i), memories.Project, fmt.Sprint(i)))
	}
	w.allowed(http.MethodPost, "/api/v1/scan", "")
	for i := range 11 {
		if err := os.Remove(filepath.Join(agents, "lost/memory", fmt.Sprintf("n%d.md", i))); err != nil {
			w.Fatal(err)
		}
	}
	who := filepath.Join(agents, "ada/memory/who.md")
	deleted, err := os.ReadFile(who)
	if err != nil {
		w.Fatal(err)
	}
	w.allowed(http.MethodDelete, "/api/v1/agents/ada/memories/"+w.idOf("ada", "Who asks"), "")
	writeAt(w.T, who, string(deleted))
	w.allowed(http.MethodPatch, "/api/v1/agents/ada/memories/"+w.idOf("ada", "Release day"), `{"body":"Wednesday."}`)
	w.allowed(http.MethodPost, "/api/v1/scan", "")
	w.propose(database)
	w.allowed(http.MethodPost, "/api/v1/agents/ada/logs", `{"text":"Deployed v2"}`)
	w.allowed(http.MethodPost, "/api/v1/agents/ada/consolidation", "")
	w.allowed(http.MethodPost, "/api/v1/agents/ada/recall", `{"query":"which day do we release","session":"s1"}`)
	recall := w.allowed(http.MethodPost, "/api/v1/agents/ada/recall?async=true", `{"query":"should I use tabs or spaces","session":"s1"}`)

	w.agents = []string{"ada", "lost", project}
	w.values["memory"] = w.list("SELECT id::text FROM memories ORDER BY name")
	w.values["memories"] = w.values["memory"]
	w.values["versions"] = w.list("SELECT DISTINCT encode(fingerprint, 'hex') FROM files WHERE memory_id IN (SELECT id FROM memories WHERE conflict IS NOT NULL)")
	w.values["history"] = w.list("SELECT encode(fingerprint, 'hex') FROM revisions")
	w.values["blocked"] = w.list("SELECT id::text FROM blocked_contents")
	w.values["proposals"] = w.list("SELECT id::text FROM proposals")
	waittest.For(w.T, "the review", func() bool {
		w.values["review"] = w.list("SELECT id FROM review_items")
		return len(w.values["review"]) > 0
	})
	w.values["recall"] = []string{field(w.T, recall, "id")}
	w.values["facts"] = w.list("SELECT id::text FROM index_facts")
	w.values["find"] = w.values["memory"]
	w.values["sessions"] = []string{session}
	w.values["logs"] = []string{"2026-03-02"}
	w.values["steps"] = append(w.list("SELECT id::text FROM consolidation_steps"), uuid.NewString())
	w.values["tokens"] = []string{uuid.NewString()}
	w.values["access"] = w.values["tokens"]
	w.values["missing"] = []string{"restore", "delete"}
	w.values["targets"] = []string{"agents", "cursor"}
	w.values["undo"] = append(w.list("SELECT DISTINCT action FROM activity WHERE action IS NOT NULL"),
		w.list("SELECT agent_id || '.' || (extract(epoch FROM at) * 1000000)::bigint || '.' || id FROM activity WHERE kind = 'deleted'")...)
	w.values["batch"] = []string{"delete"}
	for name, values := range w.values {
		if len(values) == 0 {
			w.Errorf("there is no value for %s", name)
		}
	}
}

// propose stores a proposal as if it came from a conversation.
func (w *walk) propose(database string) {
	w.Helper()
	store, err := postgres.Open(w.Context(), database)
	if err != nil {
		w.Fatal(err)
	}
	defer store.Close()
	agent, err := store.Agent(w.Context(), "ada")
	if err != nil {
		w.Fatal(err)
	}
	now := records.Now()
	if err := store.TouchConversation(w.Context(), agent.ID, "s2", "/x.jsonl", now); err != nil {
		w.Fatal(err)
	}
	c := memories.Content{Name: "Small commits", Type: memories.Feedback, Description: "About commits", Body: "Commit often."}
	_, err = store.SaveFinding(w.Context(), records.Finding{AgentID: agent.ID, Session: "s2", ReadAt: now, Proposals: []records.Proposal{{
		ID: uuid.New(), AgentID: agent.ID, State: records.ProposalWaiting, Content: c, Fingerprint: memories.FingerprintOf(c.Type, c.Name, c.Body),
		Quote: "commit often", QuotedAt: now, Session: "s2", ProposedAt: now,
	}}})
	if err != nil {
		w.Fatal(err)
	}
}

// walkAPI calls every operation of the OpenAPI document.
func (w *walk) walkAPI() {
	w.Helper()
	_, document := w.as("look-only", http.MethodGet, "/api/openapi.json", "")
	var described struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(document), &described); err != nil {
		w.Fatal(err)
	}
	queries := map[string][]string{
		"/api/v1/search": {"?q=tabs", "?q=tbas&near=true"}, "/api/v1/agents/{slug}/memories": {"", "?state=deleted", "?q=tabs", "?as_of=2030-01-01T00:00:00Z"},
		"/api/v1/agents/{slug}/recall": {"", "?async=true"}, "/api/v1/agents/{slug}/claude-md": {"", "?as_of=2030-01-01T00:00:00Z"},
	}
	bodies := map[string]string{"recall": `{"query":"which day do we release","session":"s1"}`}
	for _, path := range slices.Sorted(maps.Keys(described.Paths)) {
		for method := range described.Paths[path] {
			method = strings.ToUpper(method)
			_, call := filepath.Split(path)
			body := bodies[call]
			if body == "" && method != http.MethodGet {
				body = "{}"
			}
			var addresses []string
			asked := append([]string{""}, queries[path]...)
			if path == "/api/v1/export" {
				asked = []string{"?format=markdown"} // an archive has secrets
			}
			for _, query := range asked {
				for _, address := range w.addresses(path) {
					addresses = append(addresses, address+query)
				}
			}
			// A backup has everything, also secrets; TestBackup_NotForReaders checks its refusal.
			if path != "/api/v1/backup" {
				w.read(method, path, addresses, body, (method == http.MethodGet || call == "recall") && !isForAdmins(path))
			}
		}
	}
}

// isForAdmins reports whether only admins may use a path.
func isForAdmins(path string) bool {
	return slices.ContainsFunc(adminPaths, func(admin string) bool { return strings.HasPrefix(path, admin) })
}

// walkPages requests every page and posts every form.
func (w *walk) walkPages() {
	w.Helper()
	routes := pages.New(nil, nil, nil, pages.Options{}).(chi.Routes)
	err := chi.Walk(routes, func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		addresses := w.addresses(route)
		switch {
		case strings.HasSuffix(route, "*"): // assets
			return nil
		case route == "/theme": // a cookie of the browser
			return nil
		}
		w.read(method, route, addresses, "", method == http.MethodGet && !isForAdmins(route))
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
}

// read makes requests as a reader. They must be refused unless reads is true; then at least one
// must succeed.
func (w *walk) read(method, route string, addresses []string, body string, reads bool) {
	w.Helper()
	succeeded := false
	for _, address := range addresses {
		status, answer := w.asReader(method, address, body)
		switch {
		case !reads && status != http.StatusForbidden:
			w.Errorf("%s %s is %d, want 403: %.200s", method, address, status, answer)
		case reads && (status == http.StatusForbidden || status >= http.StatusInternalServerError):
			w.Errorf("%s %s is %d: %.200s", method, address, status, answer)
		}
		succeeded = succeeded || status < http.StatusBadRequest
	}
	if reads && !succeeded {
		w.Errorf("%s %s succeeds for none of %d addresses", method, route, len(addresses))
	}
}

// asReader makes a request as a reader. It does not read an event stream, which never ends.
func (w *walk) asReader(method, address, body string) (status int, answer string) {
	w.Helper()
	if !strings.HasSuffix(address, "/events") {
		return w.as("look-only", method, address, body)
	}
	ctx, cancel := context.WithCancel(w.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, "http://"+w.addr+address, nil)
	if err != nil {
		w.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer look-only")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		w.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode, ""
}

var parameter = regexp.MustCompile(`(?:^|/)([^/{]*)/?\{([^}]+)\}`)

// addresses returns the path with all values of its parameters, for each agent.
func (w *walk) addresses(path string) []string {
	w.Helper()
	found := []string{path}
	for _, m := range parameter.FindAllStringSubmatch(path, -1) {
		values := w.values[m[1]]
		if m[2] == "slug" {
			values = w.agents
		}
		if len(values) == 0 {
			w.Errorf("%s: there are no values for {%s} after %q: add them", path, m[2], m[1])
		}
		var filled []string
		for _, address := range found {
			for _, value := range values {
				filled = append(filled, strings.Replace(address, "{"+m[2]+"}", url.PathEscape(value), 1))
			}
		}
		found = filled
	}
	return found
}

// walkHooks calls the hooks as a conversation does.
func (w *walk) walkHooks() {
	w.Helper()
	body, err := json.Marshal(map[string]any{
		"session_id": "s1", "prompt": "which day do we release", "source": "compact", "cwd": filepath.Join(w.dir, "agents", "ada"),
		"transcript_path": filepath.Join(w.claudeDir, "projects", w.agents[2], "1.jsonl"), "tool_input": map[string]string{"file_path": filepath.Join(w.dir, "agents/ada/memory/tabs.md")},
	})
	if err != nil {
		w.Fatal(err)
	}
	for _, hook := range []string{"session-start", "user-prompt-submit", "post-tool-use", "stop", "pre-compact", "session-end"} {
		if status, answer := w.as("look-only", http.MethodPost, "/hooks/"+hook+"?agent=ada", string(body)); status != http.StatusOK {
			w.Errorf("the hook %s is %d: %s", hook, status, answer)
		}
	}
}

// walkTools calls every MCP tool, hidden ones included.
func (w *walk) walkTools() {
	w.Helper()
	tools := func(token string) (list struct {
		Result struct{ Tools []struct{ Name string } }
	}) {
		_, answer := w.as(token, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if _, after, isStream := strings.Cut(answer, "data: "); isStream {
			answer = after
		}
		if err := json.Unmarshal([]byte(answer), &list); err != nil || len(list.Result.Tools) == 0 {
			w.Fatalf("the tools: %v: %s", err, answer)
		}
		return list
	}
	shown := tools("look-only").Result.Tools
	for _, tool := range tools("all").Result.Tools {
		arguments := `{"agent":"ada","query":"which day do we release","session":"s1","name":"Tabs","text":"x","type":"user","body":"x"}`
		if slices.Contains(shown, tool) { // these refuse unknown arguments
			arguments = map[string]string{
				"recall": `{"agent":"ada","query":"which day do we release","session":"s1"}`, "get_memory": `{"agent":"ada","name":"Tabs"}`,
				"search_memories": `{"agent":"ada","query":"tabs"}`, "list_memories": `{"agent":"ada"}`,
			}[tool.Name]
		}
		if arguments == "" {
			w.Errorf("there are no arguments for the tool %s: add them", tool.Name)
		}
		status, answer := w.as("look-only", http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool.Name+`","arguments":`+arguments+`}}`)
		if isRefused := strings.Contains(answer, `"isError":true`) || strings.Contains(answer, `"error"`); status != http.StatusOK || isRefused == slices.Contains(shown, tool) {
			w.Errorf("the tool %s as a reader is %d: %s", tool.Name, status, answer)
		}
	}
}

// picture is the content of database and disk, one line per row and file.
type picture map[string]bool

// wait returns the state after a while without changes, when background work has ended.
func (w *walk) wait(what string) picture {
	w.Helper()
	last, since := w.state(), time.Now()
	w.until(what, func() string {
		due := w.list(reviewsDue)
		now := w.state()
		difference := last.differences(now)
		if difference != "" {
			last, since = now, time.Now()
		}
		if time.Since(since) < 3*time.Second {
			return "last changed: " + difference
		}
		if len(due) > 0 {
			return "not reviewed yet: " + strings.Join(due, ", ")
		}
		return ""
	})
	return last
}

// reviewsDue selects the agents whose memories have changed since the background review examined them.
const reviewsDue = `SELECT a.slug FROM agents a LEFT JOIN review_runs r ON r.agent_id = a.id
	WHERE a.present AND a.joined_to IS NULL AND r.memories_version IS DISTINCT FROM a.memories_version`

func (w *walk) state() picture {
	w.Helper()
	found := picture{}
	for _, table := range w.list("SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1") {
		if ownTables[table] != "" {
			continue
		}
		for _, row := range w.list("SELECT t::text FROM " + pgx.Identifier{table}.Sanitize() + " t") {
			found[table+" "+row] = true
		}
	}
	for _, dir := range []string{filepath.Join(w.dir, "agents"), w.claudeDir} {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := entry.Info()
			if err != nil {
				return err
			}
			line := fmt.Sprintf("%s %v %v", path, info.Mode(), info.ModTime())
			if info.Mode().IsRegular() {
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				line += fmt.Sprintf(" %q", text)
			}
			found[line] = true
			return nil
		})
		if err != nil {
			w.Fatal(err)
		}
	}
	return found
}

// differences returns the lines that only one of two pictures has.
func (p picture) differences(other picture) string {
	var out strings.Builder
	for _, side := range []struct {
		sign     string
		has, not picture
	}{{"- ", p, other}, {"+ ", other, p}} {
		for _, line := range slices.Sorted(maps.Keys(side.has)) {
			if !side.not[line] {
				fmt.Fprintf(&out, "%s%.500s\n", side.sign, line)
			}
		}
	}
	return out.String()
}

// list returns the first column of a query.
func (w *walk) list(query string) []string {
	w.Helper()
	rows, err := w.db.Query(w.Context(), query)
	if err != nil {
		w.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		w.Fatalf("%s: %v", query, err)
	}
	return found
}

// allowed makes a request with the full token, which must succeed.
func (w *walk) allowed(method, path, body string) (answer string) {
	w.Helper()
	status, answer := w.as("all", method, path, body)
	if status >= http.StatusBadRequest {
		w.Fatalf("%s %s is %d: %s", method, path, status, answer)
	}
	return answer
}

// idOf returns the id of the memory with a name.
func (w *walk) idOf(slug, name string) string {
	w.Helper()
	var list struct{ Memories []struct{ ID string } }
	answer := w.allowed(http.MethodGet, "/api/v1/agents/"+slug+"/memories?name="+url.QueryEscape(name), "")
	if err := json.Unmarshal([]byte(answer), &list); err != nil || len(list.Memories) == 0 {
		w.Fatalf("%s has no memory %q: %s", slug, name, answer)
	}
	return list.Memories[0].ID
}

// field returns a field of a JSON object.
func field(t *testing.T, object, name string) string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(object), &fields); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(fields[name])
}

func writeAt(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
