package recall

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"

	"memoir/internal/recall/ranking"
	"memoir/internal/records"
)

const (
	// maxMeaning is how long a recall waits for the memories that are near by meaning. A hook has 1 s in
	// all. Arbitrary.
	maxMeaning = 400 * time.Millisecond
	// nearest is how many memories are looked up by meaning. Arbitrary.
	nearest = 20
	// minCompared is the number of memories from which their similarities have a distribution. Arbitrary.
	minCompared = 8
	// rankOffset is k of reciprocal rank fusion, as in Cormack, Clarke and Büttcher (2009).
	rankOffset = 60
)

// byMeaning returns the memories that are nearest to a query by meaning, without those in given. It
// returns none if there is no endpoint, and if the endpoint does not answer within maxMeaning: words
// choose alone then, and Settings shows the error.
func (r *Recaller) byMeaning(ctx context.Context, from records.RecallSources, request Request, given map[uuid.UUID]bool) records.NearMemories {
	if r.options.Meaning == nil || request.ReadOnly {
		return records.NearMemories{}
	}
	ctx, cancel := context.WithTimeout(ctx, maxMeaning)
	defer cancel()
	near, err := r.options.Meaning.Nearest(ctx, from, request.Query, nearest+len(given))
	if err != nil {
		r.options.Log.DebugContext(ctx, "no search by meaning", "error", err)
		return records.NearMemories{}
	}
	near.Memories = slices.DeleteFunc(near.Memories, func(m records.NearMemory) bool { return given[m.ID] })
	return near
}

// minSimilarity returns the similarity from which a memory is near. The largest of n normally
// distributed similarities is expected at √(2 ln n) deviations above the mean; half a deviation more is the margin.
func minSimilarity(near records.NearMemories) float64 {
	if near.Compared < minCompared {
		return math.Inf(1)
	}
	return near.Mean + (0.5+math.Sqrt(2*math.Log(float64(near.Compared))))*near.Deviation
}

// fuse returns the memories that words or meaning found, the strong ones first, each group by
// reciprocal rank fusion. A memory is weak if it is neither an answer by its words nor near.
func fuse(found ranking.Ranking, near records.NearMemories) []records.RecallChoice {
	type fused struct {
		records.RecallChoice
		score float64
	}
	var all []*fused
	byID := map[uuid.UUID]*fused{}
	add := func(id uuid.UUID, rank int, isStrong bool, why []string) {
		f := byID[id]
		if f == nil {
			f = &fused{RecallChoice: records.RecallChoice{ID: id, Weak: true}}
			byID[id], all = f, append(all, f)
		}
		f.score += 1 / float64(rankOffset+rank)
		f.Weak = f.Weak && !isStrong
		f.Why = append(f.Why, why...)
	}
	ruledOut := map[uuid.UUID]bool{}
	for rank, m := range slices.Concat(found.Answers, found.Rest) {
		id := uuid.MustParse(m.ID)
		ruledOut[id] = m.Rejected == ranking.Superseded || m.Rejected == ranking.Excluded
		add(id, rank, m.Rejected == "", m.Why())
	}
	least := minSimilarity(near)
	for rank, m := range near.Memories {
		isNear := m.Similarity >= least
		if ruledOut[m.ID] || !isNear && byID[m.ID] == nil {
			continue
		}
		var why []string
		if isNear {
			why = []string{"its meaning is near the question"}
		}
		add(m.ID, rank, isNear, why)
	}
	slices.SortStableFunc(all, func(a, b *fused) int { return cmp.Compare(b.score, a.score) })
	var strong, weak []records.RecallChoice
	for _, f := range all {
		if f.Weak {
			weak = append(weak, f.RecallChoice)
		} else {
			strong = append(strong, f.RecallChoice)
		}
	}
	return append(strong, weak...)
}
