package gate_test

import (
	"bufio"
	"compress/gzip"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"memoir/internal/gate"
)

// answering serves one response behind a gate, to a client that does not decompress.
func answering(t *testing.T, answer http.HandlerFunc) (get func(encodings, proxy string) *http.Response) {
	t.Helper()
	g, err := gate.New(gate.Options{Addr: "127.0.0.1:8080", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(g.Around(answer))
	t.Cleanup(server.Close)
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	t.Cleanup(client.CloseIdleConnections)
	return func(encodings, proxy string) *http.Response {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept-Encoding", encodings)
		request.Header.Set("X-Forwarded-For", proxy)
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = response.Body.Close() })
		return response
	}
}

func TestCompress_Text(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("the same words again ", 1000)
	for _, c := range []struct {
		media, tag, encodings, proxy, body string
		packed                             bool
	}{
		{"text/html; charset=utf-8", "", "gzip, br", "", text, true},
		{"application/json", "", "gzip", "192.0.2.1", text, true},
		{"application/problem+json", "", "gzip", "", text, true},
		{"application/json", "", "gzip", "", text, false}, // to a local script
		{"text/html; charset=utf-8", "", "identity", "", text, false},
		{"text/html; charset=utf-8", "", "gzip;q=0", "", text, false},
		{"text/html; charset=utf-8", "", "gzip", "", "short", false},
		{"application/json", `"strong"`, "gzip", "192.0.2.1", text, false},
		{"image/png", "", "gzip", "", text, false},
	} {
		response := answering(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.media)
			if c.tag != "" {
				w.Header().Set("ETag", c.tag)
			}
			w.WriteHeader(http.StatusOK)
			_, _ = io.WriteString(w, c.body)
		})(c.encodings, c.proxy)
		var body io.Reader = response.Body
		if c.packed {
			unpacked, err := gzip.NewReader(response.Body)
			if err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
			body = unpacked
		}
		got, err := io.ReadAll(body)
		if err != nil || string(got) != c.body || response.Header.Get("ETag") != c.tag {
			t.Errorf("%s for %q with the tag %q came as %d bytes with %v (%v)", c.media, c.encodings, c.tag, len(got), response.Header, err)
		}
		if packed := response.Header.Get("Content-Encoding") == "gzip"; packed != c.packed || !strings.Contains(response.Header.Get("Vary"), "Accept-Encoding") {
			t.Errorf("%s for %q with the tag %q has %v", c.media, c.encodings, c.tag, response.Header)
		}
	}
}

func TestCompress_LocalJSON(t *testing.T) {
	t.Parallel()
	response := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, strings.Repeat("the same words again ", 1000))
	})("gzip", "")
	if packed := response.Header.Get("Content-Encoding"); packed != "" {
		t.Errorf("JSON for a script on this machine is packed by %s", packed)
	}
}

func TestCompress_EventStream(t *testing.T) {
	t.Parallel()
	seen := make(chan struct{})
	response := answering(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: first\n")
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		select {
		case <-seen:
		case <-r.Context().Done():
		}
	})("gzip", "")
	line, err := bufio.NewReader(response.Body).ReadString('\n') // the handler continues after this
	close(seen)
	if err != nil || line != "data: first\n" || response.Header.Get("Content-Encoding") != "" {
		t.Errorf("the stream began with %q, %v (%v)", line, response.Header, err)
	}
}
