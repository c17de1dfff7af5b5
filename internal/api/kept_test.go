package api_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"memoir/internal/api"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// setupAlone is setup with a Postgres that nobody else writes to.
func setupAlone(t *testing.T, files memoirtest.Files) *server {
	t.Helper()
	return serve(t, memoirtest.StartAt(t, ownPostgres(t).URL(), files), api.Options{})
}

// whole asks for a list as a client does that takes no compressed answer.
func (s *server) whole(path string) reply {
	s.Helper()
	r := s.call("GET", path, nil, "Accept-Encoding", "identity")
	if r.status != 200 {
		s.Fatalf("%s: %d %s", path, r.status, r.raw)
	}
	return r
}

// untilKept asks for a list until its answer is one that was kept, which is sent whole, where one that is being written goes in
// parts.
func (s *server) untilKept(path string) (kept reply) {
	s.Helper()
	s.Until("an answer that was kept", func() bool {
		kept = s.whole(path)
		return kept.header.Get("Content-Length") != ""
	})
	return kept
}

func TestAListThatIsAskedForAgainIsAlwaysWhatItWouldBeAnew(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("It is told at length. ", 400)
	s := setupAlone(t, memoirtest.Files{
		"ada/memory/one.md": memoirtest.Note("one", memories.User, long),
		"ada/memory/two.md": memoirtest.Note("two", memories.Project, long),
		"bob/memory/own.md": memoirtest.Note("own", memories.User, long),
	})
	const ada = "/api/v1/agents/ada/memories"
	lists := []string{
		ada, ada + "?type=project", ada + "?sort=name&limit=1", ada + "?sort=age", ada + "?scope=private&limit=2",
		ada + "?sort=name&limit=1&cursor=" + s.ok(200, "GET", ada+"?sort=name&limit=1", nil)["next_cursor"].(string),
		"/api/v1/agents/bob/memories",
	}
	for _, step := range []struct {
		what string
		do   func()
	}{
		{"a file is written", func() {
			s.Write("ada/memory/three.md", memoirtest.Note("three", memories.User, long))
			s.Scan("ada")
		}},
		{"a file has another time alone", func() {
			if err := os.Chtimes(s.Path("ada/memory/three.md"), time.Time{}, time.Now().Add(-time.Hour)); err != nil {
				t.Fatal(err)
			}
			s.Scan("ada")
		}},
		{"a second file carries a memory", func() {
			s.Write("ada/memory/copy.md", memoirtest.Note("three", memories.User, long))
			s.Scan("ada")
		}},
		{"a second file carries it no more", func() {
			s.Remove("ada/memory/copy.md")
			s.Scan("ada")
		}},
		{"a memory is saved", func() {
			s.ok(200, "POST", "/api/v1/agents/ada/memories", map[string]any{"name": "two", "type": "project", "body": long + "And more."})
		}},
		{"a memory is deleted", func() { s.ok(200, "DELETE", s.at("ada", "one"), nil) }},
		{"it is restored", func() { s.ok(200, "POST", s.at("ada", "one")+"/restore", nil) }},
		{"CLAUDE.md is in the way", func() {
			s.Write("ada/CLAUDE.md", "<!-- memoir:begin -->\n<!-- memoir:begin -->\n")
			s.Scan("ada")
		}},
		{"nothing is in the way any more", func() {
			s.Write("ada/CLAUDE.md", "Mine.\n")
			s.Scan("ada")
		}},
		{"a memory moves to another file", func() {
			s.Remove("ada/memory/three.md")
			s.Write("ada/memory/elsewhere.md", memoirtest.Note("three", memories.User, long))
			s.Scan("ada")
		}},
		{"another agent is changed", func() {
			s.Write("bob/memory/own.md", memoirtest.Note("own", memories.User, "Short."))
			s.Scan("bob")
		}},
	} {
		before := make([]reply, len(lists))
		for i, list := range lists {
			before[i] = s.untilKept(list)
		}
		step.do()
		anew := serve(t, s.Memoir, api.Options{})
		changed, ofPieces := false, false
		for i, list := range lists {
			again, want := s.whole(list), anew.whole(list)
			if !bytes.Equal(again.raw, want.raw) {
				t.Errorf("after %s, %s is answered with\n%s\nand anew with\n%s", step.what, list, again.raw, want.raw)
			}
			if !bytes.Equal(again.raw, before[i].raw) {
				changed = true
				ofPieces = ofPieces || again.header.Get("Content-Length") != ""
			}
		}
		if !changed || !ofPieces {
			t.Errorf("%s changed a list: %v; one was put together of what was kept: %v", step.what, changed, ofPieces)
		}
	}
}

// TestAListAsLongAsNoneIsKeptIsAlwaysAnew asks for one that is longer than what is kept of a list.
func TestAListAsLongAsNoneIsKeptIsAlwaysAnew(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{}
	for i := range 40 {
		name := fmt.Sprint("note-", i)
		files["ada/memory/"+name+".md"] = memoirtest.Note(name, memories.User, strings.Repeat("It is told at length. ", 400))
	}
	s := setupAlone(t, files)
	for i := range 5 {
		s.Write("ada/memory/note-0.md", memoirtest.Note("note-0", memories.User, fmt.Sprint("Told for the ", i, ". time.")))
		s.Scan("ada")
		if list := s.whole("/api/v1/agents/ada/memories"); !strings.Contains(string(list.raw), fmt.Sprint("Told for the ", i, ". time.")) {
			t.Errorf("asked for the %d. time, the list does not say what was written", i)
		}
	}
}

func TestAListThatLosesAllItsMemoriesIsEmpty(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("It is told at length. ", 400)
	s := setupAlone(t, memoirtest.Files{"ada/memory/one.md": memoirtest.Note("one", memories.User, long)})
	const list = "/api/v1/agents/ada/memories?type=user"
	s.untilKept(list)
	s.ok(200, "DELETE", s.at("ada", "one"), nil)
	for range 3 {
		if got := s.ok(200, "GET", list, nil); len(got.list("memories")) != 0 || got["total"] != 0.0 {
			t.Errorf("without a memory the list is %v", got)
		}
	}
	s.ok(200, "POST", s.at("ada", "one")+"/restore", nil)
	if got := s.ok(200, "GET", list, nil); len(got.list("memories")) != 1 {
		t.Errorf("when it is restored the list is %v", got)
	}
}

func TestAListThatIsAskedForAgainGrowsOlder(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("It is told at length. ", 400)
	s := setupAlone(t, memoirtest.Files{"ada/memory/one.md": memoirtest.Note("one", memories.User, body)})
	soonADayOld := time.Now().Add(5*time.Second - 24*time.Hour)
	if err := os.Chtimes(s.Path("ada/memory/one.md"), soonADayOld, soonADayOld); err != nil {
		t.Fatal(err)
	}
	s.Scan("ada")
	s.untilKept("/api/v1/agents/ada/memories")
	s.Until("the memory is a day old", func() bool {
		return s.ok(200, "GET", "/api/v1/agents/ada/memories", nil).list("memories")[0]["age_days"] == 1.0
	})
}
