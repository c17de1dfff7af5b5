package recall

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/recall/ranking"
	"memoir/internal/records"
)

const (
	// maxHits limits the memories looked up per term. A term in more memories hardly distinguishes
	// them. It is arbitrary.
	maxHits = 2000
	// maxRead limits the memories that are read and ranked. A deliberate request reads more, because it
	// also gives memories that hardly fit. Its limit is maxReadDeliberate. Both are arbitrary.
	maxRead           = 40
	maxReadDeliberate = 200
	// maxText is how many characters of a memory are read. A longer text is a log, not a memory.
	maxText = 64 << 10
)

// byKeyword ranks the memories of the agents in from by the words of the request's query. It ranks only
// the most promising ones. before is the session's query before this one, or empty. It leaves out
// the memories in given, which the session has received. total is the number of memories of the
// agents, candidates that of the memories with a match. A query without searchable words gives an empty ranking and no error.
func (r *Recaller) byKeyword(ctx context.Context, from records.RecallSources, total int, request Request, before string, given map[uuid.UUID]bool) (q ranking.Question, found ranking.Ranking, candidates int, err error) {
	if q, err = r.parse(ctx, request.Query, before); err != nil || len(q.Terms) == 0 {
		return q, found, 0, err
	}
	terms := make([]records.RecallTerm, len(q.Terms))
	for i, t := range q.Terms {
		for _, v := range t.Variants {
			if v.Run {
				terms[i].Runs = append(terms[i].Runs, v.Word)
			} else {
				terms[i].Words = append(terms[i].Words, v.Word)
			}
		}
	}
	hits, err := r.store.Hits(ctx, from, terms, maxHits)
	if err != nil {
		return q, found, 0, err
	}
	counts := make([]int, len(hits))
	for i := range hits {
		counts[i] = len(hits[i])
	}
	q.Weigh(counts, total)
	// Memories in given are ranked too: a poor match must not look better because the best one is
	// left out.
	most := maxRead + min(len(given), maxRead)
	if request.Deliberate {
		most = maxReadDeliberate
	}
	promising, n := mostPromising(q.Terms, hits, most)
	texts, err := r.store.Texts(ctx, from, promising, maxText)
	if err != nil {
		return q, found, 0, err
	}
	found = q.Rank(texts, r.now())
	isGiven := func(m ranking.Ranked) bool { return given[uuid.MustParse(m.ID)] }
	found.Answers, found.Rest = slices.DeleteFunc(found.Answers, isGiven), slices.DeleteFunc(found.Rest, isGiven)
	return q, found, min(n, MaxCandidates), nil
}

// parse returns a query with the variants of its terms among the words of all memories.
func (r *Recaller) parse(ctx context.Context, query, before string) (ranking.Question, error) {
	q := ranking.Parse(query, before)
	var vocabulary []string
	if prefixes := q.Prefixes(); len(prefixes) > 0 {
		var err error
		if vocabulary, err = r.store.WordsWithPrefix(ctx, prefixes); err != nil {
			return q, err
		}
	}
	similar, err := r.store.SimilarWords(ctx, q.Expand(vocabulary))
	if err == nil {
		q.Correct(similar)
	}
	return q, err
}

// mostPromising returns the ids of the memories with the highest sum of the weights of their terms,
// at most limit and best first. n is the number of memories with any term. hits[i] has the ids of the
// memories that contain terms[i]. Of equal sums, the newer memory is first.
func mostPromising(terms []ranking.Term, hits [][]uuid.UUID, limit int) (best []uuid.UUID, n int) {
	weights := map[uuid.UUID]float64{}
	for i, ids := range hits {
		for _, id := range ids {
			weights[id] += terms[i].Weight()
		}
	}
	byWeight := func(a, b uuid.UUID) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), bytes.Compare(b[:], a[:]))
	}
	for id := range weights {
		if at, _ := slices.BinarySearchFunc(best, id, byWeight); at < limit {
			best = slices.Insert(best[:min(len(best), limit-1)], at, id)
		}
	}
	return best, len(weights)
}

// RankTexts returns the best memories in all for a query, with reasons, best first and at most
// MaxChosen. Those that hardly fit are weak. It uses no database and saves nothing.
func RankTexts(query string, all []memories.Memory, now time.Time) []Choice {
	var chosen []Choice
	for _, m := range ranking.Texts(query, all, now).Best(MaxChosen) {
		chosen = append(chosen, Choice{m.Memory, m.Why(), m.Rejected != ""})
	}
	return chosen
}

// Choice is a memory that fits a query, with the reasons.
type Choice struct {
	memories.Memory
	Why  []string
	Weak bool
}
