package pages_test

import (
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestOtherFiles_AreFixedOrNamed(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{
		"ada/memory/tabs.md":   memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/prefs.txt": "Always answer in French.",
		"ada/memory/README.md": "# How to build",
	})
	page := s.get(t, "/agents/ada/attention")
	page.expect(200, "prefs.txt", "Rename to prefs.md", "Not memories", "memory/README.md")
	if types := page.each("#not-memories button"); len(types) > 0 {
		t.Errorf("the README is asked for a type: %q", types)
	}
	s.submit(t, page, "Rename to prefs.md prefs").expect(200, "memory/prefs.md")
	if s.Read("ada/memory/prefs.md") != "Always answer in French." || s.Read("ada/memory/prefs.txt") != "" {
		t.Error("the file was not renamed")
	}
}
