package sync_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/sync"
)

// joinable is two projects of Claude Code, old and new, that are one to their user.
func joinable(t *testing.T) *bench {
	t.Helper()
	b := setup(t)
	b.writeAged("claude/projects/old/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."), 3*time.Hour)
	b.writeAged("claude/projects/old/memory/same.md", note("Same", memories.User, "Is the same."), 3*time.Hour)
	b.writeAged("claude/projects/old/memory/wiki.md", note("Wiki", memories.Reference, "wiki.example"), 3*time.Hour)
	b.writeAged("claude/projects/old/memory/MEMORY.md", "# Index\n\n- [Tabs](tabs.md) — spaces\n- [Wiki](./wiki.md)\n- [Same](same.md)\n", 3*time.Hour)
	b.writeAged("claude/projects/old/memory/team/rule.md", note("Rule", memories.Project, "Ask first."), 3*time.Hour)
	b.writeAged("claude/projects/old/memory/logs/2026/11/2026-11-01.md", "- 10:00 Began.\n", 3*time.Hour)
	b.writeAged("claude/projects/old/memory/.git/config", "[core]\n", 3*time.Hour)
	b.writeAged("claude/projects/new/memory/tabs.md", note("Tabs", memories.Feedback, "Use spaces."), time.Hour)
	b.writeAged("claude/projects/new/memory/same.md", note("Same", memories.User, "Is the same."), 3*time.Hour)
	b.writeAged("claude/projects/new/memory/MEMORY.md", "# Index\n\n- [Tabs](tabs.md) — tabs\n", time.Hour)
	b.over(agents.Settings{ClaudeDir: b.path("claude")})
	return b
}

// joined says where an agent's directory leads, as its row and the disk have it.
func (b *bench) joined(slug string) (row, link string) {
	b.Helper()
	link, _ = os.Readlink(b.path("claude/projects/" + slug + "/memory"))
	return b.agent(slug).JoinedTo, link
}

func TestTwoDirectoriesAreJoinedToOneAndPartedAgain(t *testing.T) {
	t.Parallel()
	b := joinable(t)
	ctx := sync.As(t.Context(), memories.ByScript)
	before := b.disk()
	preview, err := b.engine.PreviewJoin(ctx, "old", "new")
	if err != nil {
		t.Fatal(err)
	}
	if after := b.disk(); after != before {
		t.Errorf("the preview has changed something:\n%s\nwas\n%s", after, before)
	}
	want := map[string]sync.JoinedFile{
		"logs/2026/11/2026-11-01.md": {To: "logs/2026/11/2026-11-01.md", Outcome: sync.ComesIn},
		"same.md":                    {To: "same.md", Name: "Same", Outcome: sync.IsThere},
		"tabs.md":                    {To: "tabs_2.md", Name: "Tabs", Outcome: sync.IsOlder},
		"team/rule.md":               {To: "team/rule.md", Name: "Rule", Team: true, Outcome: sync.ComesIn},
		"wiki.md":                    {To: "wiki.md", Name: "Wiki", Outcome: sync.ComesIn},
	}
	for _, f := range preview.Files {
		expected := want[f.Path]
		if expected.Path = f.Path; f != expected {
			t.Errorf("the preview says %+v", f)
		}
	}
	if len(preview.Files) != len(want) || len(preview.Left) != 1 || preview.Left[0] != (sync.LeftFile{Path: ".git", Why: "it is hidden"}) || preview.Aside != b.path("claude/projects/old/.memory-before-joining") {
		t.Errorf("the preview says %+v", preview)
	}
	done, err := b.engine.Join(ctx, "old", "new")
	if err != nil || len(done.Files) != len(want) {
		t.Fatalf("%+v, %v", done, err)
	}
	if row, link := b.joined("old"); row != "new" || link != "../new/memory" {
		t.Errorf("joined to %q, with a link to %q", row, link)
	}
	if index := b.read("claude/projects/new/memory/MEMORY.md"); index != "# Index\n\n- [Tabs](tabs.md) — tabs\n- [Tabs](tabs_2.md) — spaces\n- [Wiki](./wiki.md)\n- [Same](same.md)\n" {
		t.Errorf("the index says\n%s", index)
	}
	if kept := b.read("claude/projects/old/.memory-before-joining/tabs.md"); !strings.Contains(kept, "Use tabs.") {
		t.Error("the directory was not set aside")
	}
	if m := b.memory("new", "Tabs"); m.Body != "Use spaces." || len(b.revisions("new", m)) != 2 {
		t.Errorf("the newest content does not hold, or the other is lost: %+v", m)
	}
	b.arrives("new", "Wiki", "wiki.example")

	// What is written to either place is in both, and nothing is concluded about the one that is joined.
	b.write("claude/projects/old/memory/late.md", note("Late", memories.User, "Written by the old way."))
	b.arrives("new", "Late", "Written by the old way.")
	b.remove("claude/projects/new/memory/wiki.md")
	b.until("the removal", func() bool { _, ok := b.list("new", memories.Deleted)["Wiki"]; return ok })
	b.restart()
	b.scan("old")
	if m := b.memory("old", "Wiki"); m.State != memories.Active {
		t.Errorf("what was removed of the one was removed of the other: %+v", m)
	}
	m := b.memory("old", "Same")
	if _, err := b.engine.Delete(ctx, "old", m.ID, ""); !errors.As(err, new(*memories.ConflictError)) {
		t.Errorf("a deletion of what is another agent's: %v", err)
	}

	if agent, err := b.engine.Part(ctx, "old"); err != nil || agent.JoinedTo != "" {
		t.Fatalf("%+v, %v", agent, err)
	}
	if info, err := os.Lstat(b.path("claude/projects/old/memory")); err != nil || !info.IsDir() {
		t.Fatalf("%v, %v", info, err)
	}
	for name, body := range map[string]string{"Tabs": "Use spaces.", "Same": "Is the same.", "Late": "Written by the old way.", "Rule": "Ask first."} {
		b.hasBody("old", name, body)
		b.hasBody("new", name, body)
	}
	b.isIn("old", "Wiki", memories.Deleted) // as in the other: it does not come back
	b.write("claude/projects/old/memory/tabs.md", note("Tabs", memories.Feedback, "Each its own."))
	b.arrives("old", "Tabs", "Each its own.")
	b.hasBody("new", "Tabs", "Use spaces.")
	if entries, _ := filepath.Glob(b.path("claude/projects/old/.memory*")); len(entries) != 1 {
		t.Errorf("beside the directory there is %v", entries)
	}
	for slug, other := range map[string]string{"old": "new", "new": "old"} {
		var told []string
		for _, line := range b.story(slug) {
			if strings.HasPrefix(line, "joined") || strings.HasPrefix(line, "parted") {
				told = append(told, line)
			}
		}
		if got := strings.Join(told, ", "); got != "joined "+other+" script, parted "+other+" script" {
			t.Errorf("the journal of %s says %q", slug, got)
		}
	}
}

func TestALinkThatSomebodyHasMadeByHandIsUnderstoodAsJoined(t *testing.T) {
	t.Parallel()
	b := joinable(t)
	const dir = "claude/projects/old/memory"
	b.rename(dir, dir+".mine")
	b.link(dir, b.path("claude/projects/new/memory"))
	b.until("the two to be one", func() bool { row, _ := b.joined("old"); return row == "new" })
	b.write(dir+"/late.md", note("Late", memories.User, "Written by the old way."))
	b.arrives("new", "Late", "Written by the old way.")
	b.scan("old")
	b.restart()
	b.scan("old")
	for _, name := range []string{"Tabs", "Wiki", "Rule", "Same"} {
		b.isIn("old", name, memories.Active)
	}
	if _, late := b.list("old", "")["Late"]; late {
		t.Error("both have what was written once")
	}
	project := agents.Project{Dir: "/old", Root: "/old"}
	if found := project.Agents([]agents.Agent{{Slug: "old", Layout: agents.Claude, Dir: "/c/projects/-old/memory", JoinedTo: "new"}, {Slug: "new", Layout: agents.Claude, Dir: "/c/projects/-new/memory"}}); len(found) != 1 || found[0].Slug != "new" {
		t.Errorf("the memory of the project is that of %v", found)
	}

	// A directory that somebody puts in the link's place was never seen with what was in the one before.
	b.remove(dir)
	b.write(dir+"/own.md", note("Own", memories.User, "Its own."))
	b.arrives("old", "Own", "Its own.")
	b.scan("old")
	for _, name := range []string{"Tabs", "Wiki", "Rule", "Same", "Own"} {
		b.isIn("old", name, memories.Active)
	}
}

func TestWhatOneOfTheTwoHasDeletedStaysDeleted(t *testing.T) {
	t.Parallel()
	b := joinable(t)
	ctx := sync.As(t.Context(), memories.ByScript)
	b.write("claude/projects/new/memory/wiki.md", note("Wiki", memories.Reference, "wiki.example"))
	b.write("claude/projects/old/memory/same.md", note("Same", memories.User, "Is the same."))
	b.arrives("new", "Wiki", "wiki.example")
	b.delete("new", "Wiki") // lives in the one that is joined
	b.delete("old", "Rule") // and this one is gone in it
	b.delete("old", "Same") // which lives in the other
	preview, err := b.engine.PreviewJoin(ctx, "old", "new")
	if err != nil {
		t.Fatal(err)
	}
	outcomes := map[string]sync.JoinOutcome{}
	for _, f := range preview.Files {
		outcomes[f.Path] = f.Outcome
	}
	if outcomes["wiki.md"] != sync.IsBlocked || outcomes["tabs.md"] != sync.IsOlder {
		t.Errorf("the preview says %v", outcomes)
	}
	if _, err := b.engine.Join(ctx, "old", "new"); err != nil {
		t.Fatal(err)
	}
	b.isIn("new", "Wiki", memories.Deleted)
	b.isIn("new", "Same", memories.Active)
	var kept []string
	for _, blocked := range b.blocked("new") {
		kept = append(kept, blocked.Name)
	}
	if len(kept) != 1 || kept[0] != "Wiki" {
		t.Errorf("kept out is %v", kept)
	}
	b.write("claude/projects/new/memory/team/rule.md", note("Rule", memories.Project, "Ask first."))
	b.scan("new")
	if _, back := b.list("new", "")["Rule"]; back {
		t.Error("what was deleted of the one is back in the other")
	}
}

func TestTheServerThatJoinsTwoAgentsLooksAfterBoth(t *testing.T) {
	t.Parallel()
	a := setup(t)
	a.writeAged("claude/projects/old/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."), 3*time.Hour)
	a.options.Debounce, a.options.Rescan = 1e15, 1e15 // what comes later this one does not see by itself
	a.over(agents.Settings{ClaudeDir: a.path("claude")})
	other := &bench{T: t, dir: a.dir, url: a.url, options: optionsFor(a.dir)}
	other.options.Places = a.options.Places
	other.start()
	a.writeAged("claude/projects/new/memory/wiki.md", note("Wiki", memories.Reference, "wiki.example"), time.Hour)
	other.arrives("new", "Wiki", "wiki.example")
	if !other.statusOf("old").Elsewhere || other.statusOf("new").Elsewhere {
		t.Fatal("one server looks after both from the beginning")
	}
	if _, err := other.engine.Join(sync.As(t.Context(), memories.ByScript), "old", "new"); err != nil {
		t.Fatal(err)
	}
	if row, link := other.joined("old"); row != "new" || link != "../new/memory" || a.statusOf("new").Elsewhere {
		t.Errorf("joined to %q, with a link to %q", row, link)
	}
	other.hasBody("new", "Tabs", "Use tabs.")
	if _, err := other.engine.Part(t.Context(), "old"); err != nil {
		t.Fatal(err)
	}
	other.hasBody("old", "Wiki", "wiki.example")
}

// disk is everything in the bench's directory, a line for each.
func (b *bench) disk() string {
	b.Helper()
	var all strings.Builder
	err := filepath.WalkDir(b.dir, func(p string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		link, _ := os.Readlink(p)
		raw, _ := os.ReadFile(p)
		all.WriteString(strings.TrimPrefix(p, b.dir) + " " + entry.Type().String() + " " + link + " " + string(raw) + "\n")
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return all.String()
}

func TestWhatIsKeptOutDoesNotComeBackWhenTwoAreParted(t *testing.T) {
	t.Parallel()
	b := joinable(t)
	ctx := sync.As(t.Context(), memories.ByScript)
	if _, err := b.engine.Join(ctx, "old", "new"); err != nil {
		t.Fatal(err)
	}
	b.arrives("new", "Wiki", "wiki.example")
	b.delete("new", "Wiki")
	b.write("claude/projects/new/memory/wiki.md", note("Wiki", memories.Reference, "wiki.example"))
	b.scan("new")
	if kept := b.blocked("new"); len(kept) != 1 {
		t.Fatalf("kept out are %v", kept)
	}
	if _, err := b.engine.Part(ctx, "old"); err != nil {
		t.Fatal(err)
	}
	b.isIn("old", "Wiki", memories.Deleted)
	b.isIn("new", "Wiki", memories.Deleted)
	b.hasBody("old", "Same", "Is the same.")
}

func TestTwoAgentsOfTheHiveWithOneDirectoryAreOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/deploy.md", note("Deploy", memories.Project, "on Fridays"))
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scanAll()
	b.link("ada-2", "ada")
	b.until("the second to be the first", func() bool {
		row, err := b.store.AgentUncounted(t.Context(), "ada-2")
		return err == nil && row.JoinedTo == "ada"
	})
	b.delete("ada", "Deploy")
	b.write("ada-2/memory/deploy.md", note("Deploy", memories.Project, "on Fridays"))
	b.scanAll()
	if kept := b.blocked("ada"); len(kept) != 1 {
		t.Errorf("kept out are %v", kept)
	}
	if all := b.list("ada-2", ""); len(all) != 0 {
		t.Errorf("the second has %v", all)
	}
	if text := b.read("ada/CLAUDE.md"); strings.Contains(text, "Deploy") || !strings.Contains(text, "### Tabs") {
		t.Errorf("CLAUDE.md says %q", text)
	}
	if _, err := b.engine.Part(t.Context(), "ada-2"); err == nil || !strings.Contains(err.Error(), "Remove the link") {
		t.Errorf("to part the two is answered with %v", err)
	}
	// Without the link there is one again, and what was deleted stays so.
	b.remove("ada-2")
	b.until("the link to be gone", func() bool { return !b.agent("ada-2").Present })
	b.scanAll()
	b.isIn("ada", "Deploy", memories.Deleted)
}
