package sync_test

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

const adasIndex = "memory/MEMORY.md"

// indexDisk calls before ahead of each write of the index, which fails as before does.
type indexDisk struct {
	brokenDisk
	before func() error
}

func (d *indexDisk) Write(root *os.Root, name string, data []byte, options files.Options) error {
	if name == adasIndex && d.before != nil {
		if err := d.before(); err != nil {
			return err
		}
	}
	return d.brokenDisk.Write(root, name, data, options)
}

// TestAdoptFact_CutShortLosesNothing holds that a failure between the two writes leaves the text,
// and that the same call goes on.
func TestAdoptFact_CutShortLosesNothing(t *testing.T) {
	t.Parallel()
	const fact, index = "Node 22 only", "# Shop\n- Node 22 only\n- [Tabs](tabs.md)\n"
	for name, tt := range map[string]struct {
		before func(b *bench) error
		after  string
	}{
		"the index changes": {func(b *bench) error {
			b.write("ada/"+adasIndex, "New.\n"+index)
			return nil
		}, "New.\n" + index},
		"the disk is full": {func(*bench) error {
			return &os.PathError{Op: "write", Path: adasIndex, Err: syscall.ENOSPC}
		}, index},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := withAda(t)
			b.stop()
			disk := &indexDisk{brokenDisk: brokenDisk{&breaker{}}}
			b.options.Disk = disk
			b.write("ada/"+adasIndex, index)
			b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
			b.start()
			b.scanAll()
			adoption := engine.Adoption{Fact: records.FactID("ada", adasIndex, fact).String(), Type: memories.Project}
			disk.before = func() error { return tt.before(b) }
			_, err := b.engine.AdoptFact(byScript, "ada", adoption)
			if conflict := (*memories.ConflictError)(nil); !errors.As(err, &conflict) || !strings.Contains(conflict.Reason, "memory/project_node_22_only.md") {
				t.Fatalf("error = %v", err)
			}
			if b.read("ada/"+adasIndex) != tt.after || b.list("ada", "")[fact].Body != fact {
				t.Errorf("the index is %q", b.read("ada/"+adasIndex))
			}
			disk.before = nil
			again, err := b.engine.AdoptFact(byScript, "ada", adoption)
			b.must(err)
			if again.Created {
				t.Error("the memory was written twice")
			}
			want := strings.Replace(tt.after, "- Node 22 only\n", "- [Node 22 only](project_node_22_only.md) — Node 22 only\n", 1)
			if got := b.read("ada/" + adasIndex); got != want {
				t.Errorf("the index is %q, not %q", got, want)
			}
		})
	}
}
