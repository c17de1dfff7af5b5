package memorymd_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"memoir/internal/memories/memorymd"
)

// edited is an index from which entries are removed and restored, one memory at a time.
type edited struct {
	t     rapid.TB
	index []byte
	out   map[string][]memorymd.RemovedLine // by file
}

func (e *edited) remove(file string) {
	index, gone := memorymd.Remove(e.index, removing(file))
	kept, err := json.Marshal(gone)
	if err != nil {
		e.t.Fatal(err)
	}
	var lines []memorymd.RemovedLine
	if err := json.Unmarshal(kept, &lines); err != nil {
		e.t.Fatal(err)
	}
	e.index, e.out[file] = index, lines
}

func (e *edited) restore(file string) {
	back := e.out[file]
	delete(e.out, file)
	e.index = memorymd.Restore(e.index, back)
}

// change removes a file's entry, or restores it.
func (e *edited) change(file string) {
	if _, out := e.out[file]; out {
		e.restore(file)
		return
	}
	e.remove(file)
}

func TestRestoreToIndex_NeighboursInOrderOfRemoval(t *testing.T) {
	t.Parallel()
	const index = "# Index\n\n- [A](a.md)\n- [B](b.md)\n- [C](c.md)\n"
	for _, tt := range []struct{ name, changes, want string }{
		{"last removed first", "abc cba", index},
		{"one at a time", "aa bb cc", index},
		{"line above absent: at the end", "ba ba", "# Index\n\n- [A](a.md)\n- [C](c.md)\n- [B](b.md)\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := &edited{t, []byte(index), map[string][]memorymd.RemovedLine{}}
			for _, file := range strings.ReplaceAll(tt.changes, " ", "") {
				e.change(string(file) + ".md")
			}
			if string(e.index) != tt.want {
				t.Errorf("the index is\n%q, want\n%q", e.index, tt.want)
			}
		})
	}
}

// anyIndex returns an index with an entry for each file and other text, without repeated lines.
func anyIndex(t *rapid.T) (lines, files []string) {
	for i := range rapid.IntRange(1, 14).Draw(t, "lines") {
		switch rapid.SampledFrom([]string{"entry", "entry", "entry", "blank", "heading", "words"}).Draw(t, "line") {
		case "entry":
			file := fmt.Sprintf("f%d.md", i)
			files = append(files, file)
			lines = append(lines, "- ["+file+"]("+file+")\n")
		case "blank":
			lines = append(lines, "\n")
		case "heading":
			lines = append(lines, fmt.Sprintf("## Part %d\n", i))
		case "words":
			lines = append(lines, fmt.Sprintf("The words %d.\n", i))
		}
	}
	return lines, files
}

// After any sequence, the index has exactly the lines of the files that are not removed.
func TestRestoreToIndex_LosesNoLine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines, files := anyIndex(t)
		if len(files) == 0 {
			t.Skip("there is nothing to remove")
		}
		e := &edited{t, []byte(strings.Join(lines, "")), map[string][]memorymd.RemovedLine{}}
		for range rapid.IntRange(1, 40).Draw(t, "changes") {
			e.change(rapid.SampledFrom(files).Draw(t, "file"))
			var want []string
			for _, line := range lines {
				if !slices.ContainsFunc(files, func(file string) bool { return e.out[file] != nil && strings.Contains(line, "("+file+")") }) {
					want = append(want, line)
				}
			}
			slices.Sort(want)
			if got := slices.Sorted(strings.Lines(string(e.index))); !slices.Equal(got, want) {
				t.Fatalf("lines are\n%q, want\n%q", got, want)
			}
		}
	})
}

func TestRestore_EditedIndex(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines, files := anyIndex(t)
		if len(files) == 0 {
			t.Skip("there is nothing to remove")
		}
		e := &edited{t, []byte(strings.Join(lines, "")), map[string][]memorymd.RemovedLine{}}
		byHand := 0
		for range rapid.IntRange(1, 30).Draw(t, "changes") {
			file := rapid.SampledFrom(files).Draw(t, "file")
			switch rapid.SampledFrom([]string{"change", "change", "new line", "other order"}).Draw(t, "what") {
			case "change":
				before := slices.Sorted(strings.Lines(string(e.index)))
				_, wasOut := e.out[file]
				e.change(file)
				if after := slices.Sorted(strings.Lines(string(e.index))); wasOut == (len(after) < len(before)) || len(after)-len(before) > 1 {
					t.Fatalf("of\n%q became\n%q", before, after)
				}
			case "new line":
				now := slices.Collect(strings.Lines(string(e.index)))
				byHand++
				e.index = []byte(strings.Join(slices.Insert(now, rapid.IntRange(0, len(now)).Draw(t, "at"), fmt.Sprintf("By hand %d.\n", byHand)), ""))
			case "other order":
				e.index = []byte(strings.Join(rapid.Permutation(slices.Collect(strings.Lines(string(e.index)))).Draw(t, "order"), ""))
			}
			if _, out := e.out[file]; !out {
				before := bytes.Clone(e.index)
				e.remove(file)
				e.restore(file)
				if !bytes.Equal(before, e.index) {
					t.Fatalf("with %v out, %s removed and restored made of\n%s\nthis:\n%s", e.out, file, before, e.index)
				}
			}
		}
	})
}
