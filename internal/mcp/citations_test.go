package mcp_test

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/verification"
	"memoir/internal/waittest"
)

func TestGetMemory_DeadCitations(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	if err := os.MkdirAll(filepath.Join(project, "web"), 0o755); err != nil {
		t.Fatal(err)
	}
	transcript, err := json.Marshal(map[string]string{"cwd": project})
	if err != nil {
		t.Fatal(err)
	}
	project = "projects/" + memoirtest.ClaudeProject(project)
	m := memoirtest.StartClaude(t, memoirtest.Files{
		project + "/1.jsonl": string(transcript) + "\n", project + "/memory/MEMORY.md": "",
		project + "/memory/app.md": memoirtest.Note("App", memories.Project, "It goes on in `web/old.ts`."),
	})
	checker := verification.Start(m.Engine, m.Store, verification.Options{Settle: time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(checker.Close)
	c := serve(t, m).connect(t, reader, "")
	const warned = "This memory cites things that are no longer in the project: `web/old.ts`. Verify it against the project before you rely on it, and correct the memory if it is wrong."
	waittest.For(m, "the check", func() bool {
		var app memory
		text := c.call("get_memory", arguments{"name": "App"}, &app)
		return strings.HasPrefix(app.Warning, warned) && strings.Contains(text, "\n"+app.Warning+"\n\nIt goes on")
	})
	if told, err := c.prompt("memory_show", map[string]string{"name": "App"}); err != nil || !strings.Contains(told, warned) {
		t.Errorf("it is shown as %q, %v", told, err)
	}
}
