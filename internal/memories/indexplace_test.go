package memories_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"memoir/internal/memories"
)

// edited is an index out of which entries are taken, one memory at a time, and put back.
type edited struct {
	t     rapid.TB
	index []byte
	out   map[string][]memories.IndexLine // by file
}

func (e *edited) remove(file string) {
	index, gone := memories.RemoveFromIndex(e.index, removing(file))
	kept, err := json.Marshal(gone)
	if err != nil {
		e.t.Fatal(err)
	}
	var lines []memories.IndexLine
	if err := json.Unmarshal(kept, &lines); err != nil {
		e.t.Fatal(err)
	}
	e.index, e.out[file] = index, lines
}

func (e *edited) restore(file string) {
	back := e.out[file]
	delete(e.out, file)
	var others []*memories.IndexLine
	for _, lines := range e.out { // in any order
		for i := range lines {
			others = append(others, &lines[i])
		}
	}
	e.index = memories.RestoreToIndex(e.index, back, others...)
	memories.NoteRestored(e.index, back, others...)
}

// change takes a file's entry out, or puts it back.
func (e *edited) change(file string) {
	if _, out := e.out[file]; out {
		e.restore(file)
		return
	}
	e.remove(file)
}

func TestEntriesComeBackInTheirOrderWhicheverGoesAndComesBackFirst(t *testing.T) {
	t.Parallel()
	const index = "# Index\n\n- [A](a.md)\n- [B](b.md)\n- [C](c.md)\n"
	for _, tt := range []struct{ name, index, changes string }{
		{"the first removed comes back first", index, "abc abc"},
		{"the last removed comes back first", index, "abc cba"},
		{"from the end, and back from the end", index, "cba cba"},
		{"the middle one last", index, "bac acb"},
		{"the middle one first", index, "acb bca"},
		{"one comes back and goes again", index, "ab aa ba"},
		{"one comes back and goes again before its neighbour does", index, "abc a a c b a"},
		{"two come and go by turns", index, "ab b b a a b a"},
		{"entries apart from each other", "- [A](a.md)\n\n- [B](b.md)\n\n\n- [C](c.md)\n", "bac cab"},
		{"sections", "# A\n\n- [A](a.md)\n\n# B\n\n- [B](b.md)\n\n# C\n\n- [C](c.md)\n", "abc abc"},
		{"nothing else in the index", "- [A](a.md)\n- [B](b.md)\n- [C](c.md)", "cab bac"},
		{"Windows' line ends", "\uFEFF# Index\r\n\r\n- [A](a.md)\r\n- [B](b.md)\r\n- [C](c.md)\r\n", "bca abc"},
		{"an entry beside one with two links", "- [X](x.md)\n- [A](a.md), [B](b.md) — both\n- [C](c.md)\n", "ca ac"},
		{"an entry below what is left of one with two links", "- [A](a.md), [B](b.md) — both\n- [C](c.md)\n", "ac ac"},
		{"an entry below what is left of one with two links, the last removed first", "- [A](a.md), [B](b.md) — both\n- [C](c.md)\n", "abc bca"},
		{"two entries of one memory", "- [A](a.md)\n- [B](b.md)\n- [A again](a.md)\n- [C](c.md)\n", "bac abc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := &edited{t, []byte(tt.index), map[string][]memories.IndexLine{}}
			for _, file := range strings.ReplaceAll(tt.changes, " ", "") {
				e.change(string(file) + ".md")
			}
			if string(e.index) != tt.index {
				t.Errorf("it is\n%q, not\n%q", e.index, tt.index)
			}
		})
	}
}

// anyIndex is an index with an entry for each of the files, and whatever else; no line that says something is in it twice.
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

func TestWhateverIsRemovedAndRestoredAnIndexIsWhatItWasWithoutWhatIsRemoved(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines, files := anyIndex(t)
		if len(files) == 0 {
			t.Skip("there is nothing to remove")
		}
		e := &edited{t, []byte(strings.Join(lines, "")), map[string][]memories.IndexLine{}}
		for range rapid.IntRange(1, 40).Draw(t, "changes") {
			e.change(rapid.SampledFrom(files).Draw(t, "file"))
			want := ""
			for _, line := range lines {
				if !slices.ContainsFunc(files, func(file string) bool { return e.out[file] != nil && strings.Contains(line, "("+file+")") }) {
					want += line
				}
			}
			if string(e.index) != want {
				t.Fatalf("it is\n%s\nand not\n%s", e.index, want)
			}
		}
	})
}

func TestAnIndexThatIsEditedByHandMeanwhileLosesNothingAndADeletionIsUndone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines, files := anyIndex(t)
		if len(files) == 0 {
			t.Skip("there is nothing to remove")
		}
		e := &edited{t, []byte(strings.Join(lines, "")), map[string][]memories.IndexLine{}}
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
