package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/jackc/pgx/v5"

	"memoir/internal/access"
	"memoir/internal/access/oidc/oidctest"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/pages"
)

// marker is in names, descriptions and bodies of the hidden agent.
const marker = "quokka"

// TestCallers_HiddenAgent calls every operation of the API, every page, hook and tool with tokens
// that see only the agents lost*. Nothing of the agent ada may be in an answer, and ada must not
// change. A new route or tool is part of it without a change here.
func TestCallers_HiddenAgent(t *testing.T) {
	t.Parallel()
	w := startWalk(t)
	agents := filepath.Join(w.dir, "agents")
	for path, text := range map[string]string{
		"ada/memory/a.md":                                   memoirtest.Note("A "+marker, memories.User, "Likes the "+marker+"."),
		"ada/memory/logs/2026/03/2026-03-03.md":             "- 09:00:00 Saw a " + marker + "\n",
		"ada/sessions/U02-C1-1741512345.123456/memory/b.md": memoirtest.Note("B "+marker, memories.Project, "See [["+marker+"]]."),
		"lost/memory/tabs.md":                               memoirtest.Note("Tabs of lost", memories.Feedback, "Use tabs."),
		"lost-2/memory/tabs.md":                             memoirtest.Note("Tabs of lost 2", memories.Feedback, "Use spaces."),
	} {
		writeAt(t, filepath.Join(agents, path), text)
	}
	w.allowed(http.MethodPost, "/api/v1/scan", "")
	h := hiddenFrom(w, "ada")
	before := h.wait()
	for _, scope := range []access.Scope{access.Read, access.Agent, access.Write} {
		token := w.tokenOf(fmt.Sprintf(`{"name":"%[1]s of lost","scope":"%[1]s","agents":["lost*"]}`, scope))
		t.Run(string(scope), func(t *testing.T) {
			h.T, h.token, h.scope = t, token, scope
			h.walkAPI()
			h.walkPages()
			h.walkHooks()
			h.walkMCP()
			h.walkServer()
			if status, list := h.as(token, http.MethodGet, "/api/v1/agents", ""); status != http.StatusOK || !strings.Contains(list, `"slug":"lost"`) || !strings.Contains(list, `"slug":"lost-2"`) {
				t.Errorf("the visible agents: %d %s", status, list)
			}
		})
	}
	h.T = t
	if difference := before.differences(h.wait()); difference != "" {
		t.Errorf("the hidden agent has changed:\n%s", difference)
	}
}

// hidden is a walk as a caller that may not see one agent.
type hidden struct {
	*walk
	*testing.T
	slug    string
	id      string
	secrets []string // texts of the agent that no answer may have
	token   string
	scope   access.Scope
}

// hiddenFrom collects what identifies an agent in the database.
func hiddenFrom(w *walk, slug string) *hidden {
	w.Helper()
	h := &hidden{walk: w, T: w.T, slug: slug, id: w.list("SELECT id::text FROM agents WHERE slug = '" + slug + "'")[0]}
	of := " WHERE agent_id = " + h.id
	h.secrets = slices.Concat([]string{marker, "/agents/" + slug + "/memory/", `"agent":"` + slug + `"`, `"slug":"` + slug + `"`},
		w.list("SELECT id::text FROM memories"+of), w.list("SELECT name FROM memories"+of+" AND length(name) > 8"),
		w.list("SELECT r.id::text FROM revisions r JOIN memories m ON m.id = r.memory_id"+of), w.list("SELECT id::text FROM blocked_contents"+of),
		w.list("SELECT id::text FROM proposals"+of), w.list("SELECT id::text FROM recalls"+of), w.list("SELECT id FROM review_items"+of),
		w.list("SELECT id::text FROM index_facts"+of), w.list("SELECT DISTINCT action FROM activity"+of+" AND action IS NOT NULL"))
	return h
}

// request makes a request as the caller and checks that the answer has nothing of the agent. The
// address itself, and what it contains, may be repeated.
func (h *hidden) request(method, route, address, contentType, body string) int {
	h.Helper()
	request, err := http.NewRequestWithContext(h.T.Context(), method, "http://"+h.addr+address, strings.NewReader(body))
	if err != nil {
		h.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+h.token)
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("Accept", "application/json, text/html, text/event-stream")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		h.Fatal(err)
	}
	defer response.Body.Close()
	if strings.HasSuffix(address, "/events") {
		return response.StatusCode // endless; TestCallers_Events reads one
	}
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		h.Fatal(err)
	}
	header, _ := json.Marshal(response.Header)
	for _, part := range [][]byte{answer, header} {
		for _, secret := range h.secrets {
			if bytes.Contains(part, []byte(secret)) && !strings.Contains(address+body, secret) && !isEcho(address, secret) {
				at := bytes.Index(part, []byte(secret))
				h.Errorf("%s %s (%s) is %d and shows %q: …%s…", method, address, route, response.StatusCode, secret, part[max(0, at-80):min(len(part), at+80)])
				break
			}
		}
	}
	needed := needs(request)
	isRefused := !h.scope.Allows(needed) || needsAllAgents(request)
	switch {
	case response.StatusCode >= http.StatusInternalServerError:
		h.Errorf("%s %s is %d: %.300s", method, address, response.StatusCode, answer)
	case (response.StatusCode == http.StatusForbidden) != isRefused && !strings.HasSuffix(route, "/memory-tool"):
		h.Errorf("%s %s with the scope %s is %d, and needs %s: %.300s", method, address, h.scope, response.StatusCode, needed, answer)
	case strings.Contains(route, "{slug}") && strings.Contains(address, "/agents/"+h.slug) && response.StatusCode < 300:
		h.Errorf("%s %s is %d, want 404: %.300s", method, address, response.StatusCode, answer)
	}
	return response.StatusCode
}

// isEcho reports whether an address names the secret, so that its answer may repeat it.
func isEcho(address, secret string) bool {
	return strings.Contains(address, "/agents/ada") && (strings.HasPrefix(secret, "/agents/ada") || strings.HasSuffix(secret, `:"ada"`))
}

func (h *hidden) walkAPI() {
	h.Helper()
	_, document := h.as("look-only", http.MethodGet, "/api/openapi.json", "")
	var described struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(document), &described); err != nil {
		h.Fatal(err)
	}
	queries := map[string][]string{
		"/api/v1/search": {"?q=" + marker, "?q=quoka&near=true", "?q=tabs", "?q=likes"},
		"/api/v1/review": {"?agent=ada"}, "/api/v1/activity": {"?limit=500"},
		"/api/v1/agents/{slug}/memories": {"?q=" + marker, "?state=deleted", "?as_of=2030-01-01T00:00:00Z"},
	}
	all := h.ids()
	bodies := map[string][]string{
		"memories": {`{"name":"Tabs","type":"user","body":"Changed."}`}, "recall": {`{"query":"which animal is liked","session":"s9"}`, `{"query":"tabs or spaces"}`},
		"logs": {`{"text":"Changed."}`}, "memory-tool": {`{"command":"view","path":"/memories"}`, `{"command":"create","path":"/memories/x.md","file_text":"x"}`},
		"memories:batch": {`{"delete":[` + all + `]}`, `{"verify":[` + all + `]}`}, "memories:deletion": {`{"ids":[` + all + `]}`},
		"{id}": {`{"decision":"delete"}`, `{"body":"Changed."}`}, "move": {`{"to":"shared","agent":"ada"}`, `{"to":"private","agent":"ada"}`}, "copy": {`{"to":"private","agent":"ada"}`},
		"batch": {`{"decision":"delete","items":[` + quoted(h.values["review"]) + `]}`, `{"decisions":[{"id":` + quoted(h.values["review"][:1]) + `,"decision":"delete"}]}`},
	}
	for _, path := range slices.Sorted(maps.Keys(described.Paths)) {
		for method := range described.Paths[path] {
			method = strings.ToUpper(method)
			_, call := filepath.Split(path)
			sent := append([]string{"{}"}, bodies[call]...)
			if method == http.MethodGet {
				sent = []string{""}
			}
			for _, query := range append([]string{""}, queries[path]...) {
				for _, address := range h.addresses(path) {
					for _, body := range sent {
						h.request(method, path, address+query, "application/json", body)
					}
				}
			}
		}
	}
}

// ids returns all memories as the elements of a JSON array.
func (h *hidden) ids() string { return quoted(h.values["memory"]) }

func quoted(values []string) string { return `"` + strings.Join(values, `","`) + `"` }

func (h *hidden) walkPages() {
	h.Helper()
	form := "id=" + strings.Join(h.values["memory"], "&id=") + "&name=Tabs&type=user&body=Changed.&decision=delete&to=shared&agent=ada&text=Changed&item=" + strings.Join(h.values["review"], "&item=")
	queries := map[string][]string{
		"/": {"?q=" + marker, "?show=all"}, "/search": {"?q=" + marker, "?q=tabs"}, "/palette": {"?q=" + marker, "?q=ada", "?q=tabs"},
		"/timeline": {"?q=" + marker, "?agent=ada"}, "/review": {"?agent=ada"},
	}
	err := chi.Walk(pages.New(nil, nil, nil, pages.Options{}).(chi.Routes), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if strings.HasSuffix(route, "*") || route == "/theme" {
			return nil // assets, and a cookie
		}
		for _, query := range append([]string{""}, queries[route]...) {
			for _, address := range h.addresses(route) {
				body := ""
				if method == http.MethodPost {
					body = form
				}
				h.request(method, route, address+query, "application/x-www-form-urlencoded", body)
			}
		}
		return nil
	})
	if err != nil {
		h.Fatal(err)
	}
}

func (h *hidden) walkHooks() {
	h.Helper()
	for _, query := range []string{"?agent=ada", ""} {
		body, err := json.Marshal(map[string]any{
			"session_id": "s9", "prompt": "which " + marker + " likes tabs", "source": "compact", "cwd": filepath.Join(h.dir, "agents", "ada"),
			"transcript_path": filepath.Join(h.claudeDir, "projects", h.agents[2], "1.jsonl"), "tool_input": map[string]string{"file_path": filepath.Join(h.dir, "agents/ada/memory/tabs.md")},
		})
		if err != nil {
			h.Fatal(err)
		}
		for _, hook := range []string{"session-start", "user-prompt-submit", "post-tool-use", "stop", "pre-compact", "session-end"} {
			status, answer := h.as(h.token, http.MethodPost, "/hooks/"+hook+query, string(body))
			if status != http.StatusOK || strings.TrimSpace(answer) != "{}" {
				h.Errorf("the hook %s is %d: %s", hook, status, answer)
			}
		}
	}
}

// walkMCP calls every tool and prompt, and reads every resource, hidden ones included.
func (h *hidden) walkMCP() {
	h.Helper()
	rpc := func(token, query, method, params string) (answer string) {
		_, answer = h.as(token, http.MethodPost, "/mcp"+query, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`)
		return answer
	}
	var tools struct {
		Result struct {
			Tools []struct {
				Name        string
				InputSchema struct{ Properties map[string]json.RawMessage }
			}
			Prompts   []struct{ Name string }
			Resources []struct{ URI string }
		}
	}
	get := func(method string) {
		if err := json.Unmarshal([]byte(rpc("all", "", method, "{}")), &tools); err != nil {
			h.Fatal(err)
		}
	}
	get("tools/list")
	get("prompts/list")
	get("resources/list")
	if len(tools.Result.Tools) < 5 || len(tools.Result.Prompts) == 0 || len(tools.Result.Resources) == 0 {
		h.Fatalf("MCP lists %+v", tools.Result)
	}
	values := map[string]string{
		"agent": "ada", "query": marker, "session": "s9", "name": "A " + marker, "text": "Changed.", "type": "user", "body": "Changed.", "id": h.values["memory"][0],
	}
	check := func(what, answer string) {
		for _, secret := range h.secrets {
			if strings.Contains(answer, secret) && !slices.Contains(slices.Collect(maps.Values(values)), secret) && secret != marker {
				h.Errorf("MCP %s shows %q: %.300s", what, secret, answer)
			}
		}
		if strings.Contains(answer, "Likes the "+marker) {
			h.Errorf("MCP %s shows a body: %.300s", what, answer)
		}
	}
	for _, query := range []string{"", "?agent=ada", "?dir=" + filepath.Join(h.dir, "agents", "ada")} {
		for _, tool := range tools.Result.Tools {
			arguments := map[string]string{}
			for name := range tool.InputSchema.Properties {
				if values[name] != "" && (name != "agent" || query == "") {
					arguments[name] = values[name]
				}
			}
			raw, err := json.Marshal(map[string]any{"name": tool.Name, "arguments": arguments})
			if err != nil {
				h.Fatal(err)
			}
			answer := rpc(h.token, query, "tools/call", string(raw))
			check(tool.Name+query, answer)
			if !strings.Contains(answer, `"isError":true`) && !strings.Contains(answer, `"error"`) {
				h.Errorf("the tool %s%s succeeds: %.300s", tool.Name, query, answer)
			}
		}
		for _, prompt := range tools.Result.Prompts {
			check(prompt.Name, rpc(h.token, query, "prompts/get", `{"name":"`+prompt.Name+`","arguments":{"agent":"ada","task":"`+marker+`","about":"`+marker+`"}}`))
		}
		for _, list := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
			check(list+query, rpc(h.token, query, list, "{}"))
		}
		check("completion", rpc(h.token, query, "completion/complete", `{"ref":{"type":"ref/prompt","name":"`+tools.Result.Prompts[0].Name+`"},"argument":{"name":"agent","value":"a"}}`))
	}
	for _, resource := range tools.Result.Resources {
		answer := rpc(h.token, "", "resources/read", `{"uri":"`+resource.URI+`"}`)
		if strings.Contains(resource.URI, "/ada/") && !strings.Contains(answer, `"error"`) {
			h.Errorf("resource %s is %.300s", resource.URI, answer)
		}
	}
}

// walkServer asks for what describes the whole server, which counts and names all agents.
func (h *hidden) walkServer() {
	h.Helper()
	for _, path := range []string{"/metrics", "/api/v1/doctor", "/api/v1/%64octor", "/%6detrics"} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			if status := h.request(method, path, path, "application/json", ""); status != http.StatusForbidden {
				h.Errorf("%s %s is %d, want 403", method, path, status)
			}
		}
	}
}

// wait returns the rows and files of the agent after a while without changes.
func (h *hidden) wait() picture {
	h.Helper()
	h.walk.T = h.T
	h.walk.wait("the server to come to rest")
	found := picture{}
	for _, table := range h.list("SELECT table_name FROM information_schema.columns WHERE column_name = 'agent_id' AND table_schema = current_schema()") {
		if ownTables[table] != "" {
			continue
		}
		for _, row := range h.list("SELECT t::text FROM " + pgx.Identifier{table}.Sanitize() + " t WHERE agent_id = " + h.id) {
			found[table+" "+row] = true
		}
	}
	for _, row := range h.list("SELECT t::text FROM agents t WHERE id = " + h.id) {
		found["agents "+row] = true
	}
	err := filepath.WalkDir(filepath.Join(h.dir, "agents", h.slug), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		found[fmt.Sprintf("%s %q", path, text)] = true
		return err
	})
	if err != nil {
		h.Fatal(err)
	}
	return found
}

// tokenOf creates a token with the token of the settings.
func (w *walk) tokenOf(body string) string {
	w.Helper()
	return field(w.T, w.allowed(http.MethodPost, "/api/v1/tokens", body), "token")
}

// TestCallers_Scopes calls every operation and page as every kind of caller, for an agent that does
// not exist. A caller without access gets nothing, and one with a smaller scope than needed gets 403.
func TestCallers_Scopes(t *testing.T) {
	t.Parallel()
	provider := oidctest.New(t)
	s := startServerIn(t, oidcEnv, oidcFlags(provider, "--read-token=look-only")...)
	token := func(body string) string { return s.newToken(body).Token }
	revoked := s.newToken(`{"name":"revoked","scope":"admin"}`)
	if status, _ := s.as("all-of-it-for-me", http.MethodDelete, "/api/v1/tokens/"+revoked.ID, ""); status != http.StatusOK {
		t.Fatal(status)
	}
	type caller struct {
		token  string
		cookie *http.Cookie
		scope  access.Scope
	}
	callers := map[string]caller{
		"owner": {token: "all-of-it-for-me", scope: access.Admin}, "reader": {token: "look-only", scope: access.Read}, "nobody": {}, "wrong": {token: "memoir_wrong"}, "revoked": {token: revoked.Token},
		"expired": {token: s.expired(token)},
	}
	for _, scope := range access.Scopes {
		callers["token "+string(scope)] = caller{token: token(fmt.Sprintf(`{"name":"%[1]s","scope":"%[1]s"}`, scope)), scope: scope}
	}
	for _, scope := range []access.Scope{access.Read, access.Write, ""} {
		login := string(scope) + "@example.org"
		added := s.newToken(fmt.Sprintf(`{"name":"person %[1]s","login":"%[1]s","scope":"%[2]s"}`, login, cmp.Or(scope, access.Admin)))
		provider.Set(oidctest.Behaviour{Claims: map[string]any{"email": login, "email_verified": true}})
		callers["person "+login] = caller{cookie: s.browser().signIn("/sync"), scope: scope}
		if scope == "" {
			s.as("all-of-it-for-me", http.MethodDelete, "/api/v1/tokens/"+added.ID, "")
		}
	}
	type call struct{ method, path string }
	var calls []call
	_, document := s.as("look-only", http.MethodGet, "/api/openapi.json", "")
	var described struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(document), &described); err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("{slug}", "nobody", "{id}", "00000000-0000-0000-0000-000000000000", "{", "", "}", "")
	for path, methods := range described.Paths {
		for method := range methods {
			calls = append(calls, call{strings.ToUpper(method), fill.Replace(path)})
		}
	}
	err := chi.Walk(pages.New(nil, nil, nil, pages.Options{}).(chi.Routes), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if !strings.HasSuffix(route, "*") && route != "/theme" {
			calls = append(calls, call{method, fill.Replace(route)})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, hook := range []string{"session-start", "stop"} {
		calls = append(calls, call{http.MethodPost, "/hooks/" + hook})
	}
	calls = append(calls, call{http.MethodPost, "/mcp"}, call{http.MethodGet, "/api/openapi.json"}, call{http.MethodGet, "/metrics"})
	for name, caller := range callers {
		for i, c := range calls {
			if caller.scope == "" && caller.token != "" && i%25 != 0 {
				continue // wrong tokens are slowed, and refused before the address counts
			}
			if strings.HasSuffix(c.path, "/events") && caller.scope != "" || c.path == "/samples" && caller.scope == access.Admin {
				continue // endless; adds agents
			}
			request, err := http.NewRequestWithContext(t.Context(), c.method, "http://"+s.addr+c.path, strings.NewReader("nonsense"))
			if err != nil {
				t.Fatal(err)
			}
			needed := needs(request)
			status, answer := s.ask(c.method, c.path, "nonsense", caller.token, caller.cookie)
			switch {
			case caller.scope == "" && status != http.StatusUnauthorized && status != http.StatusSeeOther && status != http.StatusTooManyRequests:
				t.Errorf("%s: %s %s is %d: %.100s", name, c.method, c.path, status, answer)
			case caller.scope != "" && !caller.scope.Allows(needed) && (status != http.StatusForbidden || !strings.Contains(answer, "Nothing was changed")):
				t.Errorf("%s: %s %s is %d, want 403: %.100s", name, c.method, c.path, status, answer)
			case caller.scope != "" && caller.scope.Allows(needed) && (status == http.StatusForbidden || status == http.StatusUnauthorized || status >= http.StatusInternalServerError):
				t.Errorf("%s: %s %s is %d: %.100s", name, c.method, c.path, status, answer)
			}
		}
	}
}

// expired returns a token that has expired.
func (s *runningServer) expired(newToken func(string) string) string {
	s.Helper()
	token := newToken(`{"name":"expired","scope":"admin","expires_at":"` + soon() + `"}`)
	s.until("the token to expire", func() string {
		if status, _ := s.as(token, http.MethodGet, "/api/v1/agents", ""); status != http.StatusUnauthorized {
			return fmt.Sprint(status)
		}
		return ""
	})
	return token
}

// TestCallers_Events reads the event stream as a caller that sees one of two agents.
func TestCallers_Events(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--token=all-of-it-for-me")
	writeAt(t, filepath.Join(s.dir, "agents/bob/memory/first.md"), memoirtest.Note("First", memories.User, "x"))
	if status, answer := s.as("all-of-it-for-me", http.MethodPost, "/api/v1/scan", ""); status != http.StatusOK {
		t.Fatal(status, answer)
	}
	token := s.newToken(`{"name":"bob","scope":"read","agents":["bob"]}`).Token
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.addr+"/api/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	for _, slug := range []string{"ada", "bob"} {
		if status, answer := s.as("all-of-it-for-me", http.MethodPost, "/api/v1/agents/"+slug+"/memories", `{"name":"News of `+slug+`","type":"user","body":"x"}`); status != http.StatusCreated {
			t.Fatal(status, answer)
		}
	}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), "News of bob") {
		if strings.Contains(lines.Text(), "ada") {
			t.Errorf("the stream has %s", lines.Text())
		}
	}
	if err := lines.Err(); err != nil {
		t.Error(err)
	}
}
