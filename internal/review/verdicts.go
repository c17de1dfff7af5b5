package review

import (
	"cmp"
	"context"
	"slices"
	"time"

	"memoir/internal/findings"
	"memoir/internal/records"
)

// The verdicts of the model. The first five are about pairs, the next two about single memories.
const (
	verdictSame       = "same"       // one fact, and neither says more
	verdictNear       = "near"       // one fact, and one says more
	verdictContradict = "contradict" // both cannot hold
	verdictSupersedes = "supersedes" // one replaces the other
	verdictUnrelated  = "unrelated"  // both can hold, about different things
	verdictKeep       = "keep"       // it holds, or stays useful
	verdictRemove     = "remove"     // it is over, or of no use
	// verdictUnknown means that the model gave no usable answer. It has no effect.
	verdictUnknown = "unknown"
)

// pairKind is the kind of a question about a pair. Those about single memories have their finding's.
const pairKind findings.Kind = "pair"

const (
	// judgedNearest is the number of nearest memories of each that the model compares it with.
	judgedNearest = 3
	// judgedScore is the similarity from which it does. It gives 1 pair per memory of the messy set,
	// among them 78 of its 81 true ones.
	judgedScore = 0.15
	// certainScore is the similarity from which the model cannot remove a pair that rules found. On
	// the messy set, 54 of 55 such pairs are right, and 19 of 25 below.
	certainScore = 0.5
	// maxOpen is the number of open questions of an agent (arbitrary): more than a day's tokens.
	maxOpen = 1000
	// clearAge is the difference in age from which the newer memory is the one to keep, as in
	// package pairs.
	clearAge = time.Hour
)

// sides are the ids of a pair, the smaller one first.
type sides [2]string

func sidesOf(a, b string) sides { return sides{min(a, b), max(a, b)} }

// candidate is a pair for the model.
type candidate struct {
	sides
	score float64
}

// candidatesOf returns the pairs for the model, the most similar first. They are each memory with its
// nearest ones, and the pairs of rules. Pairs that the texts state themselves are left out.
func (x *examination) candidatesOf(found []findings.Pair) []candidate {
	copies, scores := map[string]bool{}, map[sides]float64{}
	for _, p := range found {
		if p.IsStated && p.Kind == findings.Duplicate {
			copies[p.B] = true // compared by its original
		}
	}
	for id := range x.contents {
		if copies[id] {
			continue
		}
		for _, n := range x.index.Nearest(id, judgedNearest) {
			if n.Score >= judgedScore {
				scores[sidesOf(id, n.ID)] = n.Score
			}
		}
	}
	for _, p := range found {
		if scores[sidesOf(p.A, p.B)] = p.Score; p.IsStated {
			delete(scores, sidesOf(p.A, p.B))
		}
	}
	all := make([]candidate, 0, len(scores))
	for of, score := range scores {
		all = append(all, candidate{of, score})
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), slices.Compare(a.sides[:], b.sides[:]))
	})
	return all
}

// openQuestions returns what the model is to be asked: whether the open items of doubtful kinds are
// right, and the candidates without a verdict and a decision.
func (x *examination) openQuestions(ctx context.Context, open []records.ReviewItem, isDecided decisions) ([]records.ReviewQuestion, error) {
	judged := map[string][]string{}
	for _, v := range x.verdicts {
		judged[v.ID] = v.Memories
	}
	var questions []records.ReviewQuestion
	for _, item := range open {
		if isDoubtful(item) && judged[item.ID] == nil {
			questions = append(questions, records.ReviewQuestion{ID: item.ID, Kind: string(item.Kind), Memories: []string{item.Memories[0].ID}, Score: 1})
		}
	}
	var unjudged []records.ReviewQuestion
	for _, c := range x.candidates {
		id := x.pairID(pairKind, c.sides)
		if !slices.Equal(judged[id], c.sides[:]) {
			unjudged = append(unjudged, records.ReviewQuestion{ID: id, Kind: string(pairKind), Memories: c.sides[:], Score: c.score})
		}
	}
	for chunk := range slices.Chunk(unjudged, 500) {
		var ids []string
		for _, q := range chunk {
			ids = append(ids, x.pairID(findings.Duplicate, sides(q.Memories)), x.pairID(findings.Contradiction, sides(q.Memories)))
		}
		decided, err := isDecided(ctx, ids)
		if err != nil {
			return nil, err
		}
		for i, q := range chunk {
			if !decided[ids[2*i]] && !decided[ids[2*i+1]] {
				questions = append(questions, q)
			}
		}
		if len(questions) >= maxOpen {
			break
		}
	}
	return questions[:min(len(questions), maxOpen)], nil
}

// pairID returns the id of a pair for a kind, by the contents of its memories.
func (x *examination) pairID(k findings.Kind, of sides) string {
	return findings.ItemID(k, x.agent.Slug, x.contents[of[0]], x.contents[of[1]])
}

// isDoubtful reports whether a model is to be asked if an item is right.
func isDoubtful(item records.ReviewItem) bool {
	return (item.Kind == findings.Expired || item.Kind == findings.Junk) && len(item.Memories) == 1
}

// judgeItems changes the items of doubtful kinds by their verdicts. Junk that the model wants to
// keep is no item, because nothing is lost. A passed date stays one, with another recommendation.
func (x *examination) judgeItems() {
	judged := map[string]records.ReviewVerdict{}
	for _, v := range x.verdicts {
		judged[v.ID] = v
	}
	x.items = slices.DeleteFunc(x.items, func(item records.ReviewItem) bool {
		return item.Kind == findings.Junk && judged[item.ID].Verdict == verdictKeep
	})
	for i := range x.items {
		item := &x.items[i]
		v, ok := judged[item.ID]
		if !ok || !isDoubtful(*item) || v.Verdict == verdictUnknown {
			continue
		}
		item.Reason = cmp.Or(v.Reason, item.Reason)
		if v.Verdict == verdictKeep {
			item.Keep = item.Memories[0].ID
		}
	}
}

// judgePairs changes the pairs that rules found by the verdicts, and adds the other pairs with one.
// A verdict about former contents has no effect. texts has all memories of both.
func (x *examination) judgePairs(found []findings.Pair, texts map[string]records.ReviewText) []findings.Pair {
	judged := map[sides]records.ReviewVerdict{}
	for _, v := range x.verdicts {
		if v.Kind != string(pairKind) || len(v.Memories) != 2 {
			continue
		}
		a, hasA := texts[v.Memories[0]]
		b, hasB := texts[v.Memories[1]]
		if hasA && hasB && itemID(pairKind, x.agent.Slug, a, b) == v.ID {
			judged[sidesOf(a.ID, b.ID)] = v
		}
	}
	var kept []findings.Pair
	for _, p := range found {
		of := sidesOf(p.A, p.B)
		v, ok := judged[of]
		delete(judged, of)
		former := p.Kind
		if ok {
			p, ok = judgedPair(p, v, texts[p.A], texts[p.B])
		} else {
			ok = true
		}
		if ok {
			if p.Kind != former {
				x.former[of] = former
			}
			kept = append(kept, p)
			x.proposeMerge(p, v)
		}
	}
	for of, v := range judged {
		if p, ok := judgedPair(findings.Pair{A: of[0], B: of[1], Score: v.Score}, v, texts[of[0]], texts[of[1]]); ok {
			kept = append(kept, p)
			x.proposeMerge(p, v)
		}
	}
	return kept
}

// proposeMerge keeps the merged text of a verdict for the item about a pair.
func (x *examination) proposeMerge(p findings.Pair, v records.ReviewVerdict) {
	if v.Merge != nil && p.Kind == findings.Duplicate {
		x.merges[sidesOf(p.A, p.B)] = v.Merge
	}
}

// defaultReasons are the reasons of verdicts without one.
var defaultReasons = map[string]string{
	verdictSame: "Same fact, says the model", verdictNear: "Nearly the same, says the model",
	verdictContradict: "Both cannot hold, says the model", verdictSupersedes: "One replaces the other, says the model",
}

// judgedPair returns a pair after its verdict, or false if it is not to be shown. p.Kind is empty if
// rules did not find it. The model cannot change a pair that the texts state themselves. It removes
// a pair of rules only if its similarity is below certainScore.
func judgedPair(p findings.Pair, v records.ReviewVerdict, a, b records.ReviewText) (findings.Pair, bool) {
	kind := findings.Duplicate
	switch v.Verdict {
	case verdictSame, verdictNear:
	case verdictContradict, verdictSupersedes:
		kind = findings.Contradiction
	case verdictUnrelated:
		return p, p.Kind != "" && (p.IsStated || p.Score >= certainScore)
	default:
		return p, p.Kind != ""
	}
	if p.IsStated {
		return p, true
	}
	if p.Kind != kind {
		p.Keep, p.Spans = newer(a, b), [2][]findings.Span{}
	}
	p.Kind, p.Reason, p.Keep = kind, cmp.Or(v.Reason, defaultReasons[v.Verdict]), cmp.Or(v.Keep, p.Keep)
	return p, true
}

// newer returns the id of the memory whose content is newer by at least clearAge, or "".
func newer(a, b records.ReviewText) string {
	switch age := a.ContentAt.Sub(b.ContentAt); {
	case a.ContentAt.IsZero() || b.ContentAt.IsZero():
		return ""
	case age >= clearAge:
		return a.ID
	case age <= -clearAge:
		return b.ID
	}
	return ""
}
