package gate_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"memoir/internal/access"
	"memoir/internal/gate"
)

// signIns stores sign-ins in memory for several servers. Its methods fail while away is true.
type signIns struct {
	mu    sync.Mutex
	seals map[string]access.SignIn
	away  bool
}

func newSignIns() *signIns { return &signIns{seals: map[string]access.SignIn{}} }

var errAway = errors.New("the database is away")

func (k *signIns) do(change func()) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.away {
		return errAway
	}
	change()
	return nil
}

func (k *signIns) setAway(away bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.away = away
}

func (k *signIns) SaveSignIn(_ context.Context, id []byte, in access.SignIn) error {
	return k.do(func() { k.seals[string(id)] = in })
}

func (k *signIns) SignIn(_ context.Context, id []byte) (in access.SignIn, err error) {
	err = k.do(func() { in = k.seals[string(id)] })
	return in, err
}

func (k *signIns) EndSignIn(_ context.Context, id []byte) error {
	return k.do(func() { delete(k.seals, string(id)) })
}

func TestSignOut_EndsSessionOnEveryServer(t *testing.T) {
	t.Parallel()
	kept := newSignIns()
	one := setup(t, gate.Options{Token: token, SignIns: kept})
	two := setup(t, gate.Options{Token: token, SignIns: kept})
	cookie, other := one.signIn(), one.signIn()
	if cookie.Value == other.Value || len(kept.seals) != 2 {
		t.Fatalf("two browsers have one sign-in: %d are kept", len(kept.seals))
	}
	as := func(c *http.Cookie) string { return c.Name + "=" + c.Value }
	for _, s := range []*server{one, two} {
		if r := s.ask("GET", "/api/v1/agents", "", "Cookie", as(cookie)); r.status != http.StatusOK {
			t.Errorf("signed in: %d", r.status)
		}
	}
	for id, in := range kept.seals {
		if strings.Contains(id+string(in.Seal), cookie.Value) || strings.Contains(id+string(in.Seal), token) {
			t.Error("the cookie or the token is kept")
		}
	}
	two.ask("POST", "/sign-out", "", "Cookie", as(cookie))
	for _, s := range []*server{one, two} {
		if r := s.ask("GET", "/api/v1/agents", "", "Cookie", as(cookie)); r.status != http.StatusUnauthorized {
			t.Errorf("signed out: %d", r.status)
		}
		if r := s.ask("GET", "/api/v1/agents", "", "Cookie", as(other)); r.status != http.StatusOK {
			t.Errorf("the other browser: %d", r.status)
		}
	}
}

func TestSignIn_WithoutDatabase(t *testing.T) {
	t.Parallel()
	kept := newSignIns()
	s := setup(t, gate.Options{Token: token, SignIns: kept})
	seen, unseen := s.signIn(), s.signIn()
	as := func(c *http.Cookie) string { return c.Name + "=" + c.Value }
	s.ask("GET", "/", "", "Cookie", as(seen))
	kept.setAway(true)
	if r := s.ask("GET", "/", "", "Cookie", as(seen)); r.status != http.StatusOK {
		t.Errorf("a browser that was signed in: %d", r.status)
	}
	if r := s.ask("GET", "/api/v1/agents", "", "Cookie", as(unseen)); r.status != http.StatusServiceUnavailable || r.header.Get("Retry-After") == "" {
		t.Errorf("a cookie that cannot be checked: %d", r.status)
	}
	if r := s.ask("GET", "/api/v1/agents", "", "Cookie", as(unseen), "Authorization", "Bearer "+token); r.status != http.StatusOK {
		t.Errorf("the token with it: %d", r.status)
	}
	if r := s.ask("POST", "/sign-in", "token="+strings.ReplaceAll(token, " ", "+")); r.status != http.StatusServiceUnavailable || r.header.Get("Set-Cookie") != "" {
		t.Errorf("a sign-in: %d", r.status)
	}
	out := s.ask("POST", "/sign-out", "", "Cookie", as(seen))
	if out.status != http.StatusServiceUnavailable || out.header.Get("Set-Cookie") != "" || !strings.Contains(out.body, "still signed in") {
		t.Errorf("a sign-out: %d %s", out.status, out.body)
	}
	kept.setAway(false)
	s.ask("POST", "/sign-out", "", "Cookie", as(seen))
	kept.setAway(true)
	if r := s.ask("GET", "/api/v1/agents", "", "Cookie", as(seen)); r.status == http.StatusOK {
		t.Error("a sign-in that has ended is served while the database is away")
	}
}

func TestGuesses_SlowRequests(t *testing.T) {
	t.Parallel()
	s := setup(t, gate.Options{Token: token})
	guess := map[string]func(n int) reply{
		"token": func(n int) reply {
			return s.ask("GET", "/api/v1/agents", "", "Authorization", fmt.Sprint("Bearer wrong ", n))
		},
		"sign-in": func(n int) reply { return s.ask("POST", "/sign-in", fmt.Sprint("token=wrong", n)) },
	}
	for name, ask := range guess {
		const tries = 40
		answers := make(chan reply, tries)
		for n := range tries {
			go func() { answers <- ask(n) }()
		}
		refused := 0
		for range tries {
			r := <-answers
			switch {
			case r.status == http.StatusTooManyRequests && r.header.Get("Retry-After") != "":
				refused++
			case r.status != http.StatusUnauthorized && r.status != http.StatusForbidden:
				t.Errorf("a wrong %s: %d %s", name, r.status, r.body)
			}
		}
		if refused < tries/2 {
			t.Errorf("of %d wrong tokens at once by %s, %d were refused unseen", tries, name, refused)
		}
		if r := s.ask("GET", "/api/v1/agents", "", "Authorization", "Bearer "+token); r.status != http.StatusOK {
			t.Errorf("the right token after that: %d", r.status)
		}
	}
	if cookie := s.signIn(); cookie.Value == "" {
		t.Error("no sign-in after that")
	}
}
