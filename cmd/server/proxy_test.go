package main

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// A proxy at 127.0.0.2 names its users; the same header from 127.0.0.1 is ignored.
func TestAuthHeader_Proxy(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--token=all-of-it-for-me", "--auth-header=X-Forwarded-User", "--auth-proxy=127.0.0.2")
	s.newToken(`{"name":"mira","login":"mira@example.org","scope":"read"}`)
	ask := func(from, method, path string, users ...string) (int, string) {
		t.Helper()
		client := &http.Transport{DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).DialContext}
		defer client.CloseIdleConnections()
		request, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.addr+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		request.Header["X-Forwarded-User"] = users
		request.Header.Set("Content-Type", "application/json")
		response, err := client.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		answer, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(answer)
	}
	for _, test := range []struct {
		name, from, method, path string
		users                    []string
		want                     int
		text                     string
	}{
		{"a user", "127.0.0.2", http.MethodGet, "/api/v1/agents", []string{"mira@example.org"}, http.StatusOK, "ada"},
		{"her scope", "127.0.0.2", http.MethodPost, "/api/v1/agents/ada/memories", []string{"mira@example.org"}, http.StatusForbidden, "The token of mira has the scope read"},
		{"unknown user", "127.0.0.2", http.MethodGet, "/api/v1/agents", []string{"eve"}, http.StatusForbidden, "memoir token create NAME --login eve"},
		{"no user", "127.0.0.2", http.MethodGet, "/api/v1/agents", nil, http.StatusUnauthorized, ""},
		{"two users", "127.0.0.2", http.MethodGet, "/api/v1/agents", []string{"mira@example.org", "eve"}, http.StatusUnauthorized, ""},
		{"not a proxy", "127.0.0.1", http.MethodGet, "/api/v1/agents", []string{"mira@example.org"}, http.StatusUnauthorized, ""},
	} {
		if status, answer := ask(test.from, test.method, test.path, test.users...); status != test.want || !strings.Contains(answer, test.text) {
			t.Errorf("%s: %d %.200s, want %d %q", test.name, status, answer, test.want, test.text)
		}
	}
}
