package sync_test

import (
	"strings"
	"testing"

	"memoir/internal/memories"
	"memoir/internal/sync"
)

// withListed is a bench whose agent ada has a memory for each of the names, all of them listed in the index.
func withListed(t *testing.T, names string) (b *bench, index string) {
	t.Helper()
	b = setup(t)
	index = "# Index\n\n"
	for _, name := range names {
		file := strings.ToLower(string(name)) + ".md"
		b.write("ada/memory/"+file, note(string(name), memories.Project, "text of "+string(name)))
		index += "- [" + string(name) + "](" + file + ")\n"
	}
	b.write("ada/memory/MEMORY.md", index)
	b.scanAll()
	return b, index
}

// seen names memories of ada as many calls do.
func (b *bench) seen(names string) (all []sync.Seen) {
	b.Helper()
	listed, trash := b.list("ada", ""), b.list("ada", memories.Deleted)
	for _, name := range names {
		m, ok := listed[string(name)]
		if !ok {
			m = trash[string(name)]
		}
		all = append(all, sync.Seen{ID: m.ID})
	}
	return all
}

func (b *bench) allGoWell(errs []error) {
	b.Helper()
	for _, err := range errs {
		if err != nil {
			b.Error(err)
		}
	}
}

func (b *bench) indexIs(want string) {
	b.Helper()
	if got := b.read("ada/memory/MEMORY.md"); got != want {
		b.Errorf("MEMORY.md says\n%q, not\n%q", got, want)
	}
}

func TestEntriesOfNeighboursComeBackInTheirOrderWhicheverGoesAndComesBackFirst(t *testing.T) {
	t.Parallel()
	for _, order := range []struct{ deleted, restored string }{{"ABC", "ABC"}, {"BAC", "CAB"}, {"CAB", "BCA"}} {
		t.Run(order.deleted+" "+order.restored, func(t *testing.T) {
			t.Parallel()
			b, index := withListed(t, "ABCD")
			b.allGoWell(b.engine.DeleteMany(t.Context(), "ada", b.seen(order.deleted)))
			b.indexIs("# Index\n\n- [D](d.md)\n")
			b.allGoWell(b.engine.RestoreMany(t.Context(), "ada", b.seen(order.restored)))
			b.indexIs(index)
			for _, name := range order.deleted {
				b.delete("ada", string(name))
			}
			b.restart()
			for _, name := range order.restored {
				b.restore("ada", b.list("ada", memories.Deleted)[string(name)])
			}
			b.indexIs(index)
		})
	}
}
