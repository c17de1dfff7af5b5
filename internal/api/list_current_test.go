package api_test

import (
	"bytes"
	"os"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestList_Current(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/one.md": memoirtest.Note("one", memories.User, "It is told."),
		"ada/memory/two.md": memoirtest.Note("two", memories.Project, "It is told."),
		"bob/memory/own.md": memoirtest.Note("own", memories.User, "It is told."),
	})
	const ada, bob = "/api/v1/agents/ada/memories", "/api/v1/agents/bob/memories"
	for _, step := range []struct {
		what string
		list string
		do   func()
	}{
		{"a file is written", ada, func() {
			s.Write("ada/memory/three.md", memoirtest.Note("three", memories.User, "It is told."))
			s.Scan("ada")
		}},
		{"a file gets another time", ada + "?sort=age", func() {
			if err := os.Chtimes(s.Path("ada/memory/three.md"), time.Time{}, time.Now().Add(-time.Hour)); err != nil {
				t.Fatal(err)
			}
			s.Scan("ada")
		}},
		{"a memory gets a second file", ada + "?sort=name&limit=2", func() {
			s.Write("ada/memory/copy.md", memoirtest.Note("three", memories.User, "It is told."))
			s.Scan("ada")
		}},
		{"it loses the second file", ada + "?sort=name&limit=2", func() {
			s.Remove("ada/memory/copy.md")
			s.Scan("ada")
		}},
		{"a memory is saved", ada + "?type=project", func() {
			s.ok(200, "POST", ada, map[string]any{"name": "two", "type": "project", "body": "And more."})
		}},
		{"a memory is deleted", ada + "?scope=private&limit=2", func() { s.ok(200, "DELETE", s.at("ada", "one"), nil) }},
		{"it is restored", ada + "?scope=private&limit=2", func() { s.ok(200, "POST", s.at("ada", "one")+"/restore", nil) }},
		{"CLAUDE.md has a problem", ada, func() {
			s.Write("ada/CLAUDE.md", "<!-- memoir:begin -->\n<!-- memoir:begin -->\n")
			s.Scan("ada")
		}},
		{"the problem ends", ada, func() {
			s.Write("ada/CLAUDE.md", "Mine.\n")
			s.Scan("ada")
		}},
		{"a memory moves to another file", ada, func() {
			s.Remove("ada/memory/three.md")
			s.Write("ada/memory/elsewhere.md", memoirtest.Note("three", memories.User, "It is told."))
			s.Scan("ada")
		}},
		{"another agent changes", bob, func() {
			s.Write("bob/memory/own.md", memoirtest.Note("own", memories.User, "Short."))
			s.Scan("bob")
		}},
	} {
		before := s.call("GET", step.list, nil)
		step.do()
		after := s.call("GET", step.list, nil)
		if before.status != 200 || after.status != 200 || bytes.Equal(before.raw, after.raw) {
			t.Errorf("after %q, %s is %d %s, as before", step.what, step.list, after.status, after.raw)
		}
	}
}

func TestList_LosesItsLastMemory(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/one.md": memoirtest.Note("one", memories.User, "It is told.")})
	const list = "/api/v1/agents/ada/memories?type=user"
	s.ok(200, "DELETE", s.at("ada", "one"), nil)
	if got := s.ok(200, "GET", list, nil); len(got.list("memories")) != 0 || got["total"] != 0.0 {
		t.Errorf("after the deletion the list is %v, want no memories", got)
	}
	s.ok(200, "POST", s.at("ada", "one")+"/restore", nil)
	if got := s.ok(200, "GET", list, nil); len(got.list("memories")) != 1 {
		t.Errorf("after the restore the list is %v, want one memory", got)
	}
}
