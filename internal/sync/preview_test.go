package sync_test

import (
	"errors"
	"slices"
	"testing"

	"memoir/internal/memories"
)

func TestPreviewDeletion_MatchesDeletion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Alpha", memories.Feedback, "one"))
	b.write("ada/memory/team/b%20.md", note("Beta", memories.Project, "two"))
	b.write(inSession(sessionA, "a.md"), note("Alpha", memories.Feedback, "one"))
	b.write("ada/memory/c.md", note("Gamma", memories.User, "three"))
	b.write("ada/memory/MEMORY.md", "# Index\n- [A](a.md), [C](c.md)\n- [B](team/b%2520.md)\n")
	b.write("ada/memory/team/memory.md", "- [B](b%2520.md#x)\r\n- [Other](other.md)\r\n")
	b.write("ada/memory/printer.md", "---\nname: Printer\n---\nNo type.\n")
	b.scanAll()
	gone := b.delete("ada", "Printer")
	p, err := b.engine.PreviewDeletion(t.Context(), "ada", b.memory("ada", "Beta").ID, b.memory("ada", "Alpha").ID, gone.ID, b.memory("ada", "Alpha").ID)
	if err != nil {
		t.Fatal(err)
	}
	var names, files, indexes []string
	for _, m := range p.Memories {
		names = append(names, m.Name)
	}
	for _, f := range p.Files {
		files = append(files, f.Path)
	}
	for _, i := range p.Indexes {
		indexes = append(indexes, i.Path)
	}
	if want := []string{"Alpha", "Beta"}; !slices.Equal(names, want) {
		t.Errorf("it is about %q, want %q: what is in the trash already does not go", names, want)
	}
	if want := []string{"memory/a.md", "memory/team/b%20.md", "sessions/" + sessionA + "/memory/a.md"}; !slices.Equal(files, want) {
		t.Errorf("the files are %q, want %q", files, want)
	}
	if want := []string{"memory/MEMORY.md", "memory/team/memory.md"}; !slices.Equal(indexes, want) {
		t.Errorf("the indexes are %q, want %q", indexes, want)
	}
	if b.read("ada/CLAUDE.md") != string(p.ClaudeMDBefore.Text) {
		t.Error("what is compiled now is not what is on disk")
	}
	for _, i := range p.Indexes {
		if b.read("ada/"+i.Path) != string(i.Before) {
			t.Errorf("%s has changed already", i.Path)
		}
	}
	b.delete("ada", "Alpha")
	b.delete("ada", "Beta")
	for _, i := range p.Indexes {
		if got := b.read("ada/" + i.Path); got != string(i.After) {
			t.Errorf("%s became %q, and %q was said", i.Path, got, i.After)
		}
	}
	if b.read("ada/CLAUDE.md") != string(p.ClaudeMDAfter.Text) {
		t.Error("CLAUDE.md became something else than was said")
	}
}

func TestPreviewDeletion_ForeignMemory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Alpha", memories.Feedback, "one"))
	b.write("bob/memory/b.md", note("Beta", memories.Feedback, "two"))
	b.scanAll()
	mine, foreign := b.memory("ada", "Alpha").ID, b.memory("bob", "Beta").ID
	for _, id := range []string{foreign, "nonsense", "0198c0de-0000-7000-8000-000000000005"} {
		if _, err := b.engine.PreviewDeletion(t.Context(), "ada", mine, id); !errors.Is(err, memories.ErrNotFound) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if _, err := b.engine.PreviewDeletion(t.Context(), "nobody", mine); !errors.Is(err, memories.ErrNotFound) {
		t.Errorf("an agent that is not there: %v", err)
	}
}
