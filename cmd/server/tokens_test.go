package main

import (
	"encoding/json"
	"net/http"
	"net/url"
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
		go func() {
			s.as(mira.Token, http.MethodGet, "/api/v1/events", "")
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
