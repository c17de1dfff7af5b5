package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/waittest"
)

// nonsense is a flag: go test -run Nonsense ./cmd/server -nonsense=20000
var nonsense = flag.Int("nonsense", 2000, "how many requests without sense the nonsense test makes")

// nonsenseClients is the number of connections (arbitrary).
const nonsenseClients = 8

// TestServer_NonsenseRequests counts goroutines and descriptors, so it must run alone.
//
//nolint:paralleltest // for the reason above
func TestServer_NonsenseRequests(t *testing.T) {
	s := startServer(t)
	names := []string{"Release day", "Tabs", "Who asks"}
	before := s.state(names)
	s.client.CloseIdleConnections()
	resources := countResources()

	targets := absurdRequests(s.memory("Tabs"))
	each := max(1, *nonsense/nonsenseClients)
	var seen sync.Map // statuses by kind of request
	var working sync.WaitGroup
	for n := range nonsenseClients {
		working.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(n)))
			c := s.connect()
			defer func() { c.Close() }()
			for i := range each {
				what := targets[(i*nonsenseClients+n)%len(targets)]
				if random.IntN(50) == 0 {
					what.raw = mangled(what.raw, random)
				}
				status, open := c.ask(what.raw)
				// the last two: not HTTP
				if status >= 500 && status != http.StatusNotImplemented && status != http.StatusHTTPVersionNotSupported {
					t.Errorf("%.200q is answered %d", what.raw, status)
				}
				if _, known := seen.LoadOrStore(what.name, status); !known && testing.Verbose() {
					t.Logf("%s: %d", what.name, status)
				}
				if !open {
					c.Close()
					c = s.connect()
				}
			}
		})
	}
	for range 20 {
		if got := s.state(names); got != before {
			t.Errorf("in the middle of it the state is\n%s, not\n%s", got, before)
		}
	}
	working.Wait()
	if got := s.state(names); got != before {
		t.Errorf("afterwards the state is\n%s, not\n%s", got, before)
	}
	s.client.CloseIdleConnections()
	const kept = 50 // connections to Postgres included; more stay open after load
	s.until("goroutines and descriptors to be back to what they were", func() string {
		now := countResources()
		if now.goroutines > resources.goroutines+kept || now.descriptors > resources.descriptors+kept {
			return fmt.Sprintf("%+v, before %+v", now, resources)
		}
		return ""
	})
}

// runningServer is Memoir in this process, with its own files and Postgres.
type runningServer struct {
	*testing.T
	dir    string
	addr   string
	scheme string // http or https
	client *http.Client
	log    logText
}

// logText is a log that can be read while it is written.
type logText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func startServer(t *testing.T, more ...string) *runningServer {
	t.Helper()
	return startServerIn(t, nil, more...)
}

// startServerIn is startServer with environment variables.
func startServerIn(t *testing.T, env map[string]string, more ...string) *runningServer {
	t.Helper()
	s := &runningServer{T: t, dir: t.TempDir(), client: &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // the test's certificate
	}}}
	for file, note := range map[string]string{
		"tabs.md":    memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"release.md": memoirtest.Note("Release day", memories.Project, "Tuesday."),
		"who.md":     memoirtest.Note("Who asks", memories.User, "Ada."),
	} {
		path := filepath.Join(s.dir, "agents", "ada", "memory", file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(note), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	displayAddress, announcement := io.Pipe()
	ended := make(chan error, 1)
	args := append([]string{"--addr=127.0.0.1:0", "--agents-dir=" + filepath.Join(s.dir, "agents"), "--claude-dir=", "--data-dir=" + filepath.Join(s.dir, "data"), "--rescan=1h"}, more...)
	go func() {
		err := run(ctx, args, func(name string) (string, bool) { value, ok := env[name]; return value, ok }, announcement, &s.log)
		announcement.CloseWithError(io.ErrUnexpectedEOF)
		ended <- err
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	line, err := bufio.NewReader(displayAddress).ReadString('\n')
	if err != nil {
		startErr := <-ended
		ended <- startErr // for the cleanup
		t.Fatalf("the server did not start: %v", startErr)
	}
	s.scheme, s.addr, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "memoir: listening on "), "://")
	s.until("the first scan", func() string {
		if status, _ := s.get("/readyz"); status != http.StatusOK {
			return fmt.Sprint(status)
		}
		return ""
	})
	return s
}

// until waits until against returns "".
func (s *runningServer) until(what string, against func() string) {
	s.Helper()
	waittest.NoError(s, what, func() error {
		if complaint := against(); complaint != "" {
			return errors.New(complaint)
		}
		return nil
	})
}

func (s *runningServer) get(path string) (status int, body []byte) {
	s.Helper()
	response, err := s.client.Get(s.scheme + "://" + s.addr + path)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	if err != nil {
		s.Fatal(err)
	}
	return response.StatusCode, body
}

// state returns the agent's state in the API and on disk.
func (s *runningServer) state(names []string) string {
	s.Helper()
	status, body := s.get("/api/v1/agents/ada/memories?sort=name")
	var list struct {
		Memories []struct{ Name, State, Hash string }
		Total    int
	}
	if err := json.Unmarshal(body, &list); err != nil || status != http.StatusOK {
		s.Fatalf("status %d, %v: %s", status, err, body)
	}
	found := make([]string, len(list.Memories))
	for i, m := range list.Memories {
		found[i] = m.Name
	}
	if !slices.Equal(found, names) {
		s.Errorf("the memories are %q", found)
	}
	_, activity := s.get("/api/v1/agents/ada/activity")
	claudeMD, err := os.ReadFile(filepath.Join(s.dir, "agents", "ada", "CLAUDE.md"))
	if err != nil {
		s.Fatal(err)
	}
	return fmt.Sprintf("%+v\n%s\n%s", list, activity, claudeMD)
}

// memory returns the id of a memory.
func (s *runningServer) memory(name string) string {
	s.Helper()
	_, body := s.get("/api/v1/agents/ada/memories?name=" + url.QueryEscape(name))
	var list struct{ Memories []struct{ ID string } }
	if err := json.Unmarshal(body, &list); err != nil || len(list.Memories) != 1 {
		s.Fatalf("%s, %v", body, err)
	}
	return list.Memories[0].ID
}

// rawClient sends requests without changes.
type rawClient struct {
	*runningServer
	net.Conn
	from *bufio.Reader
}

func (s *runningServer) connect() *rawClient {
	s.Helper()
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.Fatal(err)
	}
	return &rawClient{s, conn, bufio.NewReader(conn)}
}

// ask returns the status of the response, and whether the connection stays open. The status is 0 if
// the server closes the connection, as it may for invalid HTTP.
func (c *rawClient) ask(raw string) (status int, open bool) {
	c.Helper()
	_ = c.SetDeadline(time.Now().Add(waittest.Patience()))
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_, _ = io.WriteString(c.Conn, raw) // the server may close the connection
	}()
	method, _, _ := strings.Cut(raw, " ")
	response, err := http.ReadResponse(c.from, &http.Request{Method: method})
	if err == nil {
		status = response.StatusCode
		_, err = io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		c.Errorf("no answer to %.200q", raw)
	}
	open = err == nil && !response.Close
	if !open {
		c.Close()
	}
	<-sent
	return status, open
}

// resources are counts that grow if the server leaks.
type resources struct{ goroutines, descriptors int }

func countResources() resources {
	open, _ := os.ReadDir("/proc/self/fd") // works on Linux only
	return resources{runtime.NumGoroutine(), len(open)}
}
