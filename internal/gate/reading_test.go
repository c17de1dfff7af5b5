package gate_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"memoir/internal/access"

	"memoir/internal/gate"
)

const readToken = "look but do not touch"

// readersMay returns the options of a gate with a read token, which may also post to /api/look.
func readersMay() gate.Options {
	return gate.Options{Token: token, ReadToken: readToken, Needs: func(r *http.Request) access.Scope {
		if r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodPost && r.URL.EscapedPath() == "/api/look" {
			return access.Read
		}
		return access.Write
	}}
}

func TestReadToken_OnlyReads(t *testing.T) {
	t.Parallel()
	s := setup(t, readersMay())
	cookie := s.signInWith(readToken)
	for how, headers := range map[string][]string{
		"a token": {"Authorization", "Bearer " + readToken}, "a cookie": {"Cookie", cookie.Name + "=" + cookie.Value},
	} {
		for _, path := range []string{"/", "/agents/ada/memory", "/api/v1/agents", "/api/v1/events", "/mcp", "/hooks/stop"} {
			for _, method := range []string{"GET", "HEAD"} {
				if r := s.ask(method, path, "", headers...); r.status != http.StatusOK {
					t.Errorf("with %s: %s %s: %d", how, method, path, r.status)
				}
			}
			for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "get", "X"} {
				r := s.ask(method, path, "", headers...)
				if r.status != http.StatusForbidden || !strings.Contains(r.body, "Read-only token. Nothing was changed.") {
					t.Errorf("with %s: %s %s: %d %s", how, method, path, r.status, r.body)
				}
			}
		}
		if r := s.ask("POST", "/api/look", "", headers...); r.status != http.StatusOK {
			t.Errorf("with %s, what only reads: %d", how, r.status)
		}
		for _, other := range []string{"/api/%6cook", "/api/look/", "/api//look", "/api/look/../agents"} {
			if r := s.ask("POST", other, "", headers...); r.status != http.StatusForbidden {
				t.Errorf("with %s, %s: %d", how, other, r.status)
			}
		}
	}
	s.refused("/api/v1/agents", s.ask("DELETE", "/api/v1/agents", "", "Authorization", "Bearer "+readToken), http.StatusForbidden)
	s.refused("/agents", s.ask("POST", "/agents", "", "Authorization", "Bearer "+readToken), http.StatusForbidden)
	for _, method := range []string{"GET", "POST", "DELETE"} {
		for _, headers := range [][]string{
			{"Authorization", "Bearer " + token}, {"Authorization", "Bearer " + token, "Cookie", cookie.Name + "=" + cookie.Value},
		} {
			if r := s.ask(method, "/api/v1/agents", "", headers...); r.status != http.StatusOK {
				t.Errorf("with the token: %s: %d", method, r.status)
			}
		}
		if r := s.ask(method, "/api/v1/agents", "", "Authorization", "Bearer "+readToken[:5]); r.status != http.StatusUnauthorized {
			t.Errorf("with a part of it: %s: %d", method, r.status)
		}
	}
}

func TestReadToken_SignsInAgain(t *testing.T) {
	t.Parallel()
	kept := newSignIns()
	options := readersMay()
	options.SignIns = kept
	s := setup(t, options)
	reads := s.signInWith(readToken)
	as := func(c *http.Cookie) string { return c.Name + "=" + c.Value }
	if r := s.ask("GET", "/sign-in", "", "Cookie", as(reads)); r.status != http.StatusOK {
		t.Errorf("the sign-in of a reader: %d", r.status)
	}
	writes := s.signIn()
	if r := s.ask("POST", "/agents", "", "Cookie", as(writes)); r.status != http.StatusOK {
		t.Errorf("a write after it: %d", r.status)
	}
	elsewhere := readersMay()
	elsewhere.ReadToken, elsewhere.SignIns = "another", kept
	renewed := setup(t, elsewhere)
	if r := renewed.ask("GET", "/api/v1/agents", "", "Cookie", as(reads)); r.status != http.StatusUnauthorized {
		t.Errorf("a reader's cookie from before the token was renewed: %d", r.status)
	}
	if r := renewed.ask("POST", "/api/v1/agents", "", "Cookie", as(writes)); r.status != http.StatusOK {
		t.Errorf("the cookie of the token that stayed: %d", r.status)
	}
}

func TestReadOnly_InHandler(t *testing.T) {
	t.Parallel()
	options := readersMay()
	options.Addr, options.Log = "127.0.0.1:8080", slog.New(slog.DiscardHandler)
	g, err := gate.New(options)
	if err != nil {
		t.Fatal(err)
	}
	handler := g.Around(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, gate.ReadOnly(r.Context())) }))
	for shown, want := range map[string]string{token: "false", readToken: "true"} {
		request := httptest.NewRequest("POST", "http://localhost/api/look", nil)
		request.Header.Set("Authorization", "Bearer "+shown)
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		if answer.Body.String() != want {
			t.Errorf("with %s: %s", shown, answer.Body)
		}
	}
}

func TestNew_UselessReadToken(t *testing.T) {
	t.Parallel()
	for says, options := range map[string]gate.Options{
		"without --token": {ReadToken: readToken}, "equals --token": {Token: token, ReadToken: token},
	} {
		options.Addr, options.Log = "127.0.0.1:8080", slog.New(slog.DiscardHandler)
		if _, err := gate.New(options); err == nil || errors.Is(err, gate.ErrNeedsToken) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", says, err)
		}
	}
}

// signInWith returns the cookie of a browser that signed in with a token.
func (s *server) signInWith(shown string) *http.Cookie {
	s.Helper()
	r := s.ask("POST", "/sign-in", url.Values{"token": {shown}}.Encode())
	if r.status != http.StatusSeeOther {
		s.Fatalf("sign-in: status %d", r.status)
	}
	cookie, err := http.ParseSetCookie(r.header.Get("Set-Cookie"))
	if err != nil {
		s.Fatal(err)
	}
	return cookie
}
