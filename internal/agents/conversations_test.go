package agents_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"memoir/internal/agents"
)

// age creates a file and its directories with modification times that long ago.
func age(t *testing.T, path string, now time.Time, ago time.Duration) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for at := path; ; at = filepath.Dir(at) {
		if err := os.Chtimes(at, now.Add(-ago), now.Add(-ago)); err != nil {
			t.Fatal(err)
		}
		if name := filepath.Base(filepath.Dir(at)); name == "sessions" || name == "projects" {
			return
		}
	}
}

func TestConversationsSince_Counts(t *testing.T) {
	t.Parallel()
	now := time.Now()
	dir := t.TempDir()
	since := now.Add(-24 * time.Hour)
	hive := agents.Agent{Slug: "ada", Layout: agents.Hive, Dir: filepath.Join(dir, "ada")}
	project := agents.Agent{Slug: "p", Layout: agents.Claude, Dir: filepath.Join(dir, "projects", "p", "memory")}
	counts := func(a agents.Agent, want int, when string) {
		t.Helper()
		if n, known := agents.ConversationsSince(a, since, now, 100); n != want || !known {
			t.Errorf("%s %s: %d conversations, known %t, want %d", a.Slug, when, n, known, want)
		}
	}
	counts(hive, 0, "without any")
	counts(project, 0, "without any")
	for i := range 4 {
		age(t, filepath.Join(hive.Dir, "sessions", fmt.Sprint("new", i), "memory", "a.md"), now, time.Hour)
		age(t, filepath.Join(hive.Dir, "sessions", fmt.Sprint("old", i), "memory", "a.md"), now, 25*time.Hour)
		age(t, filepath.Join(dir, "projects", "p", fmt.Sprint("new", i, ".jsonl")), now, time.Hour)
		age(t, filepath.Join(dir, "projects", "p", fmt.Sprint("old", i, ".jsonl")), now, 25*time.Hour)
	}
	age(t, filepath.Join(dir, "projects", "p", "notes.txt"), now, time.Hour)
	counts(hive, 4, "with old ones")
	counts(project, 4, "with old ones")
	// Writing a file in place changes no directory.
	late := filepath.Join(hive.Dir, "sessions", "old1", "memory", "a.md")
	if err := os.Chtimes(late, now, now); err != nil {
		t.Fatal(err)
	}
	counts(hive, 5, "with a file that was written again")
	// The active conversation is not counted.
	age(t, filepath.Join(dir, "projects", "p", "now.jsonl"), now, time.Minute)
	counts(project, 4, "while one goes on")
	age(t, filepath.Join(dir, "projects", "p", "now.jsonl"), now, 10*time.Minute)
	counts(project, 5, "when it is over")
	for _, other := range []agents.Agent{{Layout: agents.Directory, Dir: dir}, {Layout: agents.Claude, Dir: filepath.Join(dir, "agent-memory", "memory")}} {
		if n, known := agents.ConversationsSince(other, since, now, 100); known {
			t.Errorf("%s has %d conversations", other.Dir, n)
		}
	}
	if n, _ := agents.ConversationsSince(hive, since, now, 3); n != 3 {
		t.Errorf("it counts to %d instead of 3", n)
	}
}
