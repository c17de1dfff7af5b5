package verification_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/recall"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/internal/verification"
	"memoir/internal/waittest"
)

// background is a Memoir with a directory of Claude Code, an agent whose project exists, and a
// checker.
type background struct {
	*memoirtest.Memoir
	project *project
	checker *verification.Checker
	slug    string
}

// startChecking starts a checker for memories, given as bodies by file name. If every is zero,
// unchanged memories are not checked again automatically.
func startChecking(t *testing.T, every time.Duration, notes map[string]string) *background {
	t.Helper()
	p := newProject(t)
	slug := memoirtest.ClaudeProject(p.dir)
	files := memoirtest.Files{"projects/" + slug + "/1.jsonl": transcript(t, p.dir), "projects/" + slug + "/memory/MEMORY.md": ""}
	for name, text := range notes {
		files["projects/"+slug+"/memory/"+name] = text
	}
	m := memoirtest.StartClaude(t, files)
	if every == 0 {
		every = time.Hour
	}
	limits := verification.DefaultLimits()
	limits.Time = time.Minute
	b := &background{Memoir: m, project: p, slug: slug}
	b.checker = verification.Start(m.Engine, m.Store, verification.Options{
		Every: every, Settle: 10 * time.Millisecond, Limits: limits, Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(b.checker.Close)
	return b
}

// transcript returns a transcript of a session in a directory.
func transcript(t *testing.T, cwd string) string {
	t.Helper()
	line, err := json.Marshal(map[string]string{"cwd": cwd, "sessionId": "1"})
	if err != nil {
		t.Fatal(err)
	}
	return string(line) + "\n"
}

func (b *background) agent() records.Agent {
	b.Helper()
	agent, err := b.Store.Agent(b.Context(), b.slug)
	if err != nil {
		b.Fatal(err)
	}
	return agent
}

// citations returns the stored results of a memory, as "text status", or "".
func (b *background) citations(name string) string {
	b.Helper()
	page, err := b.Store.Memories(b.Context(), b.agent(), memories.Filter{Name: name}, memories.PageRequest{Limit: 1})
	if err != nil {
		b.Fatal(err)
	}
	if len(page.Memories) == 0 {
		return "" // not stored yet
	}
	v, err := b.Store.Verification(b.Context(), b.agent(), page.Memories[0].ID)
	if errors.Is(err, memories.ErrNotFound) {
		return ""
	}
	if err != nil {
		b.Fatal(err)
	}
	said := []string{"checked"}
	for _, c := range v.Citations {
		said = append(said, c.Text+" "+string(c.Status))
	}
	return strings.Join(said, ", ")
}

func (b *background) untilCitations(name, want string) {
	b.Helper()
	waittest.For(b, name+" to cite "+want, func() bool { return b.citations(name) == want })
}

func (b *background) checkNow(name string) string {
	b.Helper()
	if err := b.checker.CheckNow(b.Context(), b.agent(), b.Memory(b.slug, name).ID); err != nil {
		b.Fatal(err)
	}
	return b.citations(name)
}

func (b *background) remove(name string) {
	b.Helper()
	if err := os.RemoveAll(b.project.path(name)); err != nil {
		b.Fatal(err)
	}
}

func TestChecker_RemovedFile(t *testing.T) {
	t.Parallel()
	b := startChecking(t, 50*time.Millisecond, map[string]string{
		"cache.md": memoirtest.Note("Cache", memories.Project, "It is in `internal/cache/cache.go:3`, see `evictOldest()` and [[setup]]."),
		"setup.md": memoirtest.Note("Setup", memories.Reference, "Run `scripts/setup.sh` for it."),
		"plain.md": memoirtest.Note("Plain", memories.User, "Nothing is cited."),
	})
	b.untilCitations("Cache", "checked, internal/cache/cache.go:3 found, evictOldest() found, setup found")
	b.untilCitations("Setup", "checked, scripts/setup.sh found")
	b.untilCitations("Plain", "checked")
	b.remove("internal/cache")
	b.untilCitations("Cache", "checked, internal/cache/cache.go:3 gone, evictOldest() gone, setup found")
	given, err := b.Recaller.Recall(t.Context(), recall.Request{Agent: b.slug, Query: "where is the cache", From: recall.FromScript})
	if err != nil {
		t.Fatal(err)
	}
	const warned = "This memory cites things that are no longer in the project: `internal/cache/cache.go:3`, `evictOldest()`. " +
		"Verify it against the project before you rely on it, and correct the memory if it is wrong.\n\nMemory (saved today): "
	if len(given.Memories) != 1 || !strings.HasPrefix(given.Memories[0].Head, warned) {
		t.Errorf("recalled is %+v", given.Memories)
	}
	b.remove("scripts") // without its directory it is gone only because it was found before
	b.untilCitations("Setup", "checked, scripts/setup.sh gone")
	if got := b.agent().Counts.CitesGone; got != 2 {
		t.Errorf("%d memories cite what is gone", got)
	}
	b.project.write("internal/cache/cache.go", "package cache\n\nfunc evictOldest() {}\n")
	b.untilCitations("Cache", "checked, internal/cache/cache.go:3 found, evictOldest() found, setup found")
	if got := b.agent().Counts.CitesGone; got != 1 {
		t.Errorf("%d memories cite what is gone", got)
	}
}

func TestChecker_ChangedMemory(t *testing.T) {
	t.Parallel()
	b := startChecking(t, 0, map[string]string{"cache.md": memoirtest.Note("Cache", memories.Project, "It is in `internal/old.go`.")})
	b.untilCitations("Cache", "checked, internal/old.go gone")
	b.Write("projects/"+b.slug+"/memory/cache.md", memoirtest.Note("Cache", memories.Project, "It is in `internal/cache/cache.go`."))
	b.untilCitations("Cache", "checked, internal/cache/cache.go found")
	b.Write("projects/"+b.slug+"/memory/more.md", memoirtest.Note("More", memories.Project, "And in `internal/old.go`, as [[cache]] and [[Nobody]] say."))
	b.untilCitations("More", "checked, internal/old.go gone, cache found, Nobody wanted")
}

func TestChecker_LinkToFormerMemory(t *testing.T) {
	t.Parallel()
	b := startChecking(t, 0, map[string]string{"cache.md": memoirtest.Note("Cache", memories.Project, "See [[old-rule]] and [[new-rule]].")})
	b.untilCitations("Cache", "checked, old-rule wanted, new-rule wanted")
	m, err := b.Engine.Save(t.Context(), b.slug, engine.Draft{Name: "old-rule", Type: memories.Feedback, Body: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.checkNow("Cache"); got != "checked, old-rule found, new-rule wanted" {
		t.Errorf("the links are %s", got)
	}
	if _, err := b.Engine.Delete(t.Context(), b.slug, m.Memory.ID, ""); err != nil {
		t.Fatal(err)
	}
	if got := b.checkNow("Cache"); got != "checked, old-rule gone, new-rule wanted" {
		t.Errorf("the links are %s", got)
	}
	agent, err := b.Store.Agent(t.Context(), b.slug)
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := b.Store.WantedMemories(t.Context(), agent.ID, 10)
	if want := []memories.WantedMemory{{Name: "new-rule", Links: 1}}; err != nil || !slices.Equal(wanted, want) {
		t.Errorf("wanted are %+v, %v, want %+v", wanted, err, want)
	}
}

func TestCheckNow_OneMemory(t *testing.T) {
	t.Parallel()
	b := startChecking(t, 0, map[string]string{"cache.md": memoirtest.Note("Cache", memories.Project, "It is in `internal/cache/cache.go`.")})
	b.untilCitations("Cache", "checked, internal/cache/cache.go found")
	b.remove("internal/cache/cache.go")
	if got := b.checkNow("Cache"); got != "checked, internal/cache/cache.go gone" {
		t.Errorf("it says %q", got)
	}
	if err := b.checker.CheckNow(t.Context(), b.agent(), "nonsense"); !errors.Is(err, memories.ErrNotFound) {
		t.Errorf("an id that can be none: %v", err)
	}
}

func TestChecker_EmitsEvent(t *testing.T) {
	t.Parallel()
	b := startChecking(t, 0, map[string]string{"cache.md": memoirtest.Note("Cache", memories.Project, "It is in `internal/cache/cache.go`.")})
	b.untilCitations("Cache", "checked, internal/cache/cache.go found")
	subscription := b.Engine.Hub().Subscribe()
	t.Cleanup(subscription.Close)
	b.remove("internal/cache/cache.go")
	b.checkNow("Cache")
	select {
	case event := <-subscription.Events:
		if event.Agent != b.slug {
			t.Errorf("it is told of %+v", event)
		}
	case <-time.After(waittest.Patience()):
		t.Error("nobody is told")
	}
}

func TestChecker_WithoutProject(t *testing.T) {
	t.Parallel()
	b := startChecking(t, 0, map[string]string{"cache.md": memoirtest.Note("Cache", memories.Project, "It is in `internal/old.go`.")})
	b.untilCitations("Cache", "checked, internal/old.go gone")
	b.Write("agent-memory/reviewer/note.md", memoirtest.Note("Note", memories.User, "It is in `internal/old.go`."))
	waittest.For(b, "the custom agent", func() bool {
		_, err := b.Store.Agent(t.Context(), "reviewer")
		return err == nil
	})
	b.slug = "reviewer"
	b.Scan("reviewer")
	if got := b.checkNow("Note"); got != "" {
		t.Errorf("it says %q", got)
	}
}

func TestChecker_DeletesResults(t *testing.T) {
	t.Parallel()
	b := startChecking(t, 50*time.Millisecond, map[string]string{"cache.md": memoirtest.Note("Cache", memories.Project, "It is in `internal/old.go`.")})
	b.untilCitations("Cache", "checked, internal/old.go gone")
	if err := os.Rename(b.project.dir, b.project.dir+"-moved"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(b.project.dir + "-moved") })
	b.untilCitations("Cache", "")
	if got := b.agent().Counts.CitesGone; got != 0 {
		t.Errorf("%d memories cite what is gone", got)
	}
}

func TestToReview_Order(t *testing.T) {
	t.Parallel()
	note := func(name string, t memories.Type, body string) string { return memoirtest.Note(name, t, body) }
	b := startChecking(t, 0, map[string]string{
		"a.md": note("Feedback", memories.Feedback, "`internal/old.go`"), "b.md": note("Project", memories.Project, "`internal/old.go`"),
		"c.md": note("Reference", memories.Reference, "`internal/old.go` and `internal/older.go`"), "d.md": note("Fine", memories.User, "`internal/cache/cache.go`"),
		"e.md": note("User", memories.User, "`internal/old.go`"),
	})
	waittest.For(b, "all to be checked", func() bool { return b.agent().Counts.CitesGone == 4 })
	found, err := b.Store.ToReview(t.Context(), b.agent(), 10)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range found {
		names = append(names, d.Name)
	}
	if got := strings.Join(names, ", "); got != "Reference, Project, User, Feedback" {
		t.Errorf("they are %s", got)
	}
	gone, err := b.Store.DeadCitations(t.Context(), b.agent(), []string{found[0].ID, found[1].ID, b.Memory(b.slug, "Fine").ID, "nonsense"})
	if err != nil || len(gone) != 2 || len(gone[found[0].ID]) != 2 || gone[found[1].ID][0].Text != "internal/old.go" {
		t.Errorf("of some of them is gone: %v, %v", gone, err)
	}
	if _, err := b.Engine.Delete(t.Context(), b.slug, found[0].ID, ""); err != nil {
		t.Fatal(err)
	}
	if got := b.agent().Counts.CitesGone; got != 3 {
		t.Errorf("with one in the trash it is %d", got)
	}
}

func TestChecker_ManyMemories(t *testing.T) {
	t.Parallel()
	notes := map[string]string{}
	for i := range 250 {
		var body strings.Builder
		for j := range 100 {
			fmt.Fprintf(&body, "`internal/cache/f%d_%d.go`\n", i, j)
		}
		notes[fmt.Sprintf("n%d.md", i)] = memoirtest.Note(fmt.Sprintf("N%d", i), memories.Project, body.String())
	}
	b := startChecking(t, 0, notes) // 25,000 citations, more than one walk takes
	waittest.For(b, "all to be checked", func() bool { return b.agent().Counts.CitesGone == 250 })
}

func TestChecker_Repository(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	if err := os.MkdirAll(p.path(".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.write(".claude/agent-memory/reviewer/a.md", memoirtest.Note("Cache", memories.Project, "It is in `internal/old.go`."))
	m := memoirtest.StartDirectory(t, "reviewer", filepath.Join(p.dir, ".claude/agent-memory/reviewer"))
	checker := verification.Start(m.Engine, m.Store, verification.Options{Settle: time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(checker.Close)
	b := &background{Memoir: m, project: p, checker: checker, slug: "reviewer"}
	b.untilCitations("Cache", "checked, internal/old.go gone")
}

func TestChecker_ProjectOfTheTranscript(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// both have the same project name
	dotted, dashed := filepath.Join(dir, "my.app"), filepath.Join(dir, "my-app")
	for _, d := range []string{dotted + "/src", dashed + "/src", filepath.Join(dir, "other")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{dotted + "/src/widget.go", dashed + "/src/other.go"} {
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	slug := memoirtest.ClaudeProject(dotted)
	at := "projects/" + slug + "/"
	m := memoirtest.StartClaude(t, memoirtest.Files{
		at + "1.jsonl": transcript(t, dotted), at + "memory/a.md": memoirtest.Note("Cache", memories.Project, "It is in `src/widget.go`."),
	})
	m.Write(at+"2.jsonl", transcript(t, filepath.Join(dir, "other"))) // of another project
	checker := verification.Start(m.Engine, m.Store, verification.Options{Settle: time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(checker.Close)
	b := &background{Memoir: m, checker: checker, slug: slug}
	b.untilCitations("Cache", "checked, src/widget.go found")
	m.Write(at+"2.jsonl", transcript(t, dashed))
	// triggers discovery
	m.Write("projects/-new/memory/b.md", memoirtest.Note("New", memories.User, "b"))
	waittest.For(b, "the other path", func() bool { return b.agent().DisplayName == dashed })
	b.untilCitations("Cache", "checked, src/widget.go gone")
}
