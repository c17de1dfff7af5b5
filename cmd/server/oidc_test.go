package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"memoir/internal/access/oidc"
	"memoir/internal/access/oidc/oidctest"
	"memoir/internal/doctor"
	"memoir/internal/postgres/pgtest"
)

// publicHost is Memoir's host for browsers in the tests of this file.
const publicHost = "memoir.localhost"

// oidcFlags are the flags of a server whose people sign in at the provider.
func oidcFlags(p *oidctest.Provider, more ...string) []string {
	return append([]string{"--token=all-of-it-for-me", "--public-url=http://" + publicHost, "--oidc-issuer=" + p.Issuer, "--oidc-client-id=" + oidctest.ClientID}, more...)
}

var oidcEnv = map[string]string{oidcSecret: oidctest.ClientSecret}

// browser is a client with cookies that follows no redirects.
type browser struct {
	*testing.T
	*http.Client
	seen bytes.Buffer // all pages of Memoir, without redirects
}

// browser returns a new browser, for which the server has the public address.
func (s *runningServer) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.Fatal(err)
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == publicHost+":80" {
			address = s.addr
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	s.Cleanup(transport.CloseIdleConnections)
	return &browser{T: s.T, Client: &http.Client{Jar: jar, Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// page is an answer to a browser.
type page struct {
	*http.Response
	text string
}

// open opens an address: a path of Memoir, or an absolute one.
func (b *browser) open(address string) page { return b.send(http.MethodGet, address, nil) }

func (b *browser) send(method, address string, form url.Values) page {
	b.Helper()
	isOwn := strings.HasPrefix(address, "/") || strings.HasPrefix(address, "http://"+publicHost)
	if strings.HasPrefix(address, "/") {
		address = "http://" + publicHost + address
	}
	request, err := http.NewRequestWithContext(b.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		b.Fatal(err)
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := b.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		b.Fatal(err)
	}
	if isOwn && response.StatusCode != http.StatusSeeOther {
		b.seen.Write(raw)
	}
	return page{response, string(raw)}
}

// toProvider presses the button of the sign-in page, and returns the provider's answer: the address
// at which it sends the browser back.
func (b *browser) toProvider(next string) string {
	b.Helper()
	form := b.open("/sign-in?" + url.Values{"next": {next}}.Encode())
	document, err := goquery.NewDocumentFromReader(strings.NewReader(form.text))
	if err != nil {
		b.Fatal(err)
	}
	button, found := document.Find(`a.button:contains("Sign in with localhost")`).Attr("href")
	if form.StatusCode != http.StatusOK || !found || document.Find("input[type=password]").Length() != 1 {
		b.Fatalf("the sign-in page is %d without the button or the token: %s", form.StatusCode, form.text)
	}
	out := b.open(button)
	if out.StatusCode != http.StatusSeeOther {
		b.Fatalf("the button leads to %d %s", out.StatusCode, out.text)
	}
	back := b.open(out.Header.Get("Location"))
	if back.StatusCode != http.StatusSeeOther {
		b.Fatalf("the provider answers %d %s", back.StatusCode, back.text)
	}
	return back.Header.Get("Location")
}

// signIn signs in at the provider, opens what Memoir leads to, and returns the cookie.
func (b *browser) signIn(next string) *http.Cookie {
	b.Helper()
	done := b.open(b.toProvider(next))
	if got := done.Header.Get("Refresh"); done.StatusCode != http.StatusOK || got != "0; url="+next {
		b.Fatalf("signed in: %d, Refresh %q, %s", done.StatusCode, got, done.text)
	}
	for _, cookie := range done.Cookies() {
		if strings.HasPrefix(cookie.Name, "memoir_session_") {
			return cookie
		}
	}
	b.Fatal("no cookie")
	return nil
}

// isSignedIn reports whether the browser sees pages.
func (b *browser) isSignedIn() bool { return b.open("/sync").StatusCode == http.StatusOK }

func TestOIDC_SignIn(t *testing.T) {
	t.Parallel()
	provider := oidctest.New(t)
	s := startServerIn(t, oidcEnv, oidcFlags(provider)...)
	b := s.browser()
	if refused := b.open(b.toProvider("/sync")); refused.StatusCode != http.StatusForbidden || !strings.Contains(refused.text, "memoir token create NAME --login mira@example.org") {
		t.Fatalf("an unknown user: %d %s", refused.StatusCode, refused.text)
	}
	if b.isSignedIn() {
		t.Error("an unknown user is signed in")
	}
	mira := s.newToken(`{"name":"mira","login":"mira@example.org","scope":"write","agents":["ada"]}`)

	cookie := b.signIn("/timeline?agent=ada&q=x%20y")
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.MaxAge != 12*60*60 {
		t.Errorf("cookie %+v", cookie)
	}
	if timeline := b.open("/timeline"); timeline.StatusCode != http.StatusOK || !strings.Contains(timeline.text, "mira") || !strings.Contains(timeline.text, "Sign out") {
		t.Errorf("the timeline is %d without her name or a sign-out", timeline.StatusCode)
	}
	if admin := b.open("/access"); admin.StatusCode != http.StatusForbidden {
		t.Errorf("a page for admins is %d", admin.StatusCode)
	}
	_, tabs := s.as("all-of-it-for-me", http.MethodGet, "/api/v1/agents/ada/memories?q=tabs", "")
	id := regexp.MustCompile(`"id":"([0-9a-f-]{36})"`).FindStringSubmatch(tabs)[1]
	if deleted := b.send(http.MethodPost, "/agents/ada/memory/"+id+"/delete", url.Values{}); deleted.StatusCode != http.StatusSeeOther {
		t.Errorf("a deletion is %d %.300s", deleted.StatusCode, deleted.text)
	}
	if _, activity := s.as("all-of-it-for-me", http.MethodGet, "/api/v1/agents/ada/activity", ""); !strings.Contains(activity, `"person":"mira"`) {
		t.Errorf("the journal does not name mira: %s", activity)
	}

	if out := b.send(http.MethodPost, "/sign-out", url.Values{}); out.StatusCode != http.StatusSeeOther || b.isSignedIn() {
		t.Errorf("sign-out: %d", out.StatusCode)
	}
	b.signIn("/sync")
	if status, answer := s.as("all-of-it-for-me", http.MethodDelete, "/api/v1/tokens/"+mira.ID, ""); status != http.StatusOK || b.isSignedIn() {
		t.Errorf("after the revocation (%d %s) she is signed in: %v", status, answer, b.isSignedIn())
	}
	for _, secret := range provider.Secrets() {
		if strings.Contains(s.log.String(), secret) || strings.Contains(b.seen.String(), secret) {
			t.Errorf("the log or a page has %s", secret)
		}
	}
	if !strings.Contains(s.log.String(), "sign-in at the provider failed") {
		t.Error("the log does not have the refused user")
	}
}

// The answer of a provider counts once, in the browser where the sign-in began, and for ten minutes.
func TestOIDC_Attempt(t *testing.T) {
	t.Parallel()
	provider := oidctest.New(t)
	s := startServerIn(t, oidcEnv, oidcFlags(provider)...)
	s.newToken(`{"name":"mira","login":"mira@example.org","scope":"read"}`)
	refused := func(name string, b *browser, answer page, status int, text string) {
		t.Helper()
		if answer.StatusCode != status || !strings.Contains(answer.text, text) || !strings.Contains(answer.text, "Sign in with localhost") {
			t.Errorf("%s: %d, want %d %q: %s", name, answer.StatusCode, status, text, answer.text)
		}
		if b.isSignedIn() {
			t.Errorf("%s: signed in", name)
		}
	}
	const elsewhere = "began in another browser"
	b := s.browser()
	back := b.toProvider("/sync")
	refused("another browser", s.browser(), s.browser().open(back), http.StatusBadRequest, elsewhere)
	state, err := url.Parse(back)
	if err != nil {
		t.Fatal(err)
	}
	query := state.Query()
	query.Set("state", strings.Repeat("x", 43))
	refused("another state", b, b.open("/sign-in/oidc/callback?"+query.Encode()), http.StatusBadRequest, elsewhere)
	refused("no state", b, b.open("/sign-in/oidc/callback?code=x"), http.StatusBadRequest, elsewhere)
	if done := b.open(back); done.StatusCode != http.StatusOK || !b.isSignedIn() {
		t.Fatalf("the true answer is %d %s", done.StatusCode, done.text)
	}
	b.send(http.MethodPost, "/sign-out", url.Values{})
	refused("the same answer again", b, b.open(back), http.StatusBadRequest, elsewhere)

	old := fmt.Sprintf("secret.%d.%s", time.Now().Add(-11*time.Minute).Unix(), base64.RawURLEncoding.EncodeToString([]byte("/timeline")))
	late := s.browser()
	late.Jar.SetCookies(&url.URL{Scheme: "http", Host: publicHost, Path: "/sign-in/oidc/callback"}, []*http.Cookie{{Name: "memoir_oidc_0", Value: old}})
	refused("an old attempt", late, late.open("/sign-in/oidc/callback?code=x&state="+oidc.State(old)), http.StatusBadRequest, "took longer than 10 minutes")

	started := s.browser().open("/sign-in/oidc?next=/sync")
	for _, cookie := range started.Cookies() {
		if cookie.Name != "memoir_oidc_0" || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/sign-in/oidc" || cookie.MaxAge != 600 || cookie.Secure {
			t.Errorf("cookie of an attempt: %+v", cookie)
		}
	}
	for next, want := range map[string]string{
		"//evil.example": "/", "https://evil.example": "/", `/\evil.example`: "/", "/sign-in/oidc": "/", "/sign-in/oidc/callback?code=x": "/", "/agents/ada?q=%C3%A9": "/agents/ada?q=%C3%A9",
		"/" + strings.Repeat("x", 3000): "/",
	} {
		visitor := s.browser()
		visitor.open(visitor.open("/sign-in/oidc?" + url.Values{"next": {next}}.Encode()).Header.Get("Location"))
		if done := visitor.open(visitor.toProvider(next)); done.Header.Get("Refresh") != "0; url="+want || !strings.Contains(done.text, `<a href="`+want+`">`) {
			t.Errorf("next %.40q leads to %q, want %q", next, done.Header.Get("Refresh"), want)
		}
	}
}

// Each failure of the provider has a text on the sign-in page, and the token still works there.
func TestOIDC_ProviderFails(t *testing.T) {
	t.Parallel()
	provider := oidctest.New(t)
	provider.Set(oidctest.Behaviour{Down: true}) // also at the start of the server
	s := startServerIn(t, oidcEnv, oidcFlags(provider)...)
	s.newToken(`{"name":"mira","login":"mira@example.org","scope":"read"}`)
	shows := func(answer page, status int, text string) {
		t.Helper()
		if answer.StatusCode != status || !strings.Contains(answer.text, text) || !strings.Contains(answer.text, `name="next" value="/timeline"`) {
			t.Errorf("%d, want %d %q: %s", answer.StatusCode, status, text, answer.text)
		}
	}
	b := s.browser()
	shows(b.open("/sign-in/oidc?next=/timeline"), http.StatusBadGateway, "cannot be reached. Sign in with a token, or try again shortly.")
	token := s.browser()
	if signed := token.send(http.MethodPost, "/sign-in", url.Values{"token": {"all-of-it-for-me"}, "next": {"/"}}); signed.StatusCode != http.StatusSeeOther || !token.isSignedIn() {
		t.Errorf("with the token: %d", signed.StatusCode)
	}
	if status, answer := s.as("all-of-it-for-me", http.MethodGet, "/api/v1/doctor", ""); status != http.StatusOK || !strings.Contains(answer, `{"check":"OpenID Connect","state":"`+string(doctor.Problem)+`"`) {
		t.Errorf("the doctor says %d %s", status, answer)
	}
	provider.Set(oidctest.Behaviour{Issuer: "https://other.example"})
	shows(b.open("/sign-in/oidc?next=/timeline"), http.StatusBadGateway, "calls itself https://other.example, but --oidc-issuer is")
	provider.Set(oidctest.Behaviour{Denies: "access_denied"})
	shows(b.open(b.toProvider("/timeline")), http.StatusForbidden, "did not let you in, or you did not agree")
	provider.Set(oidctest.Behaviour{Denies: "<b>rude</b>"})
	if answer := b.open(b.toProvider("/timeline")); strings.Contains(answer.text, "rude") || strings.Contains(answer.text, "untrusted") {
		t.Errorf("the page repeats the provider's text: %s", answer.text)
	}
	provider.Set(oidctest.Behaviour{Claims: map[string]any{"email": "mira@example.org", "email_verified": false}})
	shows(b.open(b.toProvider("/timeline")), http.StatusForbidden, "has not verified the address mira@example.org")
	provider.Set(oidctest.Behaviour{Claims: map[string]any{"email": "mira@example.org", "email_verified": true, "exp": 1}})
	shows(b.open(b.toProvider("/timeline")), http.StatusBadGateway, "Compare the clocks of both servers")
	if b.isSignedIn() {
		t.Error("signed in")
	}
	provider.Set(oidctest.Behaviour{Claims: oidctest.Mira()})
	if _, answer := s.as("all-of-it-for-me", http.MethodGet, "/api/v1/doctor", ""); !strings.Contains(answer, `{"check":"OpenID Connect","state":"`+string(doctor.OK)+`"`) {
		t.Errorf("the doctor says %s", answer)
	}
	for _, secret := range provider.Secrets() {
		if strings.Contains(s.log.String(), secret) || strings.Contains(b.seen.String(), secret) {
			t.Errorf("the log or a page has %s", secret)
		}
	}
	b.signIn("/timeline")
}

// A sign-in ends after its time, and when the settings name another provider or none.
func TestOIDC_End(t *testing.T) {
	t.Parallel()
	provider, database := oidctest.New(t), pgtest.New(t)
	one := startServerIn(t, oidcEnv, oidcFlags(provider, "--database-url="+database)...)
	one.newToken(`{"name":"mira","login":"mira@example.org","scope":"admin"}`)
	b := one.browser()
	cookie := b.signIn("/sync")
	same := startServerIn(t, oidcEnv, oidcFlags(provider, "--database-url="+database)...)
	if status := same.withCookie(cookie, "/sync"); status != http.StatusOK {
		t.Errorf("on another server: %d", status)
	}
	without := startServer(t, "--token=all-of-it-for-me", "--database-url="+database)
	if status := without.withCookie(cookie, "/sync"); status != http.StatusSeeOther {
		t.Errorf("on a server without a provider: %d", status)
	}
	if status := without.withCookie(cookie, "/sign-in/oidc"); status != http.StatusSeeOther {
		t.Errorf("the address of the sign-in without a provider: %d", status)
	}
	other := startServerIn(t, oidcEnv, oidcFlags(provider, "--database-url="+database, "--oidc-claim=preferred_username")...)
	if status := other.withCookie(cookie, "/sync"); status != http.StatusSeeOther {
		t.Errorf("on a server with another claim: %d", status)
	}
	byToken := one.signIn(one.newToken(`{"name":"ci","scope":"read"}`).Token)
	if status := without.withCookie(byToken, "/sync"); status != http.StatusOK {
		t.Errorf("a sign-in by a token: %d", status)
	}

	db := pgtest.Connect(t, database)
	left := time.Duration(0)
	if err := db.QueryRow(t.Context(), "SELECT expires_at - now() FROM sign_ins WHERE principal_id IN (SELECT id FROM principals WHERE login IS NOT NULL)").Scan(&left); err != nil || left > 12*time.Hour || left < 11*time.Hour {
		t.Errorf("the sign-in lasts %s, %v, want 12 h", left, err)
	}
	// An open stream ends with it too.
	pgtest.Execute(t, db, "UPDATE sign_ins SET expires_at = now() + interval '3 seconds'")
	if stream := b.open("/api/v1/events"); stream.StatusCode != http.StatusOK {
		t.Errorf("the stream is %d", stream.StatusCode)
	}
	if b.isSignedIn() {
		t.Error("signed in after the end")
	}
}

func TestOIDC_SecretFile(t *testing.T) {
	t.Parallel()
	provider := oidctest.New(t)
	file := filepath.Join(t.TempDir(), "secret")
	fails := func(text string) {
		t.Helper()
		err := run(t.Context(), oidcFlags(provider, "--addr=127.0.0.1:0", "--data-dir="+t.TempDir(), "--oidc-client-secret-file="+file), func(string) (string, bool) { return "", false }, io.Discard, io.Discard)
		var refused *settingsError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), text) {
			t.Errorf("run() = %v, want %q", err, text)
		}
	}
	fails("--oidc-client-secret-file cannot be read")
	for _, content := range []string{"\n", oidctest.ClientSecret + "\n"} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if content == "\n" {
			fails("is empty")
		}
	}
	s := startServer(t, oidcFlags(provider, "--oidc-client-secret-file="+file)...)
	s.newToken(`{"name":"mira","login":"mira@example.org","scope":"read"}`)
	s.browser().signIn("/sync")
}
