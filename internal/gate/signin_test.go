package gate_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"memoir/internal/gate"
)

// signIn returns the cookie of a browser that signed in.
func (s *server) signIn() *http.Cookie {
	s.Helper()
	return s.signInWith(token)
}

func TestToken_EveryRequest(t *testing.T) {
	t.Parallel()
	s := setup(t, gate.Options{Token: token})
	for authorization, passes := range map[string]bool{
		"Bearer " + token: true, "bearer " + token: true, "BEARER  " + token + " ": true,
		"": false, "Bearer": false, "Bearer ": false, token: false, "Basic " + token: false, "Bearer " + token + "x": false,
		"Bearer " + token[:len(token)-1]: false, "Bearer " + strings.ToUpper(token): false,
	} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			r := s.ask(method, "/api/v1/agents", "", "Authorization", authorization)
			if passes && r.status != http.StatusOK {
				t.Errorf("%s with %q: %d", method, authorization, r.status)
			}
			if !passes {
				s.refused("/api/v1/agents", r, http.StatusUnauthorized)
				if !strings.HasPrefix(r.header.Get("WWW-Authenticate"), "Bearer") {
					t.Errorf("WWW-Authenticate %q", r.header.Get("WWW-Authenticate"))
				}
			}
		}
	}
	for _, path := range []string{"/api/v1/agents", "/api/v1/events", "/api/openapi.json", "/api/nothing"} {
		s.refused(path, s.ask("GET", path, ""), http.StatusUnauthorized)
	}
	for _, path := range []string{"/healthz", "/readyz", "/static/app.js", "/theme", "/sign-in"} {
		if r := s.ask("GET", path, ""); r.status != http.StatusOK {
			t.Errorf("%s needs a token: %d", path, r.status)
		}
	}
	for _, path := range []string{"/static/../agents", "/static/%2e%2e/agents", "/static", "/healthz/", "/readyz/x", "/sign-in/", "/sign-inx"} {
		if r := s.ask("GET", path, ""); r.status != http.StatusSeeOther {
			t.Errorf("%s needs no token: %d", path, r.status)
		}
	}
	if r := s.ask("GET", "/%68ealthz", ""); r.status != http.StatusUnauthorized {
		t.Errorf("another spelling of /healthz needs no token: %d", r.status)
	}
}

func TestToken_Absent(t *testing.T) {
	t.Parallel()
	s := setup(t, gate.Options{})
	for _, path := range []string{"/", "/api/v1/agents", "/agents/ada/memory"} {
		if r := s.ask("GET", path, ""); r.status != http.StatusOK {
			t.Errorf("%s: %d", path, r.status)
		}
	}
	for _, r := range []reply{s.ask("GET", "/sign-in?next=/sync", ""), s.ask("POST", "/sign-in", "token=x&next=/sync")} {
		if r.status != http.StatusSeeOther || r.header.Get("Location") != "/sync" || r.header.Get("Set-Cookie") != "" {
			t.Errorf("sign-in: %d, %v", r.status, r.header)
		}
	}
}

func TestSignIn_RedirectsBack(t *testing.T) {
	t.Parallel()
	s := setup(t, gate.Options{Token: token})
	asked := s.ask("GET", "/agents/ada/memory?type=user", "")
	want := "/sign-in?" + url.Values{"next": {"/agents/ada/memory?type=user"}}.Encode()
	if asked.status != http.StatusSeeOther || asked.header.Get("Location") != want {
		t.Fatalf("status %d, location %q", asked.status, asked.header.Get("Location"))
	}
	form := s.ask("GET", asked.header.Get("Location"), "")
	if form.status != http.StatusOK || !strings.Contains(form.body, `value="/agents/ada/memory?type=user"`) || strings.Contains(form.body, "Try again") {
		t.Errorf("the form: %d %s", form.status, form.body)
	}
	done := s.ask("POST", "/sign-in", url.Values{"token": {" " + token + "\n"}, "next": {"/agents/ada/memory?type=user"}}.Encode())
	if done.status != http.StatusSeeOther || done.header.Get("Location") != "/agents/ada/memory?type=user" {
		t.Errorf("after the sign-in: %d, %q", done.status, done.header.Get("Location"))
	}
	if posted := s.ask("POST", "/agents/ada/memory", ""); posted.status != http.StatusSeeOther || posted.header.Get("Location") != "/sign-in?next=%2F" {
		t.Errorf("a write without a token: %d, %q", posted.status, posted.header.Get("Location"))
	}
	part := s.ask("POST", "/agents/ada/memory", "", "HX-Request", "true", "HX-Current-URL", s.url+"/agents/ada/trash")
	if part.status != http.StatusUnauthorized || part.header.Get("HX-Redirect") != "/sign-in?next=%2Fagents%2Fada%2Ftrash" {
		t.Errorf("a part of a page: %d, %q", part.status, part.header.Get("HX-Redirect"))
	}
}

func TestSignIn_LocalPathsOnly(t *testing.T) {
	t.Parallel()
	s := setup(t, gate.Options{Token: token})
	for next, want := range map[string]string{
		"/": "/", "/sync": "/sync", "/agents/ada?a=b&c=d": "/agents/ada?a=b&c=d", "/a?next=//evil.example": "/a?next=//evil.example",
		"": "/", "sync": "/", "//evil.example": "/", "///evil.example": "/", "https://evil.example/": "/", "http:/evil.example": "/",
		`/\evil.example`: "/", `\\evil.example`: "/", "/\t/evil.example": "/", "/\n/evil.example": "/", "\t//evil.example": "/", "javascript:alert(1)": "/",
		"/%zz": "/", "/sign-in": "/", "/sign-in?next=/": "/", "/sign-out": "/",
	} {
		r := s.ask("POST", "/sign-in", url.Values{"token": {token}, "next": {next}}.Encode())
		if got := r.header.Get("Location"); r.status != http.StatusSeeOther || got != want {
			t.Errorf("next %q leads to %q, want %q (%d)", next, got, want, r.status)
		}
	}
}

func TestSignIn_WrongToken(t *testing.T) {
	t.Parallel()
	s := setup(t, gate.Options{Token: token})
	for _, wrong := range []string{"", "wrong", token + "x", strings.Repeat("x", 1<<17)} {
		r := s.ask("POST", "/sign-in", url.Values{"next": {"/sync"}, "token": {wrong}}.Encode())
		if r.status != http.StatusForbidden || r.header.Get("Set-Cookie") != "" || !strings.Contains(r.body, "Try again") {
			t.Errorf("token of %d characters: %d, %s", len(wrong), r.status, r.body)
		}
	}
}

func TestSignIn_Cookie(t *testing.T) {
	t.Parallel()
	s := setup(t, gate.Options{Addr: "127.0.0.1:4711", Token: token})
	cookie := s.signIn()
	if cookie.Name != "memoir_session_4711" || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" ||
		cookie.Domain != "" || cookie.Secure || cookie.MaxAge <= 0 {
		t.Errorf("cookie %+v", cookie)
	}
	for _, form := range []string{token, base64.StdEncoding.EncodeToString([]byte(token)), hex.EncodeToString([]byte(token)), url.QueryEscape(token)} {
		if strings.Contains(cookie.Value, form) {
			t.Errorf("the cookie holds the token: %s", cookie.Value)
		}
	}
	for _, path := range []string{"/", "/api/v1/agents", "/api/v1/events"} {
		if r := s.ask("GET", path, "", "Cookie", cookie.Name+"="+cookie.Value); r.status != http.StatusOK {
			t.Errorf("%s with the cookie: %d", path, r.status)
		}
	}
	if r := s.ask("GET", "/sign-in?next=/sync", "", "Cookie", cookie.Name+"="+cookie.Value); r.status != http.StatusSeeOther || r.header.Get("Location") != "/sync" {
		t.Errorf("the sign-in of one who is signed in: %d", r.status)
	}
	out := s.ask("POST", "/sign-out", "", "Cookie", cookie.Name+"="+cookie.Value)
	gone, err := http.ParseSetCookie(out.header.Get("Set-Cookie"))
	if err != nil || out.status != http.StatusSeeOther || out.header.Get("Location") != "/sign-in" || gone.Name != cookie.Name || gone.MaxAge >= 0 || gone.Value != "" {
		t.Errorf("sign-out: %d, %v, %v", out.status, out.header, err)
	}
}

func TestSignIn_ForeignCookie(t *testing.T) {
	t.Parallel()
	kept := newSignIns()
	s := setup(t, gate.Options{Addr: "127.0.0.1:4711", Token: token, SignIns: kept})
	cookie := s.signIn()
	half := cookie.Value[:len(cookie.Value)/2]
	elsewhere := setup(t, gate.Options{Addr: "127.0.0.1:4712", Token: token, SignIns: kept}).signIn()
	renewed := setup(t, gate.Options{Addr: "127.0.0.1:4711", Token: token + " renewed", SignIns: kept})
	for _, value := range []string{
		"", ".", token, half, half + half, cookie.Value + "x", cookie.Value[1:], strings.ToLower(cookie.Value), elsewhere.Value,
	} {
		if r := s.ask("GET", "/api/v1/agents", "", "Cookie", cookie.Name+"="+value); r.status != http.StatusUnauthorized {
			t.Errorf("cookie %q: %d", value, r.status)
		}
	}
	if r := s.ask("GET", "/api/v1/agents", "", "Cookie", "memoir_session="+cookie.Value); r.status != http.StatusUnauthorized {
		t.Errorf("a cookie of another name: %d", r.status)
	}
	if r := renewed.ask("GET", "/api/v1/agents", "", "Cookie", cookie.Name+"="+cookie.Value); r.status != http.StatusUnauthorized {
		t.Errorf("a cookie from before the token was renewed: %d", r.status)
	}
	// Another local server may have set a cookie of the same name for a longer path. Ours must
	// still count.
	if r := s.ask("GET", "/api/v1/agents", "", "Cookie", cookie.Name+"=other; "+cookie.Name+"="+cookie.Value); r.status != http.StatusOK {
		t.Errorf("two cookies of one name: %d", r.status)
	}
}

func TestSignIn_SecureCookie(t *testing.T) {
	t.Parallel()
	g, err := gate.New(gate.Options{Addr: "127.0.0.1:8080", Token: token, SignIns: newSignIns(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*http.Request){
		"TLS":            func(r *http.Request) { r.TLS = overTLS },
		"a proxy of TLS": func(r *http.Request) { r.Header.Set("X-Forwarded-Proto", "https") },
	} {
		request := httptest.NewRequest("POST", "http://localhost/sign-in", strings.NewReader(url.Values{"token": {token}}.Encode()))
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.TLS = nil
		change(request)
		answer := httptest.NewRecorder()
		g.Around(site()).ServeHTTP(answer, request)
		cookie, err := http.ParseSetCookie(answer.Header().Get("Set-Cookie"))
		if err != nil || !cookie.Secure {
			t.Errorf("%s: cookie %+v, %v", name, cookie, err)
		}
	}
}

func TestSignIn_OwnPage(t *testing.T) {
	t.Parallel()
	s := setup(t, gate.Options{Token: token, SignIn: func(w http.ResponseWriter, _ *http.Request, form gate.SignInForm) {
		fmt.Fprintf(w, "own form, next %s, wrong %t", form.Next, form.Wrong)
	}})
	if r := s.ask("GET", "/sign-in?next=/sync", ""); r.body != "own form, next /sync, wrong false" {
		t.Errorf("the form: %s", r.body)
	}
	if r := s.ask("POST", "/sign-in", "next=/sync&token=wrong"); r.body != "own form, next /sync, wrong true" || r.status != http.StatusForbidden {
		t.Errorf("after a wrong token: %d %s", r.status, r.body)
	}
}
