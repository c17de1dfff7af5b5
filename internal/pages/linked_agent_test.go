package pages_test

import (
	"net/http"
	"os"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// linkedProject returns a site with two projects of Claude Code. The memory directory of old is a
// link to the one of new.
func linkedProject(t *testing.T) *site {
	t.Helper()
	m := memoirtest.StartClaude(t, memoirtest.Files{
		"projects/old/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"projects/new/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use spaces."),
	})
	dir := m.Path("projects/old/memory")
	if err := os.Rename(dir, dir+".mine"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../new/memory", dir); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Engine.ScanAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	return serveMemoir(t, m, setting{})
}

func TestAgentPage_Linked(t *testing.T) {
	t.Parallel()
	s := linkedProject(t)
	s.get(t, "/agents/old/memory").expect(http.StatusOK, "Shared with new", "Show new")
	s.get(t, "/agents/old/settings").expect(http.StatusOK, "Shared with new")
}
