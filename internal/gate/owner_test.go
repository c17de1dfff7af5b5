package gate_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/user"
	"strings"
	"testing"

	"memoir/internal/files/filestest"
	"memoir/internal/gate"
)

func TestOnlyOwner_AdmitsOwner(t *testing.T) {
	t.Parallel()
	addr := listen(t, gate.Options{OnlyOwner: true}, func(http.ResponseWriter, *http.Request) {})
	client := connect(t, addr)
	for range 2 { // over one connection
		io.WriteString(client, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if r := client.answer(); r.status != http.StatusOK {
			t.Fatalf("status = %d, want 200", r.status)
		}
	}
}

func TestOnlyOwner_RefusesOthers(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can become another user")
	}
	addr := listen(t, gate.Options{OnlyOwner: true}, func(http.ResponseWriter, *http.Request) {})
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]struct {
		status int
		media  string
	}{
		"/":                       {http.StatusForbidden, "text/html; charset=utf-8"},
		"/agents/ada/memory":      {http.StatusForbidden, "text/html; charset=utf-8"},
		"/api/v1/agents":          {http.StatusForbidden, "application/problem+json"},
		"/api/openapi.json":       {http.StatusForbidden, "application/problem+json"},
		"/hooks/stop":             {http.StatusForbidden, "application/problem+json"},
		"/mcp":                    {http.StatusForbidden, "application/problem+json"},
		"/healthz/../api/v1/sync": {http.StatusForbidden, "text/html; charset=utf-8"},
		"/healthz":                {http.StatusOK, ""},
		"/readyz":                 {http.StatusOK, ""},
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			var conn net.Conn
			filestest.AsNobody(t, func() {
				if conn, err = net.Dial("tcp", addr); err != nil {
					t.Error(err)
				}
			})
			if conn == nil {
				return
			}
			defer conn.Close()
			stranger := &client{t, conn, bufio.NewReader(conn)}
			io.WriteString(stranger, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
			r := stranger.answer()
			if r.status != want.status || want.media != "" && r.header.Get("Content-Type") != want.media {
				t.Errorf("status = %d, type = %q, want %+v", r.status, r.header.Get("Content-Type"), want)
			}
			if r.status == http.StatusForbidden && (!strings.Contains(r.body, me.Username) || !strings.Contains(r.body, "--token")) {
				t.Errorf("the refusal names neither owner nor --token: %s", r.body)
			}
		})
	}
}

func TestOnlyOwner_TokenAndLink(t *testing.T) {
	// If the kernel cannot identify users, the owner has a token and a link.
	t.Parallel()
	s := setup(t, gate.Options{OnlyOwner: true, Token: "generated-for-the-owner", TokenFile: "/data/owner-token", SignInCode: "once"})
	r := s.ask(http.MethodGet, "/api/v1/agents", "")
	var problem struct{ Detail string }
	if err := json.Unmarshal([]byte(r.body), &problem); err != nil {
		t.Fatal(err)
	}
	if r.status != http.StatusForbidden || !strings.Contains(problem.Detail, "/data/owner-token") {
		t.Errorf("without the token: %d %s", r.status, r.body)
	}
	if r := s.ask(http.MethodGet, "/", ""); r.status != http.StatusForbidden || !strings.Contains(r.body, "link") {
		t.Errorf("a browser without a session: %d %s", r.status, r.body)
	}
	if r := s.ask(http.MethodGet, "/api/v1/agents", "", "Authorization", "Bearer generated-for-the-owner"); r.status != http.StatusOK {
		t.Errorf("with the token: %d", r.status)
	}
	if r := s.ask(http.MethodHead, gate.SignInPath+"?code=once", ""); r.header.Get("Set-Cookie") != "" {
		t.Error("HEAD uses the link up")
	}
	r = s.ask(http.MethodGet, gate.SignInPath+"?code=once", "")
	cookie, _, _ := strings.Cut(r.header.Get("Set-Cookie"), ";")
	if r.status != http.StatusSeeOther || cookie == "" {
		t.Fatalf("the link: %d %v", r.status, r.header)
	}
	if r := s.ask(http.MethodGet, "/agents", "", "Cookie", cookie); r.status != http.StatusOK {
		t.Errorf("with the session: %d", r.status)
	}
	if r := s.ask(http.MethodGet, gate.SignInPath+"?code=once", ""); r.header.Get("Set-Cookie") != "" {
		t.Error("the link works twice")
	}
}

func TestOnlyOwner_UnknownConnection(t *testing.T) {
	// A server that was not made by Gate.Server admits no connection.
	t.Parallel()
	s := setup(t, gate.Options{OnlyOwner: true})
	if r := s.ask(http.MethodGet, "/api/v1/agents", ""); r.status != http.StatusForbidden {
		t.Errorf("status = %d, want 403", r.status)
	}
}
