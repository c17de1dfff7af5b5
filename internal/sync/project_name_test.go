package sync_test

import (
	"testing"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/waittest"
)

const summary = `{"type":"summary"}` + "\n"

// withProject adds a Claude Code project with a memory and without a transcript that names it.
func withProject(t *testing.T, poll bool) *bench {
	t.Helper()
	b := setup(t)
	b.options.Poll = poll
	b.write("claude/projects/-srv-app/memory/a.md", note("Tabs", memories.User, "one"))
	b.over(agents.Settings{ClaudeDir: b.path("claude")})
	if name := b.agent("-srv-app").DisplayName; name != "-srv-app" {
		t.Fatalf("it is called %s", name)
	}
	return b
}

func TestProjectName_FromTranscript(t *testing.T) {
	t.Parallel()
	for name, poll := range map[string]bool{"while it is watched": false, "while it is polled": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := withProject(t, poll)
			b.write("claude/projects/-srv-app/1.jsonl", summary)
			b.write("claude/projects/-srv-app/1.jsonl", summary+`{"cwd":"/srv/app"}`+"\n")
			waittest.For(b, "its path", func() bool { return b.agent("-srv-app").DisplayName == "/srv/app" })
			b.restart()
			if name := b.agent("-srv-app").DisplayName; name != "/srv/app" {
				t.Errorf("after a restart it is called %s", name)
			}
		})
	}
}

func TestProjectName_AfterScan(t *testing.T) {
	t.Parallel()
	b := withProject(t, false)
	for _, text := range []string{summary, summary + `{"cwd":"/srv/app"}` + "\n"} { // new, and longer
		b.write("claude/projects/-srv-app/1.jsonl", text)
		b.scan("-srv-app")
	}
	if name := b.agent("-srv-app").DisplayName; name != "/srv/app" {
		t.Errorf("it is called %s", name)
	}
}
