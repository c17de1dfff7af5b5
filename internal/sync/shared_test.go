package sync_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"memoir/internal/memories"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

// sharing returns benches for an engine with a shared directory: one for the agents' directory, one
// for the shared one.
func sharing(t *testing.T) (b *bench, team *bench) {
	t.Helper()
	b = setup(t)
	b.stop()
	team = &bench{T: t, dir: filepath.Join(t.TempDir(), "team")}
	b.options.Places.TeamDir = team.dir
	b.start()
	return b, team
}

// section returns the section of a type in the CLAUDE.md of an agent.
func (b *bench) section(slug, of string) string {
	b.Helper()
	_, after, _ := strings.Cut(b.read(slug+"/CLAUDE.md"), "\n## "+of+" Memory\n")
	section, _, _ := strings.Cut(after, "\n## ")
	return strings.TrimSuffix(section, "\n<!-- memoir:end -->\n")
}

func TestShared_InEveryClaudeMD(t *testing.T) {
	t.Parallel()
	b, team := sharing(t)
	b.write("ada/memory/a.md", note("Zebra", memories.Feedback, "Ada's."))
	b.write("ada/memory/team/a.md", note("Tabs", memories.Feedback, "Her team's."))
	b.write("bob/memory/a.md", note("Role", memories.User, "Bob's."))
	b.write("eve/memory/a.md", note("Role", memories.User, "Eve's."))
	b.scanAll()
	if strings.Contains(b.read("ada/CLAUDE.md"), team.dir) {
		t.Error("an agent is told of a directory that is not there yet")
	}
	if _, err := b.engine.SwitchMemory(t.Context(), "eve", true); err != nil {
		t.Fatal(err)
	}

	// The directory appears later, and is an agent of its own.
	team.write("tabs.md", note("Tabs", memories.Feedback, "Everybody's."))
	team.write("team/wiki.md", note("Wiki", memories.Reference, "wiki.example"))
	const (
		ada = "\n### Zebra\n\nAda's.\n\n### Tabs (team)\n\nHer team's.\n\n### Tabs (team)\n\nEverybody's.\n"
		bob = "\n### Tabs (team)\n\nEverybody's.\n"
	)
	waittest.For(b, "what is shared in both", func() bool {
		return b.section("ada", "Feedback") == ada && b.section("bob", "Feedback") == bob && strings.Contains(b.read("bob/CLAUDE.md"), "### Wiki (team)")
	})
	if got := b.read("ada/CLAUDE.md"); !strings.Contains(got, "files in `memory/team/` and files in `"+team.dir+"`, which all agents share, are such.") {
		t.Errorf("ada is told %q", got)
	}
	if got := b.read("bob/CLAUDE.md"); strings.Contains(got, "memory/team/") || !strings.Contains(got, team.dir) {
		t.Errorf("bob is told %q", got)
	}
	if got := b.read("eve/CLAUDE.md"); strings.Contains(got, "Everybody's.") || strings.Contains(got, team.dir) {
		t.Error("an agent whose memory is switched off is given what is shared")
	}
	if got := b.agent("team"); got.Layout != "shared" || got.Counts.Team != 2 || got.ClaudeMD.Path != "" {
		t.Errorf("the directory is %+v", got)
	}

	// Whatever is done about it through Memoir is in every CLAUDE.md when that is answered.
	if _, err := b.engine.Save(t.Context(), "team", engine.Draft{Name: "Wiki", Team: true, Type: memories.Reference, Body: "docs.example"}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.read("ada/CLAUDE.md"), "docs.example") || !strings.Contains(b.read("bob/CLAUDE.md"), "docs.example") {
		t.Error("a save is answered before all have it")
	}
	deleted, err := b.engine.Delete(t.Context(), "team", b.memory("team", "Tabs").ID, "")
	if err != nil || deleted.ClaudeMDProblem != "" {
		t.Fatalf("the deletion answers %+v, %v", deleted, err)
	}
	if strings.Contains(b.read("ada/CLAUDE.md"), "Everybody's.") || strings.Contains(b.read("bob/CLAUDE.md"), "Everybody's.") || team.read("tabs.md") != "" {
		t.Error("a deletion is answered before it has gone from all")
	}
	for _, result := range b.engine.RestoreMany(t.Context(), "team", []engine.MemoryRef{{ID: deleted.Memory.ID}}) {
		if result != nil {
			t.Fatal(result)
		}
	}
	if b.section("ada", "Feedback") != ada || b.section("bob", "Feedback") != bob {
		t.Error("a restore is answered before all have it back")
	}
	preview, err := b.engine.Preview(t.Context(), "ada", "")
	if err != nil || string(preview.Text) != b.read("ada/CLAUDE.md") {
		t.Errorf("the preview is %q, %v", preview.Text, err)
	}

	// Where one agent's CLAUDE.md cannot be written, the deletion goes through and says so.
	b.write("bob/CLAUDE.md", "<!-- memoir:begin -->\n")
	b.scan("bob")
	deleted, err = b.engine.Delete(t.Context(), "team", deleted.Memory.ID, "")
	if err != nil || deleted.Memory.State != memories.Deleted || !strings.Contains(deleted.ClaudeMDProblem, "CLAUDE.md of bob") {
		t.Errorf("the deletion answers %+v, %v", deleted, err)
	}
	if strings.Contains(b.read("ada/CLAUDE.md"), "Everybody's.") {
		t.Error("what stands in the way of one agent stands in the way of another")
	}
}

func TestShared_MissingDirectory(t *testing.T) {
	t.Parallel()
	b, team := sharing(t)
	b.write("ada/memory/a.md", note("Role", memories.User, "Ada's."))
	team.write("tabs.md", note("Tabs", memories.Feedback, "Everybody's."))
	waittest.For(b, "what is shared", func() bool { return strings.Contains(b.read("ada/CLAUDE.md"), "Everybody's.") })
	if err := os.Rename(team.dir, team.dir+"-away"); err != nil {
		t.Fatal(err)
	}
	b.scanAll()
	if row := b.agent("team"); row.Present {
		t.Error("the agent is there without its directory")
	}
	b.write("ada/memory/b.md", note("More", memories.User, "Also Ada's."))
	b.scanAll()
	if got := b.read("ada/CLAUDE.md"); !strings.Contains(got, "Everybody's.") || !strings.Contains(got, "Also Ada's.") {
		t.Errorf("CLAUDE.md is %q", got)
	}
	if err := os.Rename(team.dir+"-away", team.dir); err != nil {
		t.Fatal(err)
	}
	b.scanAll()
	if m := b.memory("team", "Tabs"); m.State != memories.Active || !b.agent("team").Present {
		t.Errorf("after its return: %+v", m)
	}

	// The directory is no longer shared.
	b.stop()
	if err := os.RemoveAll(team.dir); err != nil {
		t.Fatal(err)
	}
	b.options.Places.TeamDir = ""
	b.start()
	if !strings.Contains(b.read("ada/CLAUDE.md"), "Everybody's.") {
		t.Error("what is shared went with the setting")
	}
	if _, err := b.engine.Forget(t.Context(), "team"); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.read("ada/CLAUDE.md"), "Everybody's.") {
		t.Error("what was forgotten is given on")
	}
}

// Each of two servers has agents of its own, one of them the directory that is shared.
func TestShared_OtherServer(t *testing.T) {
	t.Parallel()
	b, team := sharing(t)
	team.write("tabs.md", note("Tabs", memories.Feedback, "Everybody's."))
	b.scanAll()
	other := b.another(t.TempDir())
	other.write("bob/memory/a.md", note("Role", memories.User, "Bob's."))
	waittest.For(other, "what is shared", func() bool { return strings.Contains(other.read("bob/CLAUDE.md"), "Everybody's.") })

	// A server that sees the directory need not hold its lease. Each server must answer only when all
	// agents have the change.
	saved, err := other.engine.Save(context.Background(), "team", engine.Draft{Name: "Tabs", Team: true, Type: memories.Feedback, Body: "Use spaces."})
	if err != nil || !strings.Contains(team.read("tabs.md"), "Use spaces.") || !strings.Contains(other.read("bob/CLAUDE.md"), "Use spaces.") {
		t.Errorf("after a save asked of the other server: %+v, %v, %q", saved, err, other.read("bob/CLAUDE.md"))
	}
	if _, err := b.engine.Delete(context.Background(), "team", saved.Memory.ID, ""); err != nil || strings.Contains(other.read("bob/CLAUDE.md"), "Use spaces.") {
		t.Errorf("after a deletion: %v, %q", err, other.read("bob/CLAUDE.md"))
	}
}

func TestTransfer_SharedAndBack(t *testing.T) {
	t.Parallel()
	b, team := sharing(t)
	old := note("Tabs", memories.Feedback, "Use tabs.")
	b.write("ada/memory/tabs.md", strings.Replace(old, "type:", "x-mine: kept\ntype:", 1))
	b.write("ada/memory/leaky.md", note("Leaky", memories.Reference, "Use "+token+" for it."))
	b.write("bob/memory/role.md", note("Role", memories.User, "Bob's."))
	b.age("ada/memory/tabs.md", 72*time.Hour)
	b.scanAll()
	tabs := b.memory("ada", "Tabs")
	to := func(paths memories.Scope, agent string) engine.Destination {
		return engine.Destination{Scope: paths, Agent: agent}
	}

	var invalid *memories.InvalidError
	if _, err := b.engine.Move(t.Context(), "ada", tabs.ID, "", to(memories.SharedScope, "")); !errors.As(err, &invalid) || invalid.Field != "to" {
		t.Errorf("without a directory to share: %v", err)
	}
	if err := os.Mkdir(team.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	waittest.For(b, "the directory", func() bool { _, err := b.store.Agent(t.Context(), "team"); return err == nil })
	for name, place := range map[string]engine.Destination{
		"an unknown agent":     to(memories.PrivateScope, "eve"),
		"a scope that is none": to("everybody", "team"), "what is shared, as private": to(memories.PrivateScope, "team"),
	} {
		if _, err := b.engine.Copy(t.Context(), "ada", tabs.ID, "", place); !errors.As(err, &invalid) {
			t.Errorf("to %s: %v", name, err)
		}
	}
	if _, err := b.engine.Move(t.Context(), "ada", tabs.ID, `"stale"`, to(memories.SharedScope, "")); !errors.Is(err, memories.ErrChanged) {
		t.Errorf("with a stale tag: %v", err)
	}
	_, err := b.engine.Move(t.Context(), "ada", b.memory("ada", "Leaky").ID, "", to(memories.SharedScope, ""))
	if !errors.As(err, &invalid) || invalid.Field != "body" || !strings.Contains(invalid.Reason, "line 1") || strings.Contains(err.Error(), token) || b.read("ada/memory/leaky.md") == "" {
		t.Errorf("of a credential: %v", err)
	}

	moved, err := b.engine.Move(t.Context(), "ada", tabs.ID, engine.ETag(tabs), to(memories.SharedScope, ""))
	if err != nil || moved.Memory.Agent != "team" || !moved.Memory.Team || !moved.Memory.ModifiedAt.Equal(tabs.ModifiedAt) {
		t.Fatalf("the move answers %+v, %v", moved, err)
	}
	if got := team.read("feedback_tabs.md"); !strings.Contains(got, "x-mine: kept") || b.read("ada/memory/tabs.md") != "" {
		t.Errorf("on disk: %q", got)
	}
	const section = "\n### Tabs (team)\n\nUse tabs.\n"
	if b.section("ada", "Feedback") != section || b.section("bob", "Feedback") != section {
		t.Errorf("the move is answered before all have it: %q, %q", b.section("ada", "Feedback"), b.section("bob", "Feedback"))
	}
	if _, err := b.engine.Move(t.Context(), "team", moved.Memory.ID, "", to(memories.PrivateScope, "")); !errors.As(err, &invalid) || invalid.Field != "agent" {
		t.Errorf("to no agent: %v", err)
	}
	back, err := b.engine.Move(t.Context(), "team", moved.Memory.ID, "", to(memories.PrivateScope, "ada"))
	if err != nil || back.Memory.ID != tabs.ID || back.Memory.Team || team.read("feedback_tabs.md") != "" {
		t.Fatalf("the way back answers %+v, %v", back, err)
	}
	if b.section("ada", "Feedback") != "\n### Tabs\n\nUse tabs.\n" || b.section("bob", "Feedback") != "" {
		t.Error("the way back is answered before all know of it")
	}

	copied, err := b.engine.Copy(t.Context(), "ada", tabs.ID, "", to(memories.SharedScope, ""))
	if err != nil || !copied.Created || copied.Memory.ID != moved.Memory.ID || b.read(back.Memory.Path) == "" && b.read("ada/"+back.Memory.Path) == "" {
		t.Fatalf("the copy answers %+v, %v", copied, err)
	}
	var taken *memories.NameTakenError
	if _, err := b.engine.Copy(t.Context(), "ada", tabs.ID, "", to(memories.SharedScope, "team")); !errors.As(err, &taken) || taken.ID != copied.Memory.ID {
		t.Errorf("a second copy: %v", err)
	}
	// A move that was cut short after its first step is asked for again.
	if _, err := b.engine.Move(t.Context(), "ada", tabs.ID, "", to(memories.SharedScope, "")); err != nil || b.section("ada", "Feedback") != section {
		t.Errorf("a move to where the same is already: %v, %q", err, b.section("ada", "Feedback"))
	}
	// A memory that is saved there is team memory, also if the draft does not ask for it.
	saved, err := b.engine.Save(t.Context(), "team", engine.Draft{Name: "Wiki", Type: memories.Reference, Body: "wiki.example"})
	if err != nil || !saved.Memory.Team {
		t.Errorf("a save there answers %+v, %v", saved, err)
	}
	if _, err := b.engine.Save(t.Context(), "team", engine.Draft{Name: "Leaky", Type: memories.Reference, Body: token}); !errors.As(err, &invalid) {
		t.Errorf("a credential saved there: %v", err)
	}
}

// A problem of one agent must not keep others from the shared memories. It must not delay the
// answer to a change of them.
func TestShared_AgentNotWritable(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"is held by another", "has a disk that hangs", "brings a fault to light"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			b, team := sharing(t)
			b.write("ada/memory/a.md", note("Role", memories.User, "Ada's."))
			b.write("bob/memory/a.md", note("Role", memories.User, "Bob's."))
			team.write("tabs.md", note("Tabs", memories.Feedback, "Everybody's."))
			has := func(slug string) bool { return strings.Contains(b.read(slug+"/CLAUDE.md"), "Everybody's.") }
			waittest.For(b, "what is shared in both", func() bool { return has("ada") && has("bob") })
			b.stop()
			b.options.Overdue, b.options.Rescan = time.Second, 20*time.Millisecond
			var mended atomic.Bool
			goOn := make(chan struct{})
			switch way {
			case "has a disk that hangs":
				b.options.Disk = hangingDisk(b.path("ada"), goOn)
			case "brings a fault to light":
				b.options.Disk = panickyDisk(b.path("ada"), &mended)
			}
			b.start()
			mend := sync.OnceFunc(func() {
				mended.Store(true)
				close(goOn)
			})
			t.Cleanup(mend)
			if way == "is held by another" {
				mend = b.hold("ada")
				waittest.For(b, "that ada is known to hang", func() bool { return b.statusOf("ada").ScanProblem != "" })
			}

			deleted, err := b.engine.Delete(t.Context(), "team", b.memory("team", "Tabs").ID, "")
			if err != nil || !strings.Contains(deleted.ClaudeMDProblem, "CLAUDE.md of") || !strings.Contains(deleted.ClaudeMDProblem, "ada") {
				t.Errorf("the deletion says %q of CLAUDE.md: %v", deleted.ClaudeMDProblem, err)
			}
			waittest.For(b, "that bob has followed", func() bool { return !has("bob") })
			if !has("ada") {
				t.Error("ada has followed, whom nothing should have reached")
			}
			mend()
			waittest.For(b, "that ada has followed", func() bool { return !has("ada") })
		})
	}
}
