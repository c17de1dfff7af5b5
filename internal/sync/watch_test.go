package sync_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/internal/sync/watch"
	"memoir/internal/waittest"
)

func (b *bench) arrives(slug, name, body string) {
	b.Helper()
	waittest.For(b, name+" to be "+body, func() bool { return b.list(slug, "")[name].Body == body })
}

func TestWatch_AtomicSave(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	for i := range 5 {
		body := fmt.Sprint("version ", i)
		b.write("ada/memory/.tmp", note("Tabs", memories.User, body))
		b.rename("ada/memory/.tmp", "ada/memory/tabs.md")
		b.arrives("ada", "Tabs", body)
	}
}

func TestWatch_NewAgentsAndSessions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	// Another process makes each directory and writes into it at once, before any watch can be there.
	script := `for i in $(seq 40); do
		mkdir -p "$1/agent$i/memory" "$1/agent$i/sessions/U$i-C-1712345678.0001/memory"
		printf -- '---\nname: Durable\ntype: user\n---\ntext\n' > "$1/agent$i/memory/a.md"
		printf -- '---\nname: Session\ntype: user\n---\ntext\n' > "$1/agent$i/sessions/U$i-C-1712345678.0001/memory/b.md"
	done`
	if out, err := exec.Command("bash", "-c", script, "bash", b.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for i := 1; i <= 40; i++ {
		waittest.For(b, fmt.Sprint("both memories of agent ", i), func() bool { return len(b.list(fmt.Sprint("agent", i), "")) == 2 })
	}
}

func TestWatch_ThousandSessions(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	script := `cd "$1" && mkdir -p sessions && for i in $(seq 1000); do
		mkdir -p "sessions/U$i-C-1712345678.0001/memory"
		printf -- '---\nname: Session %d\ntype: user\n---\ntext\n' "$i" > "sessions/U$i-C-1712345678.0001/memory/a.md"
	done`
	if out, err := exec.Command("bash", "-c", script, "bash", b.path("ada")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var a records.Agent
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the meter says %+v of %+v", b.statusOf("ada"), a)
		}
	})
	waittest.For(b, "a memory of each session", func() bool {
		a = b.agent("ada")
		return a.Counts.Total == 1000
	})
	waittest.For(b, "the sessions to be counted", func() bool { return b.agent("ada").Sessions == 1000 })
	// Each of them is followed from now on.
	for _, i := range []int{1, 500, 1000} {
		b.write(fmt.Sprintf("ada/sessions/U%d-C-1712345678.0001/memory/a.md", i), note(fmt.Sprint("Session ", i), memories.User, "changed"))
	}
	waittest.For(b, "the changes", func() bool {
		latest := b.list("ada", "") // the first page has the newest memory
		return latest["Session 1"].Body == "changed" && latest["Session 500"].Body == "changed" && latest["Session 1000"].Body == "changed"
	})
}

func TestWatch_RootAppears(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stop()
	b.options.Places.AgentsDir = b.path("later/agents")
	b.start()
	b.write("later/agents/ada/memory/a.md", note("Tabs", memories.User, "one"))
	b.arrives("ada", "Tabs", "one")
	b.rename("later", "aside")
	waittest.For(b, "the agent to be marked", func() bool { return !b.agent("ada").Present })
	b.write("aside/agents/ada/memory/a.md", note("Tabs", memories.User, "two"))
	b.rename("aside", "later")
	b.arrives("ada", "Tabs", "two")
	b.write("later/agents/ada/memory/a.md", note("Tabs", memories.User, "three"))
	b.arrives("ada", "Tabs", "three")
}

func TestWatch_DirectoryReplaced(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/memory/a.md", note("Tabs", memories.User, "one"))
	b.arrives("ada", "Tabs", "one")
	for i := range 3 {
		body := fmt.Sprint("replaced ", i)
		b.write("next/a.md", note("Tabs", memories.User, body))
		b.rename("ada/memory", fmt.Sprint("old", i))
		b.rename("next", "ada/memory")
		b.arrives("ada", "Tabs", body)
		b.write("ada/memory/a.md", note("Tabs", memories.User, body+" and edited"))
		b.arrives("ada", "Tabs", body+" and edited")
	}
}

func TestWatch_LinkTargetAppears(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	if err := os.Symlink("later.md", b.path("ada/memory/link.md")); err != nil {
		t.Fatal(err)
	}
	waittest.For(b, "the link to be flagged", func() bool { return b.list("ada", "")["link"].State == memories.NeedsAttention })
	b.write("ada/memory/later.md", note("Later", memories.User, "here"))
	b.arrives("ada", "Later", "here")
	waittest.For(b, "the link to be passed over", func() bool { return len(b.list("ada", "")) == 1 })
	b.remove("ada/memory/later.md")
	waittest.For(b, "the link to be flagged again", func() bool { return b.list("ada", "")["link"].State == memories.NeedsAttention })
}

func TestWatch_DirectoryReturns(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/memory/a.md", note("Tabs", memories.User, "one"))
	b.arrives("ada", "Tabs", "one")
	b.rename("ada/memory", "aside")
	b.restart()
	b.isIn("ada", "Tabs", memories.Active)
	if _, err := b.engine.Preview(t.Context(), "ada", ""); err != nil { // a user reads the agent
		t.Fatal(err)
	}
	b.write("aside/a.md", note("Tabs", memories.User, "two"))
	b.rename("aside", "ada/memory")
	b.arrives("ada", "Tabs", "two")
	b.write("ada/memory/a.md", note("Tabs", memories.User, "three"))
	b.arrives("ada", "Tabs", "three")
}

func TestWatch_ScanAfterEvents(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/notes/a.md", note("Tabs", memories.User, "one"))
	if err := os.Symlink("../notes/a.md", b.path("ada/memory/link.md")); err != nil {
		t.Fatal(err)
	}
	b.arrives("ada", "Tabs", "one")
	b.write("ada/notes/a.md", note("Tabs", memories.User, "two")) // notes/ is not watched
	b.write("ada/memory/b.md", note("Other", memories.User, "told of"))
	b.arrives("ada", "Tabs", "two")
}

func TestWatch_TruncatedFile(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/memory/a.md", note("Tabs", memories.User, "one"))
	b.arrives("ada", "Tabs", "one")
	b.write("ada/memory/a.md", "")
	scanned := make(chan error, 1)
	go func() {
		_, err := b.engine.Scan(t.Context(), "ada") // waits for the writer, unless that is faster
		scanned <- err
	}()
	b.write("ada/memory/a.md", note("Tabs", memories.User, "two"))
	if err := <-scanned; err != nil {
		t.Error(err)
	}
	b.hasBody("ada", "Tabs", "two")
	if len(b.list("ada", "")) != 1 || len(b.list("ada", memories.Deleted)) != 0 {
		t.Error("a save that truncates first left something behind")
	}
}

func TestWatch_SlowWriter(t *testing.T) {
	t.Parallel()
	whole := note("Tabs", memories.User, "one")
	for _, beginning := range []string{"", "---\n", "---\nname: Tabs\n", whole[:len(whole)/2]} {
		t.Run(fmt.Sprint(len(beginning), " bytes"), func(t *testing.T) {
			t.Parallel()
			b := withAda(t)
			b.write(inSession(sessionA, "a.md"), beginning)
			waittest.For(b, "the beginning to need attention", func() bool { return b.agent("ada").Counts.NeedsAttention == 1 })
			b.write(inSession(sessionA, "a.md"), whole)
			b.arrives("ada", "Tabs", "one")
			if counts := b.agent("ada").Counts; counts.Total != 1 || counts.NeedsAttention != 0 {
				t.Errorf("counts are %+v of %v", counts, b.list("ada", ""))
			}
		})
	}
}

func TestWatch_SessionFileChangesName(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write(inSession(sessionA, "a.md"), "Use tabs.\n")
	b.scanAll()
	b.write(inSession(sessionA, "a.md"), note("Spaces", memories.User, "Use spaces."))
	b.scan("ada")
	b.hasBody("ada", "a", "Use tabs.")
	b.hasBody("ada", "Spaces", "Use spaces.")
}

func TestWatch_NamedHiddenAndLogFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, file := range []string{"ada/memory/.hidden.md", "ada/memory/logs/2026.md", "ada/memory/x.png", ".hidden/memory/a.md", "ada/memory/MEMORY.md", "ada/memory/sub/memory.MD"} {
		b.write(file, note("No", memories.User, "no"))
	}
	for _, file := range []string{"ada/memory/1.md", "ada/memory/b/2.MD", "ada/memory/b/c/d/4.md", "ada/memory/dir.md/3.md"} {
		b.write(file, note(file, memories.User, "yes"))
	}
	b.write("ada/memory/b/c/d/e/5.md", note("deep", memories.User, "too deep"))
	b.scanAll()
	counts := b.agent("ada").Counts
	if counts.ByType[memories.User] != 4 || counts.NeedsAttention != 1 || counts.Total != 5 {
		t.Errorf("counts are %+v of %v", counts, b.list("ada", ""))
	}
	if m := b.memory("ada", "5"); m.Problems[0].Code != memories.CodeTooDeep {
		t.Errorf("the deep file is flagged %+v", m.Problems)
	}
}

func TestStatus_Complete(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	for i := range 25 {
		b.write(fmt.Sprintf("ada/memory/%d.md", i), note(fmt.Sprint(i), memories.User, "text"))
	}
	b.write("ada/memory/odd.md", "no frontmatter")
	var s engine.Status
	var err error
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the meter says %+v, %v", s, err)
		}
	})
	waittest.For(b, "everything to be mirrored", func() bool {
		s, err = b.engine.Status(t.Context())
		return err == nil && s.FilesOnDisk == 26 && s.Mirrored == 26 && s.NeedsAttention == 1 && s.Pending == 0 &&
			s.WatchMode == watch.EventMode && !s.LastFullScan.IsZero()
	})
	for i := range 5 {
		b.remove(fmt.Sprintf("ada/memory/%d.md", i))
	}
	waittest.For(b, "the removed files to be gone from both sides", func() bool {
		s, err = b.engine.Status(t.Context())
		return err == nil && s.FilesOnDisk == 21 && s.Mirrored == 21
	})
}

func TestStatus_MissingDirectory(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	for i := range 5 {
		b.write(fmt.Sprintf("ada/memory/%d.md", i), note(fmt.Sprint(i), memories.User, "text"))
	}
	b.write("bob/memory/a.md", note("Tabs", memories.User, "text"))
	b.scanAll()
	counts := func(all, ada int) {
		t.Helper()
		waittest.For(b, fmt.Sprint(all, " files to be counted"), func() bool {
			s, err := b.engine.Status(t.Context())
			of := b.statusOf("ada")
			return err == nil && s.FilesOnDisk == all && s.Mirrored == all && of.FilesOnDisk == ada && of.Mirrored == ada
		})
	}
	counts(6, 5)
	b.rename("ada", "../aside")
	b.scanAll()
	counts(1, 0)
	b.restart()
	counts(1, 0)
	b.rename("../aside", "ada")
	b.scanAll()
	counts(6, 5)
	b.restart()
	counts(6, 5)
}

func TestStatus_CountsOnce(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/memory/empty.md", "") // its writer is waited for
	waittest.For(b, "the empty file to need attention", func() bool { return b.agent("ada").Counts.NeedsAttention == 1 })
	b.write("ada/memory/a.md", note("Tabs", memories.User, "one"))
	b.arrives("ada", "Tabs", "one")
	waittest.For(b, "two files to be counted", func() bool {
		s, err := b.engine.Status(t.Context())
		return err == nil && s.Mirrored == 2 && s.Pending == 0
	})
	if s, err := b.engine.Status(t.Context()); err != nil || s.FilesOnDisk != 2 {
		t.Errorf("the meter says %+v, %v", s, err)
	}
}

func TestStart_ClearsLeftovers(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.stop()
	b.write("ada/memory/.memoir-tmp-ABC", "half")
	b.write("ada/.memoir-tmp-DEF", "half")
	b.write("ada/docs/rules.md", "# Rules\n")
	b.write("ada/docs/.memoir-tmp-GHI", "half")
	leftovers := []string{"ada/memory/.memoir-tmp-ABC", "ada/.memoir-tmp-DEF", "ada/docs/.memoir-tmp-GHI"}
	for _, leftover := range []string{
		"ada/.memoir-CLAUDE.md.123", "ada/memory/.memoir-abc", "ada/memory/sub/.memoir-abc", inSession(sessionA, ".memoir-x"), "ada/notes/.memoir-x",
		"ada/memory/logs/" + time.Now().Format("2006/01") + "/.memoir-tmp-JKL",
	} {
		b.write(leftover, "half")
		leftovers = append(leftovers, leftover)
	}
	b.write("ada/notes/n.md", note("Tabs", memories.User, "one"))
	b.link("ada/memory/n.md", "../notes/n.md")
	b.remove("ada/CLAUDE.md")
	if err := os.Symlink("docs/rules.md", b.path("ada/CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	b.start()
	for _, leftover := range leftovers {
		if _, err := os.Lstat(b.path(leftover)); !os.IsNotExist(err) {
			t.Errorf("%s is still there", leftover)
		}
	}
}
