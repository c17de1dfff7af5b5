package sync_test

import (
	"strings"
	"testing"

	"memoir/internal/memories"
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
