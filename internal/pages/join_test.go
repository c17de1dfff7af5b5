package pages_test

import (
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// twoProjects is a site over two projects of Claude Code, old and new.
func twoProjects(t *testing.T) *site {
	t.Helper()
	m := memoirtest.StartClaude(t, memoirtest.Files{
		"projects/old/memory/tabs.md":   memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"projects/old/memory/MEMORY.md": "- [Tabs](tabs.md) <b>\n",
		"projects/old/memory/.git/HEAD": "ref\n",
		"projects/new/memory/tabs.md":   memoirtest.Note("Tabs", memories.Feedback, "Use spaces."),
		"projects/new/memory/MEMORY.md": "- [Tabs](tabs.md)\n",
	})
	return serveMemoir(t, m, setting{})
}

func TestTwoAgentsAreJoinedAndPartedOnTheAboutTab(t *testing.T) {
	t.Parallel()
	s := twoProjects(t)
	about := s.get(t, "/agents/old/about")
	about.expect(http.StatusOK, "One memory for two directories", "Claude Code, too, then has one memory for both")
	form := about.Find("form[action='/agents/old/about/join']")
	if option := form.Find("option"); option.Length() != 1 || option.AttrOr("value", "") != "new" {
		t.Fatalf("it can be joined to %q", words(option))
	}
	page := s.get(t, "/agents/old/about/join?into=new")
	page.expect(http.StatusOK, "Join to new?", "1 file comes to new.", "tabs.md as tabs_2.md", ".memory-before-joining", "1 line at the end of MEMORY.md", "<b>", ".git : it is hidden")
	if _, err := os.Readlink(s.Path("projects/old/memory")); err == nil {
		t.Fatal("looking at it has joined them")
	}
	s.submit(t, page, "Join them").expect(http.StatusOK, "The two are one memory now, on disk too.", "Joined to new", "Go to new", "whoever writes to either writes there")
	s.get(t, "/agents/new/about").expect(http.StatusOK, "old is joined to this agent")
	s.get(t, "/agents/new/activity").expect(http.StatusOK, "Joined with old")
	s.get(t, "/agents/old/memory").expect(http.StatusOK, "Joined to new")
	s.get(t, "/agents/new/about/join?into=old").expect(http.StatusConflict, "old is joined to new")
	s.post(t, "/agents/old/about/join", url.Values{"into": {"nobody"}}).expect(http.StatusConflict, "is no agent that Memoir knows. Nothing was changed.")
	parted := s.submit(t, s.get(t, "/agents/old/about"), "Yes, part from new")
	parted.expect(http.StatusOK, "It has a directory of its own again")
	if info, err := os.Lstat(s.Path("projects/old/memory")); err != nil || !info.IsDir() || !strings.Contains(s.Read("projects/old/memory/tabs_2.md"), "tabs") {
		t.Errorf("%v, %v", info, err)
	}
}
