package hooks_test

import (
	"fmt"
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/recall"
	"memoir/internal/waittest"
)

func TestUserPromptSubmit_Budget(t *testing.T) {
	t.Parallel()
	const all = 20
	files := memoirtest.Files{}
	for i := range all {
		// more than the limit for one
		body := strings.Repeat(strings.Repeat("deploying rules ", 8)+"\n", 60)
		files[fmt.Sprintf("ada/memory/feedback_%c.md", 'a'+i)] = memoirtest.Note(fmt.Sprintf("deploy rule %c", 'a'+i), memories.Feedback, body)
	}
	d := setup(t, files)
	prompt := func(session string) string {
		_, text := d.call("user-prompt-submit", map[string]any{"session_id": session, "cwd": d.Path("ada"), "prompt": "what are the deploy rules?"})
		return text
	}
	given := map[string]bool{}
	bytes := 0
	waittest.For(d, "the budget to be spent", func() bool {
		for _, block := range strings.Split(prompt("one"), "Memory (saved today): ")[1:] {
			path, text, _ := strings.Cut(block, ":\n\n")
			text, _, _ = strings.Cut(text, "\n\n[... truncated, memory file too large ...]")
			if given[path] {
				t.Errorf("%s is given again", path)
			}
			given[path] = true
			bytes += len(text)
		}
		return bytes > recall.SessionBudget-recall.MaxBytes
	})
	for range 3 {
		if text := prompt("one"); text != "" {
			t.Errorf("after %d bytes of %d memories it is given %.100q", bytes, len(given), text)
		}
	}
	if bytes > recall.SessionBudget || len(given) == all {
		t.Errorf("it is given %d memories with %d bytes", len(given), bytes)
	}
	if text := d.prompt(map[string]any{"session_id": "two", "cwd": d.Path("ada"), "prompt": "what are the deploy rules?"}); text == "" {
		t.Error("another conversation is given nothing")
	}
}
