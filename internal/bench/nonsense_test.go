package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The flood of invalid requests: requests per second, length, number of connections, and how many
// batches per second each connection sends.
const (
	nonsenseRate        = 10_000
	nonsenseTime        = 10 * time.Second
	nonsenseConnections = 20
	nonsenseHandfuls    = 50
)

// nonsenseKinds are invalid or forbidden requests by the expected status. One in eight causes a
// query to Postgres.
var nonsenseKinds = []struct {
	status int
	text   string
}{
	{http.StatusNotFound, "GET /nothing/" + strings.Repeat("x", 100) + " HTTP/1.1\r\nHost: localhost\r\n\r\n"},
	{http.StatusMisdirectedRequest, "GET /api/v1/agents HTTP/1.1\r\nHost: evil.example\r\n\r\n"},
	{http.StatusForbidden, "POST /api/v1/scan HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\nContent-Length: 0\r\n\r\n"},
	{http.StatusMethodNotAllowed, "PUT /api/v1/agents HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"},
	{http.StatusUnprocessableEntity, "GET /api/v1/agents/agent-00/memories?limit=-1 HTTP/1.1\r\nHost: localhost\r\n\r\n"},
	{http.StatusBadRequest, "POST /api/v1/agents/agent-00/memories HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{\"name\": "},
	{http.StatusNotFound, "GET /api/v9/agents HTTP/1.1\r\nHost: localhost\r\n\r\n"},
	{http.StatusNotFound, "GET /api/v1/agents/nobody/memories HTTP/1.1\r\nHost: localhost\r\n\r\n"},
}

// talkNonsense floods the server with invalid requests and measures lists meanwhile. It checks all
// statuses, and that nothing has changed.
func talkNonsense(p *process, dir string) {
	p.Helper()
	const list = "/api/v1/agents/agent-00/memories?limit=50"
	state := func() []byte {
		claudeMD, err := os.ReadFile(filepath.Join(dir, "agent-00", "CLAUDE.md"))
		if err != nil {
			p.Fatal(err)
		}
		return bytes.Join([][]byte{p.get(list), p.get("/api/v1/agents/agent-00/activity"), claudeMD}, nil)
	}
	before := state()

	var answered atomic.Int64
	var talking sync.WaitGroup
	started := time.Now()
	for n := range nonsenseConnections {
		talking.Go(func() {
			if err := p.babble(started, n, &answered); err != nil {
				p.Error(err)
			}
		})
	}
	over := make(chan struct{})
	go func() {
		talking.Wait()
		close(over)
	}()
	f := figure{Files: largest}
	for pace := time.Tick(50 * time.Millisecond); ; <-pace {
		select {
		case <-over:
			report.BesideFlood = f.sorted()
			if !bytes.Equal(state(), before) {
				p.Error("a flood of nonsense has changed something")
			}
			perSecond := float64(answered.Load()) / time.Since(started).Seconds()
			p.Logf("nonsense: %.0f answers a second, a list beside it %v, p99 %v", perSecond, f.Median(), f.P99())
			return
		default:
			f.Took = append(f.Took, timed(func() { p.get(list) }))
		}
	}
}

// babble sends one connection's share at a steady rate and counts the answers. It checks the
// statuses in the order of the requests.
func (p *process) babble(started time.Time, n int, answered *atomic.Int64) error {
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		return err
	}
	defer conn.Close()
	const handful = nonsenseRate / nonsenseConnections / nonsenseHandfuls
	const handfuls = int(nonsenseTime / (time.Second / nonsenseHandfuls))
	kind := func(i int) int { return (n + i) % len(nonsenseKinds) }
	go func() {
		var requests []byte
		for i := range handfuls {
			requests = requests[:0]
			for j := range handful {
				requests = append(requests, nonsenseKinds[kind(i*handful+j)].text...)
			}
			time.Sleep(time.Until(started.Add(time.Duration(i) * time.Second / nonsenseHandfuls)))
			if _, err := conn.Write(requests); err != nil {
				return // the reader reports the error
			}
		}
	}()
	from := bufio.NewReader(conn)
	for i := range handfuls * handful {
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		response, err := http.ReadResponse(from, nil)
		if err != nil {
			return fmt.Errorf("after %d answers: %w", i, err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			return err
		}
		if want := nonsenseKinds[kind(i)]; response.StatusCode != want.status {
			return fmt.Errorf("%.60q is answered %s, not %d", want.text, response.Status, want.status)
		}
		answered.Add(1)
	}
	return nil
}
