package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"memoir/internal/postgres/pgtest"
	"memoir/internal/waittest"
)

// created is the API's answer to a new token.
type created struct{ ID, Token string }

// newToken creates a token with the token of the settings.
func (s *runningServer) newToken(body string) (c created) {
	s.Helper()
	status, answer := s.as("all-of-it-for-me", http.MethodPost, "/api/v1/tokens", body)
	if status != http.StatusCreated {
		s.Fatalf("new token %s: %d %s", body, status, answer)
	}
	if err := json.Unmarshal([]byte(answer), &c); err != nil {
		s.Fatal(err)
	}
	return c
}

// signIn signs a browser in and returns its cookie.
func (s *runningServer) signIn(token string) *http.Cookie {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), http.MethodPost, "http://"+s.addr+"/sign-in", strings.NewReader(url.Values{"token": {token}}.Encode()))
	if err != nil {
		s.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		s.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusSeeOther || len(response.Cookies()) != 1 {
		s.Fatalf("sign-in: %d", response.StatusCode)
	}
	return response.Cookies()[0]
}

// postWith posts an empty form in a signed-in browser.
func (s *runningServer) postWith(cookie *http.Cookie, path string) (status int, answer string) {
	s.Helper()
	return s.postForm(cookie, path, nil)
}

// postForm posts a form in a signed-in browser.
func (s *runningServer) postForm(cookie *http.Cookie, path string, form url.Values) (status int, answer string) {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), http.MethodPost, "http://"+s.addr+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.AddCookie(cookie)
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

// withCookie gets a page in a signed-in browser.
func (s *runningServer) withCookie(cookie *http.Cookie, path string) int {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), http.MethodGet, "http://"+s.addr+path, nil)
	if err != nil {
		s.Fatal(err)
	}
	request.AddCookie(cookie)
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		s.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

// openEvents opens the stream of events, which is closed at the end of the test.
func (s *runningServer) openEvents(token string) io.Reader {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), http.MethodGet, "http://"+s.addr+"/api/v1/events", nil)
	if err != nil {
		s.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != http.StatusOK {
		s.Fatalf("events: %d", response.StatusCode)
	}
	return response.Body
}

func TestTokens_RevokedOnEveryServer(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	one := startServer(t, "--token=all-of-it-for-me", "--database-url="+database)
	two := startServer(t, "--token=all-of-it-for-me", "--database-url="+database)
	mira := one.newToken(`{"name":"mira","scope":"write"}`)
	if !strings.HasPrefix(mira.Token, "memoir_") {
		t.Fatalf("token = %q", mira.Token)
	}
	if status, answer := one.as("all-of-it-for-me", http.MethodPost, "/api/v1/tokens", `{"name":"mira","scope":"read"}`); status != http.StatusConflict {
		t.Errorf("the same name: %d %s", status, answer)
	}
	if _, list := one.as("all-of-it-for-me", http.MethodGet, "/api/v1/tokens", ""); strings.Contains(list, mira.Token) || !strings.Contains(list, `"mira"`) {
		t.Errorf("list = %s", list)
	}
	cookie := one.signIn(mira.Token)
	for _, s := range []*runningServer{one, two} {
		waittest.For(t, "the token and its sign-in", func() bool {
			status, _ := s.as(mira.Token, http.MethodGet, "/api/v1/agents", "")
			return status == http.StatusOK && s.withCookie(cookie, "/sync") == http.StatusOK
		})
	}
	// two open streams, which have to end
	ended := make(chan bool, 2)
	for _, s := range []*runningServer{one, two} {
		stream := s.openEvents(mira.Token)
		go func() {
			_, _ = io.Copy(io.Discard, stream) // the server may also abort it
			ended <- true
		}()
	}
	if status, answer := two.as("all-of-it-for-me", http.MethodDelete, "/api/v1/tokens/"+mira.ID, ""); status != http.StatusOK {
		t.Fatalf("revoke: %d %s", status, answer)
	}
	if status, _ := two.as(mira.Token, http.MethodGet, "/api/v1/agents", ""); status != http.StatusUnauthorized {
		t.Errorf("a revoked token is %d", status)
	}
	if status := two.withCookie(cookie, "/sync"); status != http.StatusSeeOther {
		t.Errorf("its sign-in is %d", status)
	}
	waittest.For(t, "the other server", func() bool {
		status, _ := one.as(mira.Token, http.MethodGet, "/api/v1/agents", "")
		return status == http.StatusUnauthorized && one.withCookie(cookie, "/sync") == http.StatusSeeOther
	})
	<-ended
	<-ended
	one.newToken(`{"name":"mira","scope":"read"}`) // the name is free again
}

// The name of a token is the author of its changes, by the API, MCP and in a browser.
func TestTokens_NameInJournal(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--token=all-of-it-for-me")
	mira := s.newToken(`{"name":"mira","scope":"write","agents":["ada"]}`).Token
	status, saved := s.as(mira, http.MethodPost, "/api/v1/agents/ada/memories", `{"name":"By the API","type":"user","body":"x"}`)
	if status != http.StatusCreated {
		t.Fatal(status, saved)
	}
	s.as(mira, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"save_memory","arguments":{"agent":"ada","name":"By MCP","type":"user","body":"x"}}}`)
	var id struct{ ID string }
	if err := json.Unmarshal([]byte(saved), &id); err != nil {
		t.Fatal(err)
	}
	if status, _ := s.postWith(s.signIn(mira), "/agents/ada/memory/"+id.ID+"/delete"); status != http.StatusSeeOther {
		t.Errorf("deletion in a browser: %d", status)
	}
	var list struct {
		Activity []struct{ Name, Kind, Actor, Person string }
	}
	_, answer := s.as("all-of-it-for-me", http.MethodGet, "/api/v1/agents/ada/activity", "")
	if err := json.Unmarshal([]byte(answer), &list); err != nil || len(list.Activity) < 3 {
		t.Fatalf("%v: %s", err, answer)
	}
	for i, want := range []string{"By the API deleted browser mira", "By MCP learned script mira", "By the API learned script mira"} {
		if a := list.Activity[i]; strings.Join([]string{a.Name, a.Kind, a.Actor, a.Person}, " ") != want {
			t.Errorf("entry %d is %+v, want %s", i, a, want)
		}
	}
	if a := list.Activity[len(list.Activity)-1]; a.Person != "" {
		t.Errorf("a file's change is by %q", a.Person)
	}
	for _, path := range []string{"/timeline", "/agents/ada/memory/" + id.ID} {
		if _, page := s.as("all-of-it-for-me", http.MethodGet, path, ""); !strings.Contains(page, "mira") {
			t.Errorf("%s does not name mira", path)
		}
	}
}

// The page creates a token, shows it once, and revokes it, without a script.
func TestTokens_Page(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--token=all-of-it-for-me")
	owner := s.signIn("all-of-it-for-me")
	status, page := s.postForm(owner, "/access", url.Values{"name": {"ci"}, "scope": {"read"}, "agents": {"ada, ops-*"}, "days": {"30"}})
	secret := regexp.MustCompile(`memoir_[A-Za-z0-9_-]{43}`).FindString(page)
	if status != http.StatusOK || secret == "" {
		t.Fatalf("create: %d %.500s", status, page)
	}
	if status, _ := s.as(secret, http.MethodGet, "/api/v1/agents/ada", ""); status != http.StatusOK {
		t.Errorf("the new token: %d", status)
	}
	_, list := s.as("all-of-it-for-me", http.MethodGet, "/access", "")
	if strings.Contains(list, secret) || !strings.Contains(list, "ada, ops-*") {
		t.Errorf("the list shows the token, or not its agents")
	}
	if status, page := s.postForm(owner, "/access", url.Values{"name": {"ci"}, "scope": {"read"}}); status != http.StatusConflict || !strings.Contains(page, "Name or login is taken") {
		t.Errorf("the same name: %d", status)
	}
	if status, page := s.postForm(owner, "/access", url.Values{"name": {"x"}, "scope": {"admin"}, "agents": {"ada"}}); status != http.StatusUnprocessableEntity || !strings.Contains(page, "Field agents must be *") {
		t.Errorf("a wrong scope: %d", status)
	}
	if status, _ := s.postForm(owner, regexp.MustCompile(`/access/[0-9a-f-]+/revoke`).FindString(list), nil); status != http.StatusSeeOther {
		t.Errorf("revoke: %d", status)
	}
	if status, _ := s.as(secret, http.MethodGet, "/api/v1/agents/ada", ""); status != http.StatusUnauthorized {
		t.Errorf("the revoked token: %d", status)
	}
}

// Without --token, the kernel admits the owner, and a token of a person decides over that.
func TestTokens_WithoutTokenOfSettings(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	answer := func(token, method, path, body string) (int, string) { return s.as(token, method, path, body) }
	_, text := answer("", http.MethodPost, "/api/v1/tokens", `{"name":"ci","scope":"read"}`)
	var ci created
	if err := json.Unmarshal([]byte(text), &ci); err != nil || ci.Token == "" {
		t.Fatalf("%v: %s", err, text)
	}
	if status, text := answer(ci.Token, http.MethodPost, "/api/v1/agents/ada/memories", `{"name":"x","type":"user"}`); status != http.StatusForbidden || !strings.Contains(text, "The token of ci has the scope read") {
		t.Errorf("a save: %d %s", status, text)
	}
	if status, _ := answer(ci.Token, http.MethodGet, "/api/v1/agents", ""); status != http.StatusOK {
		t.Errorf("a list: %d", status)
	}
	if status, _ := answer(ci.Token+"x", http.MethodGet, "/api/v1/agents", ""); status != http.StatusUnauthorized {
		t.Errorf("a wrong token: %d", status)
	}
	if status, _ := answer("not-a-token-of-memoir", http.MethodGet, "/api/v1/agents", ""); status != http.StatusOK {
		t.Errorf("the owner: %d", status)
	}
	if status := s.withCookie(s.signIn(ci.Token), "/api/v1/tokens"); status != http.StatusForbidden {
		t.Errorf("signed in as ci, the tokens are %d", status)
	}
}

// soon returns a time in the near future.
func soon() string { return time.Now().Add(2 * time.Second).UTC().Format(time.RFC3339Nano) }
