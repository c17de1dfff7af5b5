package pages_test

import (
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestUnreadableDirectories_AreShown(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{
		"ada/memory/tabs.md":   memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"b\xe9d/memory/odd.md": memoirtest.Note("Odd", memories.Feedback, "Never read."),
	})
	s.get(t, "/sync").expect(200, "1 directory not read", `b\xe9d (owner `, "the name is not valid UTF-8", "Memoir runs as ")
	page := s.get(t, "/")
	page.expect(200, `b\xe9d (owner `, "the name is not valid UTF-8", "Memoir runs as ")
	if got := page.Find(".failures li").Length(); got != 2 {
		t.Errorf("%d lines say what cannot be scanned", got)
	}
}
