package pages_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/web/templates/address"
)

// sharingSite returns a site with the agents ada and bob and a directory that they share.
func sharingSite(t *testing.T) (s *site, teamDir string) {
	t.Helper()
	files := twoMemories()
	files["bob/memory/role.md"] = memoirtest.Note("Role", memories.User, "Bob.")
	m, team := memoirtest.StartSharing(t, files, memoirtest.Files{
		"tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Everybody uses spaces."),
		"wiki.md": memoirtest.Note("Wiki", memories.Reference, "wiki.example"),
	})
	return serveMemoir(t, m, setting{}), team
}

func TestShared_ListsAndMoves(t *testing.T) {
	t.Parallel()
	s, team := sharingSite(t)
	m := s.Memoir
	at := func(m memories.Memory) string { return address.MemoryPath(m.Agent, m.ID) }
	shared := func(page *answer) string { return words(page.Find("#group-shared-team .rows h3")) }

	// The tab shows shared memories as a group with links to their owner, and filters them too.
	list := s.get(t, adaList)
	if got := shared(list); got != "Wiki Tabs" && got != "Tabs Wiki" {
		t.Errorf("ada is shown %q as shared", got)
	}
	if href, _ := list.Find(`#group-shared-team h3 a:contains("Wiki")`).Attr("href"); href != at(m.Memory("team", "Wiki")) {
		t.Errorf("Wiki leads to %s", href)
	}
	if got := shared(s.get(t, adaList+"?q=wiki")); got != "Wiki" {
		t.Errorf("a search shows %q as shared", got)
	}
	if got := shared(s.get(t, "/agents/team/memory")); got != "" {
		t.Errorf("what is shared is shown to be shared with itself: %q", got)
	}
	files := s.get(t, "/agents/ada/context")
	if got, _ := files.Find(`.source a:contains("Wiki")`).Attr("href"); got != at(m.Memory("team", "Wiki")) {
		t.Errorf("Wiki in CLAUDE.md leads to %q", got)
	}
	// The link of a recalled shared memory names the receiving agent and redirects to the owner.
	if page := s.get(t, address.MemoryPath("ada", m.Memory("team", "Wiki").ID)); page.StatusCode != http.StatusOK || page.Request.URL.Path != at(m.Memory("team", "Wiki")) {
		t.Errorf("a shared memory of ada's is %d at %s", page.StatusCode, page.Request.URL)
	}

	// Different contents are shown side by side.
	tabs := s.get(t, at(m.Memory("ada", "Tabs")))
	if got := words(tabs.Find(".twin .both .prose")); got != "Use tabs. Everybody uses spaces." {
		t.Errorf("side by side is %q", got)
	}
	if _, err := m.Engine.Delete(t.Context(), "team", m.Memory("team", "Tabs").ID, ""); err != nil {
		t.Fatal(err)
	}

	moved := s.submit(t, s.get(t, at(m.Memory("ada", "Tabs"))), "For all projects Tabs")
	moved.expect(http.StatusOK, "Moved Tabs to all agents", "Use tabs.")
	if got := moved.Request.URL.Path; got != at(m.Memory("team", "Tabs")) || m.Read("ada/memory/tabs.md") != "" || !strings.Contains(m.Read("bob/CLAUDE.md"), "### Tabs (team)\n\nUse tabs.\n") {
		t.Errorf("the move leads to %s", got)
	}
	back := s.submit(t, moved, "Undo the move of Tabs")
	back.expect(http.StatusOK, "Moved Tabs to private memory")
	if back.Request.URL.Path != at(m.Memory("ada", "Tabs")) || strings.Contains(m.Read("bob/CLAUDE.md"), "Use tabs.") {
		t.Errorf("the undo leads to %s", back.Request.URL)
	}
	s.submit(t, back, "For all projects Tabs").expect(http.StatusOK, "Moved Tabs to all agents")

	// From there it can be moved to any agent.
	page := s.get(t, at(m.Memory("team", "Tabs"))+"?tab=file")
	if got := words(page.Find("#taker option")); got != "ada bob" {
		t.Errorf("it can be given to %q", got)
	}
	s.copyTo(t, page, "bob").expect(http.StatusOK, "Copied Tabs to private memory")
	if m.Memory("bob", "Tabs").Body != "Use tabs." {
		t.Error("it was not copied to bob")
	}
	if _, err := os.Stat(filepath.Join(team, "feedback_tabs.md")); err != nil {
		t.Error(err)
	}
}

func TestCopy_ToAnotherAgent(t *testing.T) {
	t.Parallel()
	files := twoMemories()
	files["bob/memory/role.md"] = memoirtest.Note("Role", memories.User, "Bob.")
	m := memoirtest.Start(t, files)
	s := serveMemoir(t, m, setting{})
	page := s.get(t, address.MemoryPath("ada", m.Memory("ada", "Tabs").ID)+"?tab=file")
	if got := words(page.Find("#taker option")); got != "bob" {
		t.Errorf("it can be copied to %q", got)
	}
	if page.Find(`form.move button:contains("Move")`).Length() > 0 {
		t.Error("it can be moved to another agent")
	}
	copied := s.copyTo(t, page, "bob")
	copied.expect(http.StatusOK, "Copied Tabs", "Use tabs.")
	if got := copied.Request.URL.Path; got != address.MemoryPath("bob", m.Memory("bob", "Tabs").ID) {
		t.Errorf("the copy leads to %s", got)
	}
	if m.Read("ada/memory/tabs.md") == "" || !strings.Contains(m.Read("bob/memory/feedback_tabs.md"), "Use tabs.") {
		t.Error("one of the two files is missing")
	}
}

// copyTo submits the form of a memory's page that copies it to another agent.
func (s *site) copyTo(t *testing.T, page *answer, agent string) *answer {
	t.Helper()
	form := page.Find("#taker").Closest("form")
	fields := map[string][]string{address.FieldAgent: {agent}}
	for _, name := range []string{address.FieldETag, address.FieldBack, address.FieldTo} {
		fields[name] = []string{form.Find("[name="+name+"]").AttrOr("value", "")}
	}
	return s.post(t, form.AttrOr("action", ""), fields)
}
