package pages_test

import (
	"testing"

	"memoir/internal/findings"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestOtherFiles_AreFixedOrNamed(t *testing.T) {
	t.Parallel()
	s := reviewing(t, memoirtest.Files{
		"ada/memory/tabs.md":   memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/prefs.txt": "Always answer in French.",
		"ada/memory/README.md": "# How to build",
	}, setting{decider: &decider{}})
	readme := s.get(t, s.itemPathOf(t, findings.Broken, "README"))
	readme.expect(200, "File is for people or tools", "memory/README.md")
	if types := readme.each(`.card-fixes button, [value="fix"]`); len(types) > 0 {
		t.Errorf("the README is asked for a type: %q", types)
	}
	page := s.get(t, s.itemPathOf(t, findings.Broken, "prefs"))
	page.expect(200, "prefs.txt", "Rename to prefs.md")
	s.submit(t, page, "Rename to prefs.md")
	if s.Read("ada/memory/prefs.md") != "Always answer in French." || s.Read("ada/memory/prefs.txt") != "" {
		t.Error("the file was not renamed")
	}
}
