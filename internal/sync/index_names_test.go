package sync_test

import (
	"strings"
	"testing"

	"memoir/internal/memories"
	engine "memoir/internal/sync"
)

func TestDelete_IndexInAnyLetterCase(t *testing.T) {
	t.Parallel()
	for _, names := range [][]string{{"MEMORY.md"}, {"memory.MD"}, {"MEMORY.md", "Memory.md"}} {
		for _, when := range []string{"before the scan", "after the scan"} {
			t.Run(strings.Join(names, " and ")+" "+when, func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				b.write("ada/memory/a.md", note("Tabs", memories.Feedback, "Use tabs."))
				writeIndexes := func() {
					for _, name := range names {
						b.write("ada/memory/"+name, "- [Tabs](a.md)\n- [Other](b.md)\n")
					}
				}
				if when == "before the scan" {
					writeIndexes()
				}
				b.scanAll()
				if when == "after the scan" {
					writeIndexes()
					b.scan("ada")
				}
				b.delete("ada", "Tabs")
				for _, name := range names {
					if got := b.read("ada/memory/" + name); got != "- [Other](b.md)\n" {
						t.Errorf("%s says %q", name, got)
					}
				}
			})
		}
	}
}

// An index that the last scan has not seen is found under its usual name.
func TestDelete_IndexWrittenSinceTheScan(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stopWatching()
	b.write("ada/memory/a.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scanAll()
	b.write("ada/memory/MEMORY.md", "- [Tabs](a.md)\n- [Other](b.md)\n")
	b.delete("ada", "Tabs")
	if got := b.read("ada/memory/MEMORY.md"); got != "- [Other](b.md)\n" {
		t.Errorf("MEMORY.md says %q", got)
	}
}

// A wiki link may state the name of a memory whose file has another stem. It is an entry of that
// memory, unless it leads to a file or to another memory.
func TestDelete_WikiLinkWithName(t *testing.T) {
	t.Parallel()
	const index = "# Index\n- [[Deploy days]] — on Tuesdays\n- [[Deploy days|when]], [[Other]]\n"
	for name, c := range map[string]struct {
		more map[string]string // files besides that of the memory
		want string
	}{
		"no file of that stem":  {nil, "# Index\n- [[Other]]\n"},
		"another file":          {map[string]string{"memory/Deploy days.md": note("Another", memories.Project, "x")}, index},
		"another memory's name": {map[string]string{"memory/team/d.md": note("Deploy days", memories.Project, "x")}, index},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.write("ada/memory/project_deploy.md", note("Deploy days", memories.Project, "Tuesdays"))
			for file, text := range c.more {
				b.write("ada/"+file, text)
			}
			b.write("ada/memory/MEMORY.md", index)
			b.scanAll()
			m := b.of(memories.PrivateScope, "Deploy days")
			preview, err := b.engine.PreviewDeletion(t.Context(), "ada", m.ID)
			b.must(err)
			if _, err := b.engine.Delete(t.Context(), "ada", m.ID, ""); err != nil {
				t.Fatal(err)
			}
			b.indexIs(c.want)
			if changed := len(preview.Indexes) > 0; name != "another memory's name" && changed != (c.want != index) {
				t.Errorf("the preview changes an index: %t", changed)
			}
			b.restore("ada", *m)
			b.scan("ada")
			if c.more == nil {
				b.indexIs(index)
			}
		})
	}
}

func TestDelete_WikiLinkInterrupted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/project_deploy.md", note("Deploy days", memories.Project, "Tuesdays"))
	b.write("ada/memory/MEMORY.md", "- [[Deploy days]]\n- [[Other]]\n")
	b.scanAll()
	lift := b.bar("ada/memory/project_deploy.md")
	b.delete("ada", "Deploy days")
	lift()
	b.scanAll()
	b.indexIs("- [[Other]]\n")
}

func TestRename_WikiLinkWithName(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/project_deploy.md", note("Deploy days", memories.Project, "Tuesdays"))
	b.write("ada/memory/MEMORY.md", "- [[Deploy days]]\n")
	b.scanAll()
	m := b.memory("ada", "Deploy days")
	_, err := b.engine.Patch(t.Context(), "ada", m.ID, "", engine.Patch{Name: pointer("Release days")})
	b.must(err)
	b.indexIs("- [[project_release_days]]\n")
}

func TestDelete_EntryInFormerDirectory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/sub/deploy.md", note("Deploy days", memories.Project, "Tuesdays"))
	b.write("ada/memory/sub/MEMORY.md", "- [Deploy](deploy.md) — days\n- [Other](other.md)\n")
	b.scanAll()
	m := b.memory("ada", "Deploy days")
	_, err := b.engine.Patch(t.Context(), "ada", m.ID, "", engine.Patch{Name: pointer("Release days")})
	b.must(err)
	b.indexesAre("after the rename", map[string]string{"ada/memory/sub/MEMORY.md": "- [Deploy](../project_release_days.md) — days\n- [Other](other.md)\n"})
	b.delete("ada", "Release days")
	b.indexesAre("after the deletion", map[string]string{"ada/memory/sub/MEMORY.md": "- [Other](other.md)\n"})
}
