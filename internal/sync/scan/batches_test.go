package scan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
	"memoir/internal/sync/reconcile"
)

func keyNamed(name string) batchKey { return batchKey{Key: memories.Key{Name: name}} }

// wholeOf returns a batch of count files of the given size. The file at index i has the key
// nameOf(i).
func wholeOf(count int, size int64, nameOf func(i int) string) batch {
	var b batch
	for i := range count {
		b.entries = append(b.entries, &agents.Entry{Path: fmt.Sprintf("memory/%06d.md", i), Size: size})
		b.keys = append(b.keys, keyNamed(nameOf(i)))
	}
	return b
}

func TestBatch_Split(t *testing.T) {
	t.Parallel()
	const full = maxBatchFiles
	unique := func(i int) string { return fmt.Sprint(i) }
	withRemoved := wholeOf(3, 1, unique)
	withRemoved.removed = []records.File{{Path: "memory/gone.md"}}
	for _, tt := range []struct {
		name  string
		whole batch
		moved map[batchKey]bool
		want  []int // files of each batch
	}{
		{"no file", batch{}, nil, nil},
		{"few files", wholeOf(3, 1, unique), nil, []int{3}},
		{"exactly one batch", wholeOf(full, 1, unique), nil, []int{full}},
		{"one file more", wholeOf(full+1, 1, unique), nil, []int{full, 1}},
		{"limit of bytes", wholeOf(40, 1<<19, unique), nil, []int{32, 8}},
		{"too large files are cut", wholeOf(17, 1<<40, unique), nil, []int{16, 1}},
		{"one key exceeds the limit", wholeOf(full+5, 1, func(int) string { return "a" }), nil, []int{full + 5}},
		{"key of first and last", wholeOf(full+1, 1, func(i int) string { return fmt.Sprint(i % full) }), nil, []int{full, 1}},
		{"moved keys come first", wholeOf(3, 1, unique), map[batchKey]bool{keyNamed("2"): true}, []int{1, 2}},
		{"removed files come first", withRemoved, nil, []int{0, 3}},
		{"moved and removed together", withRemoved, map[batchKey]bool{keyNamed("0"): true}, []int{1, 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			batches := tt.whole.split(tt.moved)
			var got []int
			batchOf := map[batchKey]int{}
			for i, b := range batches {
				got = append(got, len(b.entries))
				if len(b.keys) != len(b.entries) {
					t.Errorf("batch %d has %d keys and %d entries", i, len(b.keys), len(b.entries))
				}
				if !slices.IsSortedFunc(b.entries, func(a, b *agents.Entry) int { return strings.Compare(a.Path, b.Path) }) {
					t.Errorf("batch %d is not in the order of the files", i)
				}
				if len(b.removed) != 0 && i > 0 {
					t.Errorf("batch %d has removed files, want them in the first", i)
				}
				for _, key := range b.keys {
					if before, ok := batchOf[key]; ok && before != i {
						t.Errorf("key %q is in batches %d and %d", key.Name, before, i)
					}
					batchOf[key] = i
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("split() = %d files, want %d", got, tt.want)
			}
			if len(batches) > 0 && len(batches[0].removed) != len(tt.whole.removed) {
				t.Errorf("first batch has %d removed files, want %d", len(batches[0].removed), len(tt.whole.removed))
			}
			for key := range tt.moved {
				if batchOf[key] != 0 {
					t.Errorf("moved key %q is in batch %d, want 0", key.Name, batchOf[key])
				}
			}
		})
	}
}

func TestBatch_Fits(t *testing.T) {
	t.Parallel()
	same := func(int) string { return "a" }
	for _, tt := range []struct {
		name  string
		whole batch
		want  bool
	}{
		{"no file", batch{}, true},
		{"as many files as allowed", wholeOf(maxBatchFiles, 1, same), true},
		{"one file too many", wholeOf(maxBatchFiles+1, 1, same), false},
		{"as many bytes as allowed", wholeOf(16, 1<<20, same), true},
		{"too many bytes", wholeOf(17, 1<<20, same), false},
		{"too large files are cut", wholeOf(16, 1<<40, same), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.whole.fits(); got != tt.want {
				t.Errorf("fits() = %t, want %t", got, tt.want)
			}
		})
	}
}

func TestKeyOf_Unreadable(t *testing.T) {
	t.Parallel()
	readable := reconcile.ScannedFile{Path: "memory/team/a.md", Team: true, File: frontmatter.File{Name: "tabs"}}
	if got, want := keyOf(readable), (batchKey{memories.Key{Name: "tabs", Team: true}, false}); got != want {
		t.Errorf("keyOf(readable) = %v, want %v", got, want)
	}
	unreadable := readable
	unreadable.File.Unreadable = true
	if got, want := keyOf(unreadable), (batchKey{memories.Key{Name: "memory/team/a.md"}, true}); got != want {
		t.Errorf("keyOf(unreadable) = %v, want %v", got, want)
	}
}
