package claudemd

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"memoir/internal/memories"
)

// Most names differ in their first bytes, these do not.
func TestSorted_AsInBlock(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		heading := rapid.Custom(func(t *rapid.T) Summary {
			return Summary{
				ID:     rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "id"),
				Name:   rapid.SampledFrom([]string{"", "a", "ab", "Release", "Release 1", "Release 10", "Release 2", "Releasf", "é", "éa", "\U0010ffff", "zzzzzzz", "zzzzzzz\x7f"}).Draw(t, "name"),
				Team:   rapid.Bool().Draw(t, "team"),
				Shared: rapid.SampledFrom([]string{"", "shared"}).Draw(t, "shared"),
				Type:   rapid.SampledFrom(append(memories.Types(), "")).Draw(t, "type"),
			}
		})
		ms := rapid.SliceOfN(heading, 0, 40).Draw(t, "memories")
		want := slices.Clone(ms)
		slices.SortFunc(want, func(a, b Summary) int { return inBlock(&a, &b) })
		if sorted := Sorted(ms); !slices.Equal(sorted, want) {
			t.Fatalf("%v, want %v", sorted, want)
		}
	})
}

func TestType_Order(t *testing.T) {
	t.Parallel()
	for i, of := range memories.Types() {
		if of.Order() != i {
			t.Errorf("%s is in place %d, not %d", of, of.Order(), i)
		}
	}
	if memories.Type("note").Order() != -1 || memories.Type("").Order() != -1 {
		t.Error("what is no type has a place")
	}
}
