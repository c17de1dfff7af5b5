package api_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"memoir/internal/api"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/waittest"
)

// follow opens an event stream. lines receives its lines that are not empty, and is closed when the
// stream ends. hangUp closes the stream.
func (s *server) follow(query string) (lines <-chan string, hangUp func()) {
	s.Helper()
	ctx, cancel := context.WithCancel(s.Context())
	request, err := http.NewRequestWithContext(ctx, "GET", s.url+"/api/v1/events"+query, nil)
	if err != nil {
		s.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	if got := response.Header.Get("Content-Type"); response.StatusCode != 200 || got != "text/event-stream" || response.Header.Get("Cache-Control") != "no-store" {
		s.Fatalf("status %d, headers %v", response.StatusCode, response.Header)
	}
	received := make(chan string, 1024)
	go func() {
		defer close(received)
		defer response.Body.Close()
		for scanner := bufio.NewScanner(response.Body); scanner.Scan(); {
			if scanner.Text() != "" {
				received <- scanner.Text()
			}
		}
	}()
	s.Cleanup(cancel)
	return received, cancel
}

// next waits for a line for which wanted returns true, and returns it. It skips other lines.
func (s *server) next(lines <-chan string, wanted func(string) bool) string {
	s.Helper()
	for limit := time.After(waittest.Patience()); ; {
		select {
		case line, open := <-lines:
			if !open {
				s.Fatal("the stream has ended")
			}
			if wanted(line) {
				return line
			}
		case <-limit:
			s.Fatal("waited in vain for a line of the stream")
		}
	}
}

func is(line string) func(string) bool { return func(got string) bool { return got == line } }

func TestEvents_SendsChanges(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	lines, _ := s.follow("")
	if first := <-lines; !strings.HasPrefix(first, "retry: ") {
		t.Errorf("first line %q", first)
	}
	s.ok(200, "DELETE", s.at("ada", "Tabs"), nil)
	s.next(lines, is("event: changed"))
	s.next(lines, is(`data: {"agent":"ada","kind":"deleted","name":"Tabs"}`))
	s.ok(200, "POST", s.at("ada", "Tabs")+"/restore", nil)
	s.next(lines, is(`data: {"agent":"ada","kind":"restored","name":"Tabs"}`))
	s.Write("ada/memory/new.md", memoirtest.Note("New", memories.User, "Written by hand."))
	s.next(lines, is(`data: {"agent":"ada","kind":"saved","name":"New"}`))
	s.next(lines, is(`data: {"agent":"ada","kind":"published","name":null}`))
}

func TestEvents_OneAgent(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"bob/memory/b.md":    memoirtest.Note("B", memories.Feedback, "Bee."),
	})
	lines, _ := s.follow("?agent=bob")
	s.ok(200, "DELETE", s.at("ada", "Tabs"), nil)
	s.ok(200, "DELETE", s.at("bob", "B"), nil)
	s.next(lines, func(line string) bool {
		if strings.Contains(line, `"ada"`) {
			t.Errorf("an event of another agent: %s", line)
		}
		return line == `data: {"agent":"bob","kind":"deleted","name":"B"}`
	})
}

func TestEvents_Ping(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Start(t, tabs), api.Options{Ping: 10 * time.Millisecond})
	lines, _ := s.follow("?agent=nobody")
	for range 3 {
		s.next(lines, func(line string) bool { return strings.HasPrefix(line, ":") })
	}
}

func TestEvents_HubCloses(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	lines, _ := s.follow("")
	s.Engine.Hub().Close()
	for limit := time.After(waittest.Patience()); ; {
		select {
		case _, open := <-lines:
			if !open {
				return
			}
		case <-limit:
			t.Fatal("the stream goes on")
		}
	}
}

func TestEvents_TooMany(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Start(t, tabs), api.Options{MaxStreams: 2})
	_, hangUp := s.follow("")
	s.follow("")
	r := s.call("GET", "/api/v1/events", nil)
	s.problem(r, 429)
	if r.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	hangUp()
	waittest.For(s, "a place to be free", func() bool { return s.call("HEAD", "/api/v1/events", nil).status == 200 })
}
