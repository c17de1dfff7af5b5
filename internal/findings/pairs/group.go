package pairs

import (
	"cmp"
	"slices"

	"memoir/internal/findings"
)

// maxGroup is the number of memories that a person can compare at once.
const maxGroup = 4

// Set is two to four memories that are joined by pairs of one kind.
type Set struct {
	Kind findings.Kind
	IDs  []string // sorted
	// Pairs are those between the memories, the most similar first. The set has the reason of the
	// first one.
	Pairs []findings.Pair
}

// Group joins pairs of one kind that have a memory in common into sets, the most similar pairs
// first. A pair between two sets that are too large together is left out: both of its memories are
// in a set. A memory can be in two sets if its first one is full. Sets are sorted by kind and IDs.
// The result does not depend on the order of all.
func Group(all []findings.Pair) []Set {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, comparePairs)
	type member struct {
		kind findings.Kind
		id   string
	}
	var sets []*Set
	of := map[member]*Set{} // the last set of each memory
	for _, p := range sorted {
		a, b := of[member{p.Kind, p.A}], of[member{p.Kind, p.B}]
		joined := a
		switch {
		case a != nil && a == b:
		case a != nil && b != nil && len(a.IDs)+len(b.IDs) <= maxGroup:
			a.IDs, a.Pairs = append(a.IDs, b.IDs...), append(a.Pairs, b.Pairs...)
			b.IDs, b.Pairs = nil, nil
		case a != nil && b != nil:
			continue
		case a != nil && len(a.IDs) < maxGroup:
			a.IDs = append(a.IDs, p.B)
		case b != nil && len(b.IDs) < maxGroup:
			joined = b
			b.IDs = append(b.IDs, p.A)
		default:
			joined = &Set{Kind: p.Kind, IDs: []string{p.A, p.B}}
			sets = append(sets, joined)
		}
		joined.Pairs = append(joined.Pairs, p)
		for _, id := range joined.IDs {
			of[member{p.Kind, id}] = joined
		}
	}
	var found []Set
	for _, s := range sets {
		if len(s.IDs) > 0 {
			slices.Sort(s.IDs)
			slices.SortFunc(s.Pairs, comparePairs)
			found = append(found, *s)
		}
	}
	slices.SortFunc(found, func(s, t Set) int { return cmp.Or(cmp.Compare(s.Kind, t.Kind), slices.Compare(s.IDs, t.IDs)) })
	return found
}

// comparePairs sorts pairs by kind, similarity, and IDs.
func comparePairs(p, q findings.Pair) int {
	return cmp.Or(cmp.Compare(p.Kind, q.Kind), cmp.Compare(q.Score, p.Score), cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B))
}
