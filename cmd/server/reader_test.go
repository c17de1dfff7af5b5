package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// as makes a request with a token and a JSON body, and follows no redirect.
func (s *runningServer) as(token, method, path, body string) (status int, answer string) {
	s.Helper()
	return s.ask(method, path, body, token, nil)
}

// ask makes a request with a token, and with the cookie of a sign-in unless that is nil.
func (s *runningServer) ask(method, path, body, token string, cookie *http.Cookie) (status int, answer string) {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), method, "http://"+s.addr+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if cookie != nil {
		request.AddCookie(cookie)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		s.Fatal(err)
	}
	return response.StatusCode, string(raw)
}

func TestOnlyReads_Paths(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--token=all", "--read-token=look-only")
	_, document := s.as("look-only", http.MethodGet, "/api/openapi.json", "")
	var described struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(document), &described); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for path, methods := range described.Paths {
		for method := range methods {
			method = strings.ToUpper(method)
			if method == http.MethodGet || strings.HasSuffix(path, "/recall") {
				continue
			}
			filled := strings.NewReplacer("{slug}", "ada", "{id}", "00000000-0000-0000-0000-000000000000").Replace(path)
			status, answer := s.as("look-only", method, filled, "{}")
			if status != http.StatusForbidden || !strings.Contains(answer, "Read-only token. Nothing was changed.") {
				t.Errorf("%s %s: %d %s", method, filled, status, answer)
			}
			if status, _ := s.as("all", method, filled, "nonsense"); status == http.StatusForbidden {
				t.Errorf("%s %s is refused with the token, too", method, filled)
			}
			refused++
		}
	}
	if refused < 10 {
		t.Errorf("only %d calls change something, says the document", refused)
	}
	for _, path := range []string{
		"/agents/ada/memory/new", "/agents/ada/scan", "/sync", "/", "/mcp/", "/hooks", "/api/v1/agents/ada/x/recall", "/api/v1/agents/ada%2fx/../recall/x", "/%6dcp",
	} {
		if status, answer := s.as("look-only", http.MethodPost, path, ""); status != http.StatusForbidden {
			t.Errorf("POST %s: %d %s", path, status, answer)
		}
	}

	for _, path := range []string{"/", "/agents/ada/memory", "/sync", "/api/v1/agents", "/api/v1/agents/ada/memories"} {
		if status, _ := s.as("look-only", http.MethodGet, path, ""); status != http.StatusOK {
			t.Errorf("GET %s: %d", path, status)
		}
	}
	for path, body := range map[string]string{
		"/api/v1/agents/ada/recall": `{"query":"which day do we release"}`, "/hooks/stop": `{}`, "/hooks/user-prompt-submit": `{}`,
		"/mcp": `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
	} {
		if status, answer := s.as("look-only", http.MethodPost, path, body); status != http.StatusOK || strings.Contains(answer, "delete_memory") {
			t.Errorf("POST %s: %d %s", path, status, answer)
		}
	}
	const save = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"save_memory","arguments":{"name":"New","type":"user","body":"x"}}}`
	if _, answer := s.as("look-only", http.MethodPost, "/mcp", save); !strings.Contains(answer, "Read-only token.") {
		t.Errorf("a save by a reader: %s", answer)
	}
	if _, answer := s.as("all", http.MethodPost, "/mcp", save); !strings.Contains(answer, "Created the memory “New” of ada") {
		t.Errorf("a save: %s", answer)
	}
}
