package sync_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// token looks like a credential. It is put together, so that this file does not.
var token = "ghp" + "_x9Kd82mQpLr7VbNw3TzYh6FcJs1GaUe5Xo0R"

// of returns the memory of ada with that name and scope, also from the trash. It returns nil if it
// does not exist.
func (b *bench) of(paths memories.Scope, name string) *memories.Memory {
	b.Helper()
	agent, err := b.store.Agent(b.Context(), "ada")
	if err != nil {
		b.Fatal(err)
	}
	for _, state := range []memories.State{"", memories.Deleted} {
		page, err := b.store.Memories(b.Context(), agent, memories.Filter{Name: name, Scope: paths, State: state}, memories.PageRequest{Limit: 2})
		if err != nil {
			b.Fatal(err)
		}
		if len(page.Memories) > 1 {
			b.Fatalf("there are two %s memories %q", paths, name)
		}
		if len(page.Memories) == 1 {
			return &page.Memories[0]
		}
	}
	return nil
}

// learned is the part of ada's CLAUDE.md that has its memories.
func (b *bench) learned() string {
	b.Helper()
	_, learned, _ := strings.Cut(b.read("ada/CLAUDE.md"), "in all responses.\n")
	return strings.TrimSuffix(learned, "\n<!-- memoir:end -->\n")
}

func TestTeam_SameNameAsPrivate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.write("ada/memory/z.md", note("Zebra", memories.Feedback, "Last by name."))
	b.write("ada/memory/team/a.md", note("Tabs", memories.Feedback, "Use spaces."))
	b.write("ada/memory/team.md", note("Role", memories.User, "team.md is no team memory."))
	b.write("ada/memory/team-evil/a.md", note("Evil", memories.User, "Nor is this."))
	b.write("ada/sessions/u1-c1-1/memory/team/b.md", note("Wiki", memories.Reference, "wiki.example"))
	b.write("bob/memory/a.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scanAll()
	want := "\n## Feedback Memory\n\n### Tabs\n\nUse tabs.\n\n### Zebra\n\nLast by name.\n\n### Tabs (team)\n\nUse spaces.\n" +
		"\n## User Memory\n\n### Evil\n\nNor is this.\n\n### Role\n\nteam.md is no team memory.\n\n## Reference Memory\n\n### Wiki (team)\n\nwiki.example\n"
	if got := b.learned(); got != want {
		t.Errorf("CLAUDE.md has %q", got)
	}
	if !strings.Contains(b.read("ada/CLAUDE.md"), "**What the team shares.**") || strings.Contains(b.read("bob/CLAUDE.md"), "team") {
		t.Error("whoever has team memory is told of it, and nobody else")
	}
	// Deleting the one leaves the other; the content is blocked only in the scope of the deleted one.
	b.delete("ada", "Zebra")
	if _, err := b.engine.Delete(t.Context(), "ada", b.of(memories.TeamScope, "Tabs").ID, ""); err != nil {
		t.Fatal(err)
	}
	b.write("ada/memory/team/back.md", note("Tabs", memories.Feedback, "Use spaces."))
	b.write("ada/memory/team/other.md", note("Zebra", memories.Feedback, "Last by name."))
	b.scan("ada")
	if m := b.of(memories.TeamScope, "Tabs"); m.State != memories.Deleted {
		t.Errorf("what was deleted from team memory came back: %+v", m)
	}
	if private, team := b.of(memories.PrivateScope, "Zebra"), b.of(memories.TeamScope, "Zebra"); private.State != memories.Deleted || team == nil || team.State != memories.Active {
		t.Errorf("a deleted private memory and the team's are %+v and %+v", private, team)
	}
}

func TestTeam_MoveAndBack(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	text := "---\nname: Tabs\ntype: feedback\nkept: 1\n---\nUse tabs.\n"
	b.write("ada/memory/tabs.md", text)
	old := time.Now().Add(-72 * time.Hour).Truncate(time.Second)
	if err := os.Chtimes(b.path("ada/memory/tabs.md"), old, old); err != nil {
		t.Fatal(err)
	}
	b.write("ada/memory/MEMORY.md", "- [Tabs](tabs.md)\n")
	b.scan("ada")
	private := b.memory("ada", "Tabs")
	if _, err := b.engine.Move(t.Context(), "ada", private.ID, `"stale"`, engine.Destination{Scope: memories.TeamScope}); !errors.Is(err, memories.ErrChanged) {
		t.Errorf("a stale tag gives %v", err)
	}
	moved, err := b.engine.Move(t.Context(), "ada", private.ID, engine.ETag(private), engine.Destination{Scope: memories.TeamScope})
	if err != nil {
		t.Fatal(err)
	}
	m := moved.Memory
	if !m.Team || m.Path != "memory/team/feedback_tabs.md" || b.read("ada/"+m.Path) != text || !m.ModifiedAt.Equal(old) {
		t.Errorf("moved: %+v", m)
	}
	if m.ID != private.ID || !m.CreatedAt.Equal(private.CreatedAt) || b.of(memories.PrivateScope, "Tabs") != nil {
		t.Errorf("moved: %+v; the private memory is %+v", m, b.of(memories.PrivateScope, "Tabs"))
	}
	if b.read("ada/memory/tabs.md") != "" || b.read("ada/memory/MEMORY.md") != "- [Tabs](team/feedback_tabs.md)\n" || b.learned() != "\n## Feedback Memory\n\n### Tabs (team)\n\nUse tabs.\n" {
		t.Errorf("of the private memory is left: %q, %q", b.read("ada/memory/MEMORY.md"), b.learned())
	}
	copied, err := b.engine.Copy(t.Context(), "ada", m.ID, "", engine.Destination{Scope: memories.PrivateScope})
	if err != nil || copied.Memory.State != memories.Active || !copied.Created || b.of(memories.TeamScope, "Tabs").State != memories.Active {
		t.Errorf("copied: %+v, %v", copied, err)
	}
	var taken *memories.NameTakenError
	if _, err := b.engine.Move(t.Context(), "ada", m.ID, "", engine.Destination{Scope: memories.PrivateScope}); !errors.As(err, &taken) || taken.ID != copied.Memory.ID {
		t.Errorf("to move to a name that lives gives %v", err)
	}
	// Once that name is in the trash, the memory can be moved back, and has the history of both.
	if _, err := b.engine.Delete(t.Context(), "ada", copied.Memory.ID, ""); err != nil {
		t.Fatal(err)
	}
	back, err := b.engine.Move(t.Context(), "ada", m.ID, "", engine.Destination{Scope: memories.PrivateScope})
	if got := back.Memory; err != nil || got.ID != private.ID || got.Team || !got.ModifiedAt.Equal(old) || b.read("ada/"+got.Path) != text {
		t.Errorf("moved back: %+v, %v", got, err)
	}
	if trash := b.list("ada", memories.Deleted); len(trash) != 0 {
		t.Errorf("in the trash are %v", trash)
	}
	if b.scan("ada").Changed {
		t.Error("a look finds something else")
	}
}

func TestTeam_MovedOnDisk(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.write("ada/memory/a.md", note("Kept", memories.User, "A session has it too."))
	b.write("ada/sessions/u1-c1-1/memory/a.md", note("Kept", memories.User, "A session has it too."))
	b.write("ada/memory/team/x.md", note("Shared", memories.Project, "For all."))
	b.scan("ada")
	for from, to := range map[string]string{"tabs.md": "team/tabs.md", "a.md": "team/a.md", "team/x.md": "x.md"} {
		if err := os.Rename(b.path("ada/memory/"+from), b.path("ada/memory/"+to)); err != nil {
			t.Fatal(err)
		}
	}
	b.scan("ada")
	for _, want := range []struct {
		scope memories.Scope
		name  string
		state memories.State
	}{
		{memories.TeamScope, "Tabs", memories.Active}, {memories.PrivateScope, "Tabs", memories.Deleted},
		{memories.TeamScope, "Kept", memories.Active}, {memories.PrivateScope, "Kept", memories.Active},
		{memories.PrivateScope, "Shared", memories.Active}, {memories.TeamScope, "Shared", memories.Deleted},
	} {
		if m := b.of(want.scope, want.name); m == nil || m.State != want.state {
			t.Errorf("the %s memory %s is %+v, want it %s", want.scope, want.name, m, want.state)
		}
	}
	activity, err := b.store.Activity(t.Context(), records.ActivityList{AgentID: b.agent("ada").ID, Name: "Tabs", Limit: 10})
	if err != nil || !slices.ContainsFunc(activity.Activity, func(a memories.Activity) bool { return a.Kind == memories.ActivityDeleted && a.Renamed == "Tabs" }) {
		t.Errorf("the journal does not say that it was moved: %+v, %v", activity, err)
	}
	// And back: the private memory lives again, with its history.
	if err := os.Rename(b.path("ada/memory/team/tabs.md"), b.path("ada/memory/tabs.md")); err != nil {
		t.Fatal(err)
	}
	b.scan("ada")
	if private, team := b.of(memories.PrivateScope, "Tabs"), b.of(memories.TeamScope, "Tabs"); private.State != memories.Active || team.State != memories.Deleted {
		t.Errorf("moved back there are %+v and %+v", private, team)
	}
}

// What is written into team memory has to be in it by its path, and on disk. Nothing here may write
// anything, or be without it.
func TestTeam_Links(t *testing.T) {
	t.Parallel()
	secret := []byte("The token is " + token + ".\n")
	for what, tt := range map[string]struct {
		link, target string // below memory/
		do           func(*bench) error
	}{
		"the directory is a link out of the agent": {"team", "OUTSIDE", moveTabs},
		"the directory is a link to a session":     {"team", "../sessions/u1-c1-1/memory", moveTabs},
		"the directory is a link to nothing":       {"team", "../nowhere", moveTabs},
		"the directory is a link to itself":        {"team", "team", moveTabs},
		"a directory in it leads to private memory": {"team/sub", "../private", func(b *bench) error {
			return b.engine.CreateFile(b.Context(), "ada", "team/sub/new.md", []byte("Harmless.\n"))
		}},
		"another name of it takes a credential": {"alias", "team", func(b *bench) error {
			return b.engine.CreateFile(b.Context(), "ada", "alias/new.md", secret)
		}},
		"a directory with a credential becomes it": {"", "", func(b *bench) error {
			b.write("ada/memory/drafts/new.md", string(secret))
			return b.engine.RenameFile(b.Context(), "ada", "drafts", "team/drafts")
		}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := withAda(t)
			outside := t.TempDir()
			b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
			b.write("ada/sessions/u1-c1-1/memory/x.md", note("Session", memories.User, "x"))
			b.write("ada/memory/private/x.md", note("Private", memories.User, "x"))
			if !strings.HasPrefix(tt.link, "team") || tt.link == "team/sub" {
				b.write("ada/memory/team/x.md", note("Shared", memories.User, "x"))
			}
			if tt.link != "" {
				if err := os.Symlink(strings.ReplaceAll(tt.target, "OUTSIDE", outside), b.path("ada/memory/"+tt.link)); err != nil {
					t.Fatal(err)
				}
			}
			b.scan("ada")
			if err := tt.do(b); err == nil || strings.Contains(err.Error(), token) {
				t.Errorf("it gives %v", err)
			}
			if m := b.of(memories.PrivateScope, "Tabs"); m.State != memories.Active || b.read("ada/memory/tabs.md") == "" {
				t.Errorf("the private memory is %+v", m)
			}
			for _, dir := range []string{outside, b.path("ada/sessions"), b.path("ada/memory/private"), b.path("ada/memory/team"), b.path("ada/nowhere")} {
				for _, pattern := range []string{"new.md", "*tabs*", "*/*tabs*", "*/*/*tabs*", "drafts"} {
					if found, _ := filepath.Glob(filepath.Join(dir, pattern)); len(found) > 0 {
						t.Errorf("it has written %v", found)
					}
				}
			}
		})
	}
}

func moveTabs(b *bench) error {
	_, err := b.engine.Move(b.Context(), "ada", b.of(memories.PrivateScope, "Tabs").ID, "", engine.Destination{Scope: memories.TeamScope})
	return err
}

func TestTeam_CredentialRefused(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	leaks := "How to deploy:\n\nuse " + token + " for it."
	b.write("ada/memory/leaky.md", note("Leaky", memories.Reference, leaks))
	b.write("ada/memory/key.md", "---\nname: Hidden\ntype: user\nextra: "+token+"\n---\n\nHarmless.\n")
	b.write("ada/memory/team/wiki.md", note("Wiki", memories.Reference, "wiki.example"))
	b.scan("ada")
	leaky, hidden, wiki := b.memory("ada", "Leaky"), b.memory("ada", "Hidden"), b.memory("ada", "Wiki")
	raw := []byte(b.read("ada/memory/team/wiki.md"))
	for what, do := range map[string]func() error{
		"save": func() error {
			_, err := b.engine.Save(t.Context(), "ada", engine.Draft{Name: "New", Team: true, Type: memories.User, Body: leaks})
			return err
		},
		"save over": func() error {
			_, err := b.engine.Save(t.Context(), "ada", engine.Draft{Name: "Wiki", Team: true, Type: memories.User, Description: "with " + token})
			return err
		},
		"edit": func() error {
			_, err := b.engine.Patch(t.Context(), "ada", wiki.ID, "", engine.Patch{Body: &leaks})
			return err
		},
		"move": func() error {
			_, err := b.engine.Move(t.Context(), "ada", leaky.ID, "", engine.Destination{Scope: memories.TeamScope})
			return err
		},
		"copy": func() error {
			_, err := b.engine.Copy(t.Context(), "ada", leaky.ID, "", engine.Destination{Scope: memories.TeamScope})
			return err
		},
		"move what is in a key": func() error {
			_, err := b.engine.Move(t.Context(), "ada", hidden.ID, "", engine.Destination{Scope: memories.TeamScope})
			return err
		},
		"create a file": func() error { return b.engine.CreateFile(t.Context(), "ada", "team/new.md", []byte(leaks)) },
		"edit a file": func() error {
			return b.engine.ReplaceFile(t.Context(), "ada", "team/wiki.md", files.Hash(raw), []byte(leaks))
		},
		"rename a file": func() error { return b.engine.RenameFile(t.Context(), "ada", "leaky.md", "team/leaky.md") },
	} {
		err := do()
		if err == nil || strings.Contains(err.Error(), token[4:]) || !strings.Contains(err.Error(), "github-pat") || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%s gives %v", what, err)
		}
	}
	if entries, err := os.ReadDir(b.path("ada/memory/team")); err != nil || len(entries) != 1 || b.read("ada/memory/team/wiki.md") != string(raw) {
		t.Errorf("team memory has %v, %v", entries, err)
	}
	if b.of(memories.PrivateScope, "Leaky").State != memories.Active || b.of(memories.TeamScope, "Leaky") != nil {
		t.Error("a refused move has done something")
	}
	// A file that another program puts there is mirrored, with a problem.
	b.write("ada/memory/team/leaky.md", note("Leaky", memories.Reference, leaks))
	b.scan("ada")
	if m := b.of(memories.TeamScope, "Leaky"); len(m.Problems) != 2 || m.Problems[0].Code != memories.CodeCredential || m.Problems[1].Code != memories.CodeSecret || !strings.Contains(m.Problems[0].Message, "Line 9 ") || strings.Contains(m.Problems[0].Message, token) {
		t.Errorf("the problems are %+v", m.Problems)
	}
	if problems := b.of(memories.PrivateScope, "Leaky").Problems; len(problems) != 1 || problems[0].Code != memories.CodeSecret {
		t.Errorf("a private memory has %+v", problems)
	}
}

// A credential may come into team memory through the disk. If it is deleted, blocked or to be
// fixed, a user's operation must not write it again.
func TestTeam_CredentialNotRestored(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	leaks := "How to deploy:\n\nuse " + token + " for it."
	b.write("ada/memory/team/gone.md", note("Gone", memories.Reference, leaks))
	b.write("ada/memory/team/kept-out.md", note("Kept out", memories.Reference, leaks))
	b.write("ada/memory/team/flawed.md", "---\nname: Flawed\ntype: reference\ndescription: a: b\n---\n\n"+leaks+"\n")
	b.write("ada/memory/gone.md", note("Mine", memories.Reference, leaks))
	b.scan("ada")
	gone, flawed, mine := b.delete("ada", "Gone"), b.memory("ada", "Flawed"), b.delete("ada", "Mine")
	keptOut := b.delete("ada", "Kept out")
	b.write("ada/memory/team/kept-out.md", note("Kept out", memories.Reference, leaks))
	b.scan("ada")
	blocked, err := b.store.Blocked(t.Context(), b.agent("ada").ID)
	if err != nil || len(blocked) != 1 {
		t.Fatalf("%+v is kept out (%v)", blocked, err)
	}
	found, err := b.engine.ProposeFixes(t.Context(), "ada", flawed.ID)
	if err != nil || len(found) != 1 || len(found[0].Fixes) == 0 {
		t.Fatalf("it can be mended by %+v (%v)", found, err)
	}
	for what, do := range map[string]func() error{
		"restore": func() error { _, err := b.engine.Restore(t.Context(), "ada", gone.ID, ""); return err },
		"let in":  func() error { _, err := b.engine.Allow(t.Context(), "ada", blocked[0].ID); return err },
		"mend": func() error {
			_, err := b.engine.Fix(t.Context(), "ada", flawed.ID, "", found[0].Path, found[0].Fixes[0].ID)
			return err
		},
	} {
		err := do()
		var conflict *memories.ConflictError
		if !errors.As(err, &conflict) || strings.Contains(err.Error(), token[4:]) || !strings.Contains(err.Error(), "github-pat") || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%s gives %v", what, err)
		}
	}
	b.scan("ada")
	for _, m := range []memories.Memory{gone, keptOut} {
		if now := b.of(memories.TeamScope, m.Name); now.State != memories.Deleted {
			t.Errorf("%s is %s", m.Name, now.State)
		}
	}
	if b.read("ada/memory/team/gone.md") != "" || !strings.Contains(b.read("ada/memory/team/flawed.md"), "description: a: b\n") {
		t.Error("something was written")
	}
	if private, err := b.engine.Restore(t.Context(), "ada", mine.ID, ""); err != nil || private.Memory.State != memories.Active {
		t.Errorf("a private memory does not come back: %v", err)
	}
}
