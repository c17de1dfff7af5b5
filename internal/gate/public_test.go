package gate_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"memoir/internal/gate"
)

func publicURL(t *testing.T, text string) gate.PublicURL {
	t.Helper()
	public, err := gate.ParsePublicURL(text)
	if err != nil {
		t.Fatal(err)
	}
	return public
}

func TestParsePublicURL_KeepsOrigin(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://memoir.example.org": "https://memoir.example.org", "HTTPS://Memoir.Example.org:443/": "https://memoir.example.org",
		"http://nas.example:8080": "http://nas.example:8080", "http://nas:80": "http://nas", "https://nas:80": "https://nas:80",
		"http://[FD00::1]:8080": "http://[fd00::1]:8080", "http://127.0.0.1:9000": "http://127.0.0.1:9000",
	} {
		if got := publicURL(t, text).Origin(); got != want {
			t.Errorf("ParsePublicURL(%q) = %q, want %q", text, got, want)
		}
	}
	for _, wrong := range []string{
		"", "memoir.example.org", "//memoir.example.org", "ftp://memoir.example.org", "https://", "https://me@memoir.example.org", "https://memoir.example.org?a=b",
		"https://memoir.example.org/?", "https://memoir.example.org#a", "https://a b", "https://mémoire.example", "http://nas:port", "https://nas,nas2",
	} {
		if _, err := gate.ParsePublicURL(wrong); err == nil || !strings.Contains(err.Error(), "memoir.example.org") && !strings.Contains(err.Error(), "path") {
			t.Errorf("ParsePublicURL(%q) error = %v", wrong, err)
		}
	}
	if _, err := gate.ParsePublicURL("https://example.org/memoir/"); err == nil || !strings.Contains(err.Error(), "a path is not supported") {
		t.Errorf("a path: %v", err)
	}
}

func TestPublicURL_AdmitsItsOrigin(t *testing.T) {
	t.Parallel()
	const nas = "http://nas.example:8080"
	plain := setup(t, gate.Options{Token: token})
	public := setup(t, gate.Options{Token: token, PublicURL: publicURL(t, nas)})
	form := url.Values{"token": {token}}.Encode()
	here := strings.TrimPrefix(plain.url, "http://")

	refused := plain.ask("POST", "/sign-in", form, "Origin", nas)
	for _, words := range []string{nas, "http://" + here, "--public-url " + nas} {
		if refused.status != http.StatusForbidden || !strings.Contains(refused.body, words) {
			t.Errorf("the refusal, without %q: %d %s", words, refused.status, refused.body)
		}
	}
	// As nginx requests without and with proxy_set_header.
	for _, host := range []string{strings.TrimPrefix(public.url, "http://"), "nas.example", "nas.example:8080"} {
		if r := public.ask("POST", "/sign-in", form, "Origin", nas, "Host", host); r.status != http.StatusSeeOther {
			t.Errorf("a sign-in as %s: %d %s", host, r.status, r.body)
		}
		if r := public.ask("GET", "/healthz", "", "Host", host); r.status != http.StatusOK {
			t.Errorf("Host %s: %d", host, r.status)
		}
	}
	for _, origin := range []string{"http://nas.example", "https://nas.example:8080", "http://evil.example", "null"} {
		r := public.ask("POST", "/sign-in", form, "Origin", origin)
		if r.status != http.StatusForbidden || origin != "null" && (!strings.Contains(r.body, origin) || !strings.Contains(r.body, nas) || !strings.Contains(r.body, "--public-url")) {
			t.Errorf("from %s: %d %s", origin, r.status, r.body)
		}
	}
	if r := public.ask("POST", "/sign-in", form, "Origin", "http://evil.example", "Sec-Fetch-Site", "cross-site"); r.status != http.StatusForbidden {
		t.Errorf("a cross-site write: %d", r.status)
	}
	if r := plain.ask("GET", "/", "", "Host", "nas.example:8080"); r.status != http.StatusMisdirectedRequest || !strings.Contains(r.body, "--public-url "+nas) {
		t.Errorf("an unknown host: %d %s", r.status, r.body)
	}
	long := "http://" + strings.Repeat("a", 5000)
	if r := plain.ask("POST", "/sign-in", form, "Origin", long); r.status != http.StatusForbidden || len(r.body) > 2000 {
		t.Errorf("a long origin: %d, %d bytes", r.status, len(r.body))
	}
}

func TestPublicURL_OfTLSMakesCookiesSecure(t *testing.T) {
	t.Parallel()
	s := setup(t, gate.Options{Token: token, PublicURL: publicURL(t, "https://memoir.example.org")})
	for origin, want := range map[string]bool{"": true, "https://memoir.example.org": true, s.url: false} {
		r := s.ask("POST", "/sign-in", url.Values{"token": {token}}.Encode(), "Origin", origin)
		cookie, err := http.ParseSetCookie(r.header.Get("Set-Cookie"))
		if err != nil || cookie.Secure != want {
			t.Errorf("from %q: %+v, %v", origin, cookie, err)
		}
	}
}

func TestPublicURL_NeedsTokenForOthers(t *testing.T) {
	t.Parallel()
	for text, passes := range map[string]bool{"https://memoir.example.org": false, "http://localhost:9000": true} {
		_, err := gate.New(gate.Options{Addr: "127.0.0.1:8080", PublicURL: publicURL(t, text)})
		if passes != (err == nil) {
			t.Errorf("%s without a token: %v", text, err)
		}
	}
}
