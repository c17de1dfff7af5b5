package sync_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

const notesDir = "memories/extensions/ad_hoc/notes"

// codex is a Memoir over the memory of Codex.
type codex struct{ *memoirtest.Memoir }

func startCodex(t *testing.T) codex {
	t.Helper()
	return codex{startLayout(t, "codex")}
}

// consolidate does what a job of Codex does: it writes its memory, and takes all files into its
// baseline, which is a new git repository.
func (c codex) consolidate(t *testing.T, change func(memory string) string) {
	t.Helper()
	if change != nil {
		c.Write("memories/MEMORY.md", change(c.Read("memories/MEMORY.md")))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=Codex", "-c", "user.email=codex@localhost", "commit", "-q", "-m", "baseline"}} {
		run := exec.Command("git", args...)
		run.Dir = filepath.Join(c.Dir, "memories")
		if out, err := run.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	c.Scan("codex")
}

// notes returns the number of notes on disk.
func (c codex) notes(t *testing.T) int {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(c.Dir, filepath.FromSlash(notesDir), "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

func (c codex) wantsList(t *testing.T, want ...string) {
	t.Helper()
	if got := listOf(t, c.Memoir); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

const (
	shopGroup = "codex shop-backend-releases (project) how releases of the shop are cut [unlisted]"
	siteGroup = "codex site (project) how the site is built [unlisted]"
)

func TestNotes_Save(t *testing.T) {
	t.Parallel()
	c := startCodex(t)
	c.wantsList(t, shopGroup, siteGroup)
	draft := memories.Draft{Name: "Freeze of May", Type: memories.Project, Description: "no releases in May", Body: "Nothing is released from 1 to 15 May."}
	saved, err := c.Engine.Save(t.Context(), "codex", draft)
	if err != nil || !saved.Created || saved.Memory.Body != draft.Body || saved.Memory.Pending() != memories.PendingSave {
		t.Fatalf("saved %+v, %v", saved, err)
	}
	isGolden(t, c.Memoir, "codex", "saved")
	if saved, err = c.Engine.Save(t.Context(), "codex", draft); err != nil || c.notes(t) != 1 {
		t.Errorf("saved twice: %d notes, %v", c.notes(t), err)
	}
	draft.Body = "Nothing is released in May."
	if saved, err = c.Engine.Save(t.Context(), "codex", draft); err != nil || c.notes(t) != 1 || saved.Memory.Body != draft.Body {
		t.Errorf("saved again: %d notes, %+v, %v", c.notes(t), saved.Memory, err)
	}
	c.Scan("codex")
	c.wantsList(t, "codex Freeze of May (project) no releases in May [unlisted] pending_save", shopGroup, siteGroup)

	c.consolidate(t, func(memory string) string {
		return memory + "\n# Task Group: calendar\nscope: when releases are cut\n\n- No releases in May. [ad-hoc note]\n"
	})
	c.wantsList(t, "codex calendar (project) when releases are cut [unlisted]", shopGroup, siteGroup)
	if c.notes(t) != 1 {
		t.Errorf("%d notes are left, want the one that Codex has read", c.notes(t))
	}
	if m := c.Memory("codex", "Freeze of May"); m.State != memories.Deleted {
		t.Errorf("the note that was read is %+v", m)
	}
}

func TestNotes_Edit(t *testing.T) {
	t.Parallel()
	c := startCodex(t)
	site, body := c.Memory("codex", "site"), "The site is built with Zola."
	edited, err := c.Engine.Patch(t.Context(), "codex", site.ID, "", engine.Patch{Body: &body})
	if err != nil || edited.Memory.ID != site.ID || edited.Memory.Body != body || edited.Memory.Pending() != memories.PendingSave {
		t.Fatalf("edited %+v, %v", edited.Memory, err)
	}
	isGolden(t, c.Memoir, "codex", "edited")
	c.Scan("codex")
	c.wantsList(t, shopGroup, siteGroup+" pending_save")
	row, err := c.Store.Agent(t.Context(), "codex")
	if err != nil {
		t.Fatal(err)
	}
	if texts, err := c.Store.ReviewTexts(t.Context(), row.ID, time.Now(), []string{site.ID}); err != nil || texts[0].Conflict != memories.NoConflict || len(c.Memory("codex", "site").Files) != 2 {
		t.Errorf("the note is a conflict: %+v, %v", texts, err)
	}
	t.Run("taken back", func(t *testing.T) {
		if _, err := c.Engine.Patch(t.Context(), "codex", site.ID, "", engine.Patch{Body: &site.Body}); err != nil {
			t.Fatal(err)
		}
		isGolden(t, c.Memoir, "codex", "start")
		c.wantsList(t, shopGroup, siteGroup)
	})
	if _, err := c.Engine.Patch(t.Context(), "codex", site.ID, "", engine.Patch{Body: &body}); err != nil {
		t.Fatal(err)
	}
	c.consolidate(t, func(memory string) string { return strings.Replace(memory, "Hugo.", "Zola, not with Hugo.", 1) })
	c.wantsList(t, shopGroup, siteGroup)
	if m := c.Memory("codex", "site"); m.ID != site.ID || !strings.Contains(m.Body, "Zola, not with Hugo.") {
		t.Errorf("after the consolidation: %+v", m)
	}
	// The text alone is enough: git may have packed the baseline.
	body = "The site is\nbuilt with Eleventy."
	if _, err := c.Engine.Patch(t.Context(), "codex", site.ID, "", engine.Patch{Body: &body}); err != nil {
		t.Fatal(err)
	}
	c.wantsList(t, shopGroup, siteGroup+" pending_save")
	c.Write("memories/MEMORY.md", strings.Replace(c.Read("memories/MEMORY.md"), "with Zola, not with Hugo.", "with Eleventy.", 1))
	waittest.For(t, "the text", func() bool { return slices.Equal(listOf(t, c.Memoir), []string{shopGroup, siteGroup}) })
}

func TestNotes_Delete(t *testing.T) {
	t.Parallel()
	c := startCodex(t)
	site := c.Memory("codex", "site")
	deleted, err := c.Engine.Delete(t.Context(), "codex", site.ID, "")
	if err != nil || deleted.Memory.State != memories.Active || deleted.Memory.Pending() != memories.PendingDeletion {
		t.Fatalf("deleted %+v, %v", deleted.Memory, err)
	}
	isGolden(t, c.Memoir, "codex", "deleted")
	if _, err := c.Engine.Delete(t.Context(), "codex", site.ID, ""); err != nil || c.notes(t) != 1 {
		t.Errorf("deleted twice: %d notes, %v", c.notes(t), err)
	}
	_, err = c.Engine.Purge(t.Context(), "codex", site.ID, "")
	isRefused(t, err, "Purge the memory when it is in the trash")
	c.Scan("codex")
	c.wantsList(t, shopGroup, siteGroup+" pending_deletion")
	if _, err := c.Engine.Restore(t.Context(), "codex", site.ID, ""); err != nil {
		t.Fatal(err)
	}
	isGolden(t, c.Memoir, "codex", "start")
	c.wantsList(t, shopGroup, siteGroup)

	if _, err := c.Engine.Delete(t.Context(), "codex", site.ID, ""); err != nil {
		t.Fatal(err)
	}
	c.consolidate(t, nil) // it reads the note, but does not obey
	c.wantsList(t, shopGroup, siteGroup+" pending_deletion")
	_, err = c.Engine.Restore(t.Context(), "codex", site.ID, "")
	isRefused(t, err, "Codex has read the note")
	c.consolidate(t, func(memory string) string { return memory[:strings.Index(memory, "# Task Group: site")] })
	c.wantsList(t, shopGroup)
	if m := c.Memory("codex", "site"); m.State != memories.Deleted {
		t.Errorf("it is %s", m.State)
	}
	restored, err := c.Engine.Restore(t.Context(), "codex", site.ID, "")
	if err != nil || restored.Memory.ID != site.ID || restored.Memory.Body != site.Body || restored.Memory.Pending() != memories.PendingSave || c.notes(t) != 2 {
		t.Errorf("restored %+v, %d notes, %v", restored.Memory, c.notes(t), err)
	}
}

func TestNotes_EditThenDelete(t *testing.T) {
	t.Parallel()
	c := startCodex(t)
	site, body := c.Memory("codex", "site"), "The site is built with Zola."
	if _, err := c.Engine.Patch(t.Context(), "codex", site.ID, "", engine.Patch{Body: &body}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Engine.Delete(t.Context(), "codex", site.ID, ""); err != nil {
		t.Fatal(err)
	}
	isGolden(t, c.Memoir, "codex", "deleted")
	// An edit afterwards keeps the memory.
	if _, err := c.Engine.Patch(t.Context(), "codex", site.ID, "", engine.Patch{Body: &body}); err != nil {
		t.Fatal(err)
	}
	isGolden(t, c.Memoir, "codex", "edited")
	c.wantsList(t, shopGroup, siteGroup+" pending_save")

	saved, err := c.Engine.Save(t.Context(), "codex", memories.Draft{Name: "New", Type: memories.Project, Body: "A fact."})
	if err != nil {
		t.Fatal(err)
	}
	gone, err := c.Engine.Delete(t.Context(), "codex", saved.Memory.ID, "")
	if err != nil || gone.Memory.State != memories.Deleted || c.notes(t) != 1 {
		t.Errorf("a note that Codex has not read: %+v, %d notes, %v", gone.Memory, c.notes(t), err)
	}
	if back, err := c.Engine.Restore(t.Context(), "codex", saved.Memory.ID, ""); err != nil || back.Memory.Pending() != memories.PendingSave || c.notes(t) != 2 {
		t.Errorf("restored %+v, %d notes, %v", back.Memory, c.notes(t), err)
	}
}

func TestNotes_OfCodex(t *testing.T) {
	t.Parallel()
	c := startCodex(t)
	const name = notesDir + "/2026-11-20T10-00-00-tag-first.md"
	c.Write(name, "Remember to tag before the build.\n")
	c.Write(notesDir+"/sub/other.md", "Not a note.\n")
	pending := "codex tag-first (project)  [unlisted] pending_save"
	waittest.For(t, "the note", func() bool { return slices.Equal(listOf(t, c.Memoir), []string{shopGroup, siteGroup, pending}) })
	if m := c.Memory("codex", "tag-first"); m.Body != "Remember to tag before the build." {
		t.Errorf("it says %q", m.Body)
	}
	c.consolidate(t, nil)
	c.wantsList(t, shopGroup, siteGroup)
}

func TestNotes_Refused(t *testing.T) {
	t.Parallel()
	c := startCodex(t)
	site, name := c.Memory("codex", "site"), "web site"
	_, err := c.Engine.Patch(t.Context(), "codex", site.ID, "", engine.Patch{Name: &name})
	isRefused(t, err, "A job of Codex writes this memory")
	_, err = c.Engine.Verify(t.Context(), "codex", site.ID, "")
	isRefused(t, err, "A job of Codex writes this memory")
	_, err = c.Engine.Move(t.Context(), "codex", site.ID, "", engine.Destination{Scope: memories.TeamScope})
	if err == nil {
		t.Error("Codex has no team memory")
	}
	isRefused(t, c.Engine.CreateFile(t.Context(), "codex", "other.md", []byte("new")), "A job of Codex writes this memory")
	c.Scan("codex")
	isGolden(t, c.Memoir, "codex", "start")
	c.Write("memories/MEMORY.md", strings.Replace(c.Read("memories/MEMORY.md"), "# Task Group: site", "# Task Group: web site", 1))
	waittest.For(t, "the client's change", func() bool {
		return slices.Equal(listOf(t, c.Memoir), []string{shopGroup, strings.Replace(siteGroup, "site", "web-site", 1)})
	})
}
