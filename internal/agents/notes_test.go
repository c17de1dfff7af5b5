package agents_test

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"memoir/internal/agents"
)

func TestNewNote_Names(t *testing.T) {
	t.Parallel()
	// As Codex describes the names to its own agents.
	allowed := regexp.MustCompile(`^extensions/ad_hoc/notes/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-[a-z0-9][a-z0-9-]{0,79}\.md$`)
	now := time.Date(2026, 1, 2, 17, 4, 5, 0, time.FixedZone("", 2*60*60))
	agent := agents.Agent{Slug: "codex", Layout: agents.Codex}
	for name, want := range map[string]string{
		"Freeze of May":           "2026-01-02T15-04-05-freeze-of-may.md",
		"forget ../../etc":        "2026-01-02T15-04-05-forget-etc.md",
		"_private_":               "2026-01-02T15-04-05-private.md",
		"日本":                      "",
		"💥":                       "",
		strings.Repeat("ab ", 90): "",
		strings.Repeat("é", 400):  "",
	} {
		for _, n := range []int{1, 2, 12345} {
			got := agent.NewNote(name, n, now)
			if !allowed.MatchString(got) || !agent.IsNote(got) || n == 1 && want != "" && path.Base(got) != want {
				t.Errorf("note %d about %q is %q, want %q", n, name, got, want)
			}
		}
	}
}

func TestIsOpenNote_Baseline(t *testing.T) {
	t.Parallel()
	d := setup(t)
	agent := agents.Agent{Slug: "codex", Layout: agents.Codex, Dir: d.dir}
	git := func(args ...string) {
		t.Helper()
		run := exec.Command("git", append([]string{"-C", d.dir, "-c", "user.name=Codex", "-c", "user.email=codex@localhost"}, args...)...)
		if out, err := run.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	const first, second = "extensions/ad_hoc/notes/2026-01-02T15-04-05-a.md", "extensions/ad_hoc/notes/2026-01-02T15-04-06-b.md"
	old := time.Now().Add(-time.Hour)
	write := func(name, text string, at time.Time) {
		d.put(name, text)
		if err := os.Chtimes(d.at(name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	isOpen := func(step string, wantFirst, wantSecond bool) {
		t.Helper()
		root := d.open()
		if gotFirst, gotSecond := agent.IsOpenNote(root, first), agent.IsOpenNote(root, second); gotFirst != wantFirst || gotSecond != wantSecond {
			t.Errorf("%s: the notes are open: %v, %v; want %v, %v", step, gotFirst, gotSecond, wantFirst, wantSecond)
		}
	}
	write(first, "Tag first.\n", old)
	write("MEMORY.md", "# Task Group: shop\n", old)
	isOpen("without a baseline", true, false)
	git("init", "-q")
	isOpen("with an empty baseline", true, false)
	git("add", "MEMORY.md")
	git("commit", "-q", "-m", "baseline")
	isOpen("with a baseline that lacks the note", true, false)
	git("add", "-A")
	git("commit", "-q", "-m", "baseline")
	write(second, "Tag last.\n", time.Now().Add(time.Hour))
	isOpen("with the baseline", false, true)
	git("checkout", "-q", "--detach")
	isOpen("with a detached head", false, true)
	git("gc", "-q")
	isOpen("with a packed baseline", false, true)
	write(first, "Tag first, always.\n", time.Now().Add(time.Hour))
	isOpen("after an edit", true, true)
}
