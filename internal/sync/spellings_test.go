package sync_test

import (
	"fmt"
	"strings"
	"testing"

	"memoir/internal/memories"
)

// A directory of many files is not listed to find its index, and that is found all the same.
func TestAnIndexIsFoundAmongManyFilesInWhateverLetterCase(t *testing.T) {
	t.Parallel()
	for _, names := range [][]string{{"MEMORY.md"}, {"memory.MD"}, {"MEMORY.md", "Memory.md"}} {
		t.Run(strings.Join(names, " and "), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			for i := range 150 {
				name := fmt.Sprintf("%03d%s.md", i, strings.Repeat("-", 180))
				b.write("ada/memory/"+name, note(fmt.Sprint("Note ", i), memories.Project, fmt.Sprint("Says ", i)))
			}
			b.write("ada/memory/a.md", note("Tabs", memories.Feedback, "Use tabs."))
			for _, name := range names {
				b.write("ada/memory/"+name, "- [Tabs](a.md)\n- [Other](b.md)\n")
			}
			b.scanAll()
			b.delete("ada", "Tabs")
			for _, name := range names {
				if got := b.read("ada/memory/" + name); got != "- [Other](b.md)\n" {
					t.Errorf("%s says %q", name, got)
				}
			}
		})
	}
}
