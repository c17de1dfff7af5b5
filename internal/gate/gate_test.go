package gate_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"memoir/internal/gate"
)

const token = "correct horse battery staple"

// server is a gate in front of site.
type server struct {
	*testing.T
	url    string
	client *http.Client // follows no redirects
	log    *bytes.Buffer
	stop   func() // after it, the log is complete
}

func setup(t *testing.T, options gate.Options) *server {
	t.Helper()
	s := &server{T: t, log: &bytes.Buffer{}}
	if options.Addr == "" {
		options.Addr = "127.0.0.1:8080"
	}
	if options.SignIns == nil {
		options.SignIns = newSignIns()
	}
	if options.SignIn == nil {
		options.SignIn = signInPage
	}
	options.Log = slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	g, err := gate.New(options)
	if err != nil {
		t.Fatal(err)
	}
	running := httptest.NewServer(g.Around(site()))
	t.Cleanup(running.Close)
	s.url, s.stop = running.URL, running.Close
	s.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return s
}

// signInPage writes the sign-in page of the tests.
func signInPage(w http.ResponseWriter, _ *http.Request, form gate.SignInForm) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<input type="hidden" name="next" value="%s">`, form.Next)
	if form.Wrong {
		fmt.Fprint(w, "Try again")
	}
}

// site panics at two paths, sets Cache-Control below /static/, and otherwise answers with the
// method and path.
func site() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%s %s", r.Method, r.URL.Path) })
	mux.HandleFunc("/static/", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Cache-Control", "max-age=60") })
	for _, path := range []string{"/panic", "/api/panic"} {
		mux.HandleFunc(path, func(http.ResponseWriter, *http.Request) { panic("the secret of the house") })
	}
	mux.HandleFunc("/late", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("half an answer"))
		panic("too late for a status")
	})
	return mux
}

// reply is the response to a request.
type reply struct {
	status int
	header http.Header
	body   string
}

// ask makes a request. headers are pairs of names and values, also of Host.
func (s *server) ask(method, path, body string, headers ...string) reply {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			request.Host = headers[i+1]
		}
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := s.client.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		s.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, string(raw)}
}

// refused fails unless the response has that status: a problem document for programs, else a page.
func (s *server) refused(path string, r reply, status int) {
	s.Helper()
	want := "text/html; charset=utf-8"
	if strings.HasPrefix(path, "/api") || path == "/healthz" || path == "/readyz" {
		want = "application/problem+json"
	}
	if r.status != status || r.header.Get("Content-Type") != want {
		s.Errorf("%s: status %d, media type %q, want %d, %q: %s", path, r.status, r.header.Get("Content-Type"), status, want, r.body)
		return
	}
	if want != "application/problem+json" {
		return
	}
	var problem struct {
		Status    int
		Detail    string
		RequestID string `json:"request_id"`
	}
	if err := json.Unmarshal([]byte(r.body), &problem); err != nil {
		s.Fatal(err)
	}
	if problem.Status != status || problem.Detail == "" || problem.RequestID == "" || problem.RequestID != r.header.Get("X-Request-Id") {
		s.Errorf("%s: problem document %s", path, r.body)
	}
}

func TestHost_Unknown(t *testing.T) {
	t.Parallel()
	s := setup(t, gate.Options{Addr: "10.1.2.3:8080", Token: token, AllowedHosts: []string{"memoir.example.org", "Other.Example.org.", "fd00::1"}})
	for host, ours := range map[string]bool{
		"localhost": true, "LOCALHOST:8080": true, "localhost.:1": true, "app.localhost:3000": true, "127.0.0.1": true, "127.9.9.9:80": true,
		"[::1]": true, "[::1]:8080": true, "[0:0:0:0:0:0:0:1]:8080": true, "[::ffff:127.0.0.1]:80": true,
		"10.1.2.3": true, "10.1.2.3:9": true, "memoir.example.org": true, "MEMOIR.example.org.:443": true, "other.example.org": true,
		"[fd00::1]:80": true, "[FD00:0::1]": true,
		"evil.example": false, "evil.example:8080": false, "localhost.evil.example": false, "evillocalhost": false, "10.1.2.4": false,
		"127.0.0.1.evil.example": false, "0.0.0.0:8080": false, "[::]": false, "[fd00::2]": false, "sub.memoir.example.org": false,
		"localhost:80:80": false, "localhost:http": false, "[localhost]": false, "[127.0.0.1]": false, "2130706433": false, "localhost..": false,
		"192.168.0.1": false,
	} {
		for _, path := range []string{"/healthz", "/readyz", "/api/v1/agents", "/"} {
			r := s.ask("GET", path, "", "Host", host, "Authorization", "Bearer "+token)
			if ours && r.status != http.StatusOK {
				t.Errorf("host %q is refused at %s: %d", host, path, r.status)
			}
			if !ours {
				s.refused(path, r, http.StatusMisdirectedRequest)
			}
		}
	}
}

func TestHost_Absent(t *testing.T) {
	t.Parallel()
	s := setup(t, gate.Options{})
	for request, want := range map[string]string{
		"GET / HTTP/1.0\r\n\r\n": "HTTP/1.0 421",
		"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n": "HTTP/1.1 421",
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, request)
		status, err := bufio.NewReader(conn).ReadString('\n')
		conn.Close()
		if err != nil || !strings.HasPrefix(status, want) {
			t.Errorf("%q is answered %q, %v", request, status, err)
		}
	}
}

func TestCrossOrigin_Refused(t *testing.T) {
	t.Parallel()
	s := setup(t, gate.Options{})
	for _, c := range []struct {
		headers []string
		passes  bool
	}{
		{nil, true}, // a script
		{[]string{"Sec-Fetch-Site", "same-origin"}, true},
		{[]string{"Sec-Fetch-Site", "none"}, true},
		{[]string{"Origin", s.url}, true},
		{[]string{"Sec-Fetch-Site", "cross-site"}, false},
		{[]string{"Sec-Fetch-Site", "same-site"}, false}, // another port of the same host
		{[]string{"Origin", "http://evil.example"}, false},
		{[]string{"Origin", "http://127.0.0.1:1"}, false},
		{[]string{"Origin", "null"}, false},
	} {
		for _, path := range []string{"/api/v1/scan", "/healthz", "/readyz", "/agents/ada", "/sign-in", "/sign-out"} {
			for _, method := range []string{"POST", "PATCH", "DELETE", "PUT"} {
				r := s.ask(method, path, "", c.headers...)
				if c.passes && r.status >= 400 {
					t.Errorf("%s %s with %v: %d", method, path, c.headers, r.status)
				}
				if !c.passes {
					s.refused(path, r, http.StatusForbidden)
				}
			}
			if r := s.ask("GET", path, "", c.headers...); r.status >= 400 {
				t.Errorf("reading %s with %v: %d", path, c.headers, r.status)
			}
		}
	}
}

func TestHeaders_EveryResponse(t *testing.T) {
	t.Parallel()
	s := setup(t, gate.Options{Token: token})
	known := []string{"Authorization", "Bearer " + token}
	for name, r := range map[string]reply{
		"a page": s.ask("GET", "/", "", known...), "the API": s.ask("GET", "/api/v1/agents", "", known...), "health": s.ask("GET", "/healthz", ""),
		"the sign-in": s.ask("GET", "/sign-in", ""), "a redirect": s.ask("GET", "/", ""), "401": s.ask("GET", "/api/v1/agents", ""),
		"403": s.ask("POST", "/", "", "Origin", "http://evil.example"), "421": s.ask("GET", "/", "", "Host", "evil.example"), "500": s.ask("GET", "/panic", "", known...),
	} {
		for header, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options":  "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
		} {
			if got := r.header.Get(header); got != want {
				t.Errorf("%s (%d): %s is %q, want %q", name, r.status, header, got, want)
			}
		}
		if r.header.Get("X-Request-Id") == "" {
			t.Errorf("%s has no request id", name)
		}
	}
	if got := s.ask("GET", "/static/app.js", "").header.Get("Cache-Control"); got != "max-age=60" {
		t.Errorf("an asset's own Cache-Control became %q", got)
	}
}

func TestPanic_IsProblem(t *testing.T) {
	t.Parallel()
	s := setup(t, gate.Options{})
	var ids []string
	for _, path := range []string{"/panic", "/api/panic"} {
		r := s.ask("GET", path, "")
		s.refused(path, r, http.StatusInternalServerError)
		id := r.header.Get("X-Request-Id")
		ids = append(ids, id)
		if !strings.Contains(r.body, id) || strings.Contains(r.body, "secret of the house") {
			t.Errorf("%s: %s", path, r.body)
		}
	}
	response, err := s.client.Get(s.url + "/late")
	if err == nil {
		_, err = io.ReadAll(response.Body)
		response.Body.Close()
	}
	if err == nil {
		t.Error("an answer that broke off looks whole")
	}
	s.stop()
	for _, id := range ids {
		if !strings.Contains(s.log.String(), id) {
			t.Errorf("the log does not have request %s", id)
		}
	}
	if !strings.Contains(s.log.String(), "secret of the house") {
		t.Error("the log does not have the cause")
	}
}

func TestLog_OmitsQueriesAndTokens(t *testing.T) {
	t.Parallel()
	s := setup(t, gate.Options{Token: token})
	s.ask("GET", "/api/v1/agents?q=whispered", "", "Authorization", "Bearer "+token, "X-Request-Id", "forged")
	s.ask("GET", "/page?q=whispered", "")
	s.ask("POST", "/sign-in", url.Values{"token": {"whispered"}}.Encode())
	s.stop()
	lines := 0
	for line := range strings.Lines(s.log.String()) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatal(err)
		}
		if entry["msg"] != "request" {
			continue
		}
		lines++
		for _, field := range []string{"request", "method", "path", "status", "bytes", "took", "from"} {
			if entry[field] == nil {
				t.Errorf("no %s in %s", field, line)
			}
		}
	}
	if lines != 3 {
		t.Errorf("%d lines for 3 requests", lines)
	}
	for _, secret := range []string{"whispered", "battery", "forged"} {
		if strings.Contains(s.log.String(), secret) {
			t.Errorf("the log has %q:\n%s", secret, s.log.String())
		}
	}
}

func TestNew_NeedsToken(t *testing.T) {
	t.Parallel()
	for addr, loopback := range map[string]bool{
		"127.0.0.1:8080": true, "localhost:0": true, "[::1]:8080": true, "127.1.2.3:1": true,
		":8080": false, "0.0.0.0:8080": false, "[::]:8080": false, "192.168.0.1:80": false, "memoir.example.org:80": false,
	} {
		_, err := gate.New(gate.Options{Addr: addr, Log: slog.New(slog.DiscardHandler)})
		if loopback != (err == nil) || !loopback && !errors.Is(err, gate.ErrNeedsToken) {
			t.Errorf("%s without a token: %v", addr, err)
		}
		if _, err := gate.New(gate.Options{Addr: addr, Token: token, Log: slog.New(slog.DiscardHandler)}); err != nil {
			t.Errorf("%s with a token: %v", addr, err)
		}
		for name, options := range map[string]gate.Options{
			"short token": {Token: "fifteen letters"}, "short read token": {Token: token, ReadToken: "fifteen letters"},
		} {
			options.Addr, options.Log = addr, slog.New(slog.DiscardHandler)
			if _, err := gate.New(options); loopback != (err == nil) || !loopback && !errors.Is(err, gate.ErrNeedsToken) {
				t.Errorf("%s with a %s: %v", addr, name, err)
			}
		}
	}
}

func TestNew_InvalidOptions(t *testing.T) {
	t.Parallel()
	for _, options := range []gate.Options{
		{Addr: "8080"}, {Addr: "127.0.0.1"}, {Addr: "127.0.0.1:8080", AllowedHosts: []string{""}},
		{Addr: "127.0.0.1:8080", AllowedHosts: []string{"https://memoir.example.org"}}, {Addr: "127.0.0.1:8080", AllowedHosts: []string{"a b"}},
	} {
		options.Log = slog.New(slog.DiscardHandler)
		if _, err := gate.New(options); err == nil || !strings.Contains(err.Error(), "--") {
			t.Errorf("%+v: %v", options, err)
		}
	}
}

func TestServer_ShutdownEndsStreams(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	begun := make(chan struct{})
	stream := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(begun)
		<-ended
	})
	g, err := gate.New(gate.Options{Addr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	running := g.Server(stream, func() { close(ended) })
	if running.ReadHeaderTimeout == 0 || running.IdleTimeout == 0 || running.MaxHeaderBytes == 0 || running.WriteTimeout == 0 || running.ReadTimeout != 0 {
		t.Errorf("limits: %+v", running)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- running.Serve(listener) }()
	go func() {
		if response, err := http.Get("http://" + listener.Addr().String()); err == nil {
			response.Body.Close()
		}
	}()
	<-begun
	if err := running.Shutdown(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
}

// overTLS is the state of a request that arrived over TLS.
var overTLS = &tls.ConnectionState{HandshakeComplete: true}
