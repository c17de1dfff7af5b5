package gate_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"memoir/internal/gate"
	"memoir/internal/waittest"
)

// listen serves a handler behind a gate with these limits, as the server does.
func listen(t *testing.T, options gate.Options, handler http.HandlerFunc) (addr string) {
	t.Helper()
	options.Addr = "127.0.0.1:0"
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	g, err := gate.New(options)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := g.Server(handler, func() {})
	go server.Serve(listener) //nolint:errcheck // ends with the test
	t.Cleanup(func() { server.Close() })
	return listener.Addr().String()
}

// A client is one connection.
type client struct {
	*testing.T
	net.Conn
	from *bufio.Reader
}

func connect(t *testing.T, addr string) *client {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetReadDeadline(time.Now().Add(waittest.Patience())); err != nil {
		t.Fatal(err)
	}
	return &client{t, conn, bufio.NewReader(conn)}
}

// answer reads a response with its body.
func (c *client) answer() reply {
	c.Helper()
	response, err := http.ReadResponse(c.from, nil)
	if err != nil {
		c.Fatal(err)
	}
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		c.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, string(raw)}
}

// ended fails unless the server closes the connection.
func (c *client) ended() {
	c.Helper()
	_, err := io.Copy(io.Discard, c.from)
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		c.Error("the connection is still open")
	}
}

func TestLimits_SlowBody(t *testing.T) {
	t.Parallel()
	reads := func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
		}
	}
	ignores := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		head    string
		status  int
	}{
		"with its length":        {reads, "Content-Length: 100\r\n\r\n", http.StatusBadRequest},
		"in chunks":              {reads, "Transfer-Encoding: chunked\r\n\r\n1\r\n", http.StatusBadRequest},
		"for nobody":             {ignores, "Content-Length: 100\r\n\r\n", http.StatusNotFound},
		"in chunks, for nobody":  {ignores, "Transfer-Encoding: chunked\r\n\r\n1\r\n", http.StatusNotFound},
		"after being asked for":  {reads, "Expect: 100-continue\r\nContent-Length: 100\r\n\r\n", http.StatusBadRequest},
		"from who is not let in": {ignores, "Sec-Fetch-Site: cross-site\r\nContent-Length: 100\r\n\r\n", http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slow := connect(t, listen(t, gate.Options{Limits: gate.Limits{Body: 3 * time.Second, Stall: 2 * time.Second}}, c.handler))
			fmt.Fprint(slow, "POST /x HTTP/1.1\r\nHost: localhost\r\n"+c.head+"a")
			if strings.Contains(c.head, "Expect") {
				if r := slow.answer(); r.status != http.StatusContinue {
					t.Fatalf("status %d", r.status)
				}
			}
			if r := slow.answer(); r.status != c.status {
				t.Errorf("status %d, want %d", r.status, c.status)
			}
			slow.ended()
		})
	}
}

func TestLimits_SlowHandler(t *testing.T) {
	t.Parallel()
	const limit = 500 * time.Millisecond
	addr := listen(t, gate.Options{Limits: gate.Limits{Head: limit, Body: limit, Stall: limit, Idle: limit}}, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		for range 2 {
			select {
			case <-r.Context().Done():
				t.Error("the request was given up")
			case <-time.After(3 * limit / 2):
			}
			_, _ = w.Write(body)
		}
		time.Sleep(3 * limit / 2) // the last bytes still wait to be sent
	})
	for range 2 {
		response, err := http.Post("http://"+addr+"/", "text/plain", strings.NewReader("said "))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || string(raw) != "said said " {
			t.Errorf("%q, %v", raw, err)
		}
	}
}

func TestLimits_StalledClient(t *testing.T) {
	t.Parallel()
	broke := make(chan error, 1)
	addr := listen(t, gate.Options{Limits: gate.Limits{Stall: 200 * time.Millisecond}}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				broke <- err
				return
			}
		}
	})
	fmt.Fprint(connect(t, addr), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	select {
	case <-broke:
	case <-time.After(waittest.Patience()):
		t.Error("the answer still waits for the client")
	}
}

func TestLimits_LargeResponse(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789abcde\n", 1<<20)
	addr := listen(t, gate.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		if n, err := io.WriteString(w, text); n != len(text) || err != nil {
			t.Errorf("%d bytes written, %v", n, err)
		}
	})
	response, err := http.Get("http://" + addr)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if raw, err := io.ReadAll(response.Body); err != nil || string(raw) != text {
		t.Errorf("%d bytes, %v", len(raw), err)
	}
}

// The limit of a response begins with its first byte: an import may work for longer.
func TestLimits_LateResponse(t *testing.T) {
	t.Parallel()
	const limit = 500 * time.Millisecond
	text := strings.Repeat("0123456789abcde\n", 1<<12) // more than the server buffers
	addr := listen(t, gate.Options{Limits: gate.Limits{Stall: limit, Answer: limit}}, func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(3 * limit / 2)
		w.Header().Set("Content-Type", "application/octet-stream") // not compressed
		if n, err := io.WriteString(w, text); n != len(text) || err != nil {
			t.Errorf("%d bytes written, %v", n, err)
		}
	})
	response, err := http.Get("http://" + addr)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if raw, err := io.ReadAll(response.Body); err != nil || string(raw) != text {
		t.Errorf("%d bytes, %v", len(raw), err)
	}
}

func TestLimits_OwnDeadlines(t *testing.T) {
	t.Parallel()
	const limit = 500 * time.Millisecond
	addr := listen(t, gate.Options{Limits: gate.Limits{Stall: limit, Answer: limit}}, func(w http.ResponseWriter, _ *http.Request) {
		control := http.NewResponseController(w)
		for range 3 {
			if err := control.SetWriteDeadline(time.Now().Add(waittest.Patience())); err != nil {
				t.Error(err)
			}
			_, _ = io.WriteString(w, "here\n")
			if err := control.Flush(); err != nil {
				t.Error(err)
			}
			time.Sleep(limit)
		}
	})
	response, err := http.Get("http://" + addr)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if raw, err := io.ReadAll(response.Body); err != nil || string(raw) != strings.Repeat("here\n", 3) {
		t.Errorf("%q, %v", raw, err)
	}
}

func TestConnections_PastLimit(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	addr := listen(t, gate.Options{Limits: gate.Limits{Connections: 2}}, func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/work" {
			begun <- struct{}{}
			<-release
		}
	})
	var working []*client
	for range 2 {
		c := connect(t, addr)
		fmt.Fprint(c, "GET /work HTTP/1.1\r\nHost: localhost\r\n\r\n")
		<-begun
		working = append(working, c)
	}
	for path, media := range map[string]string{"/": "text/html; charset=utf-8", "/api/v1/agents": "application/problem+json"} {
		c := connect(t, addr)
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
		r := c.answer()
		if r.status != http.StatusTooManyRequests || r.header.Get("Content-Type") != media || r.header.Get("Retry-After") == "" || r.header.Get("X-Content-Type-Options") == "" {
			t.Errorf("%s: status %d, headers %v: %s", path, r.status, r.header, r.body)
		}
		c.ended()
	}
	close(release)
	for _, c := range working {
		if r := c.answer(); r.status != http.StatusOK {
			t.Errorf("who was at work got %d", r.status)
		}
	}
	served(t, addr)
}

// served returns a new connection after a response over it. It retries, because the server counts
// an earlier connection as active for a moment.
func served(t *testing.T, addr string) *client {
	t.Helper()
	for limit := time.Now().Add(waittest.Patience()); ; {
		c := connect(t, addr)
		fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if c.answer().status == http.StatusOK {
			return c
		}
		if time.Now().After(limit) {
			t.Fatal("refused though the others only wait")
		}
	}
}

func TestConnections_WaitingGiveWay(t *testing.T) {
	t.Parallel()
	addr := listen(t, gate.Options{Limits: gate.Limits{Connections: 3}}, func(http.ResponseWriter, *http.Request) {})
	idle := served(t, addr)
	silent, halfSaid := connect(t, addr), connect(t, addr)
	fmt.Fprint(halfSaid, "GET / HTTP/1.1\r\nHost: local")
	for range 50 {
		served(t, addr)
	}
	idle.ended()
	silent.ended()
	halfSaid.ended()
	last := served(t, addr)
	fmt.Fprint(last, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if r := last.answer(); r.status != http.StatusOK {
		t.Errorf("status %d on a connection that has just been served", r.status)
	}
}

func TestConnections_Flood(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	begun := make(chan struct{}, 1)
	addr := listen(t, gate.Options{Limits: gate.Limits{Connections: 1, Head: 200 * time.Millisecond}}, func(http.ResponseWriter, *http.Request) {
		begun <- struct{}{}
		<-release
	})
	working := connect(t, addr)
	fmt.Fprint(working, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	<-begun
	var surplus []*client
	for range 300 {
		surplus = append(surplus, connect(t, addr))
	}
	for _, c := range surplus {
		c.ended()
	}
	close(release)
	if r := working.answer(); r.status != http.StatusOK {
		t.Errorf("status %d", r.status)
	}
}

func TestLog_RefusalsAreLimited(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	addr := listen(t, gate.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
		}
	})
	c := connect(t, addr)
	const requests = 5000
	go func() {
		for range requests {
			fmt.Fprint(c, strings.Repeat("M", 1000), " /", strings.Repeat("a", 3000), " HTTP/1.1\r\nHost: localhost\r\n\r\n")
		}
		fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	}()
	for range requests {
		if r := c.answer(); r.status != http.StatusNotFound {
			t.Fatalf("status %d", r.status)
		}
	}
	if r := c.answer(); r.status != http.StatusOK {
		t.Fatalf("status %d", r.status)
	}
	// logged after the response
	for limit := time.Now().Add(waittest.Patience()); !strings.Contains(log.String(), "path=/ status=200"); {
		if time.Now().After(limit) {
			t.Fatal("the request that was answered is not in the log")
		}
	}
	listed := 0
	for line := range strings.Lines(log.String()) {
		listed++
		if len(line) > 1000 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
	if listed > requests/2 {
		t.Errorf("%d lines for %d refused requests", listed, requests)
	}
}

// lockedBuffer is a log that can be read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
