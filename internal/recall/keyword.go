package recall

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/words"
)

const (
	// maxHits limits the memories looked up per term. A term in more memories hardly distinguishes
	// them. It is arbitrary.
	maxHits = 2000
	// maxRead limits the memories that are read and ranked. It is arbitrary.
	maxRead = 60
	// maxMisspelt limits the unknown terms for which similar words are searched. Each takes 1 ms in
	// Postgres.
	maxMisspelt = 6
)

// ranking is the result of ranking memories by a query.
type ranking struct {
	terms []scoredTerm
	// best first; short match too little
	answers, short []ranked
	candidates     int // number of memories with a match
}

// byKeyword ranks the memories of the agents in from by the words of a query. It ranks only the
// maxRead most promising ones. It leaves out the memories in given, which the session has
// received. total is the number of memories of the agents. A query without searchable words gives
// an empty ranking and no error.
func (r *Recaller) byKeyword(ctx context.Context, from records.RecallSources, total int, query string, given map[uuid.UUID]bool) (ranking, error) {
	terms, err := r.termsFor(ctx, query)
	if err != nil || len(terms) == 0 {
		return ranking{}, err
	}
	searchTerms := make([]records.RecallTerm, len(terms))
	for i, w := range terms {
		searchTerms[i] = w.searchTerm()
	}
	hits, err := r.store.Hits(ctx, from, searchTerms, maxHits)
	if err != nil {
		return ranking{}, err
	}
	for i := range terms {
		terms[i].matches = len(hits[i])
		terms[i].idf = idfOf(terms[i].matches, total)
	}
	// Memories in given are ranked too: a poor match must not look better because the best one is
	// left out.
	promising, n := mostPromising(terms, hits, maxRead+min(len(given), maxRead))
	texts, err := r.store.Texts(ctx, from, promising, MaxBytes)
	if err != nil {
		return ranking{}, err
	}
	answers, short := rank(documents(texts), terms, r.now())
	ungiven := func(all []ranked) []ranked {
		return slices.DeleteFunc(all, func(m ranked) bool { return given[uuid.MustParse(m.ID)] })
	}
	return ranking{terms: terms, answers: ungiven(answers), short: ungiven(short), candidates: min(n, MaxCandidates)}, nil
}

// termsFor returns the terms of a query with the variants of each: forms, synonyms and compounds
// among the words of all memories. The first maxMisspelt terms that no memory has also get similar
// words. It does not set idf and matches. A query without searchable words has no terms.
func (r *Recaller) termsFor(ctx context.Context, query string) ([]scoredTerm, error) {
	terms, spoken := termsOf(query)
	var prefixes []string
	for _, t := range terms {
		if b := t.prefix(); b != "" {
			prefixes = append(prefixes, b)
		}
	}
	var vocabulary []string
	if len(prefixes) > 0 {
		var err error
		if vocabulary, err = r.store.WordsWithPrefix(ctx, prefixes); err != nil {
			return nil, err
		}
	}
	known := vocabularyOf(vocabulary, terms)
	var unknown []string
	for i, t := range terms {
		if words.MaxTypos(t.word) > 0 && !t.run && !t.isKnown(known[i], spoken) && len(unknown) < maxMisspelt {
			unknown = append(unknown, t.word)
		}
	}
	similar, err := r.store.SimilarWords(ctx, unknown)
	if err != nil {
		return nil, err
	}
	scored := make([]scoredTerm, len(terms))
	for i, t := range terms {
		scored[i] = scoredTerm{term: t, variants: append(t.variants(known[i], spoken), t.misspellings(similar[t.word])...)}
	}
	return scored, nil
}

// vocabularyOf returns for each term the words of the vocabulary that start with its prefix, and
// so may be forms of it. A term without a prefix has none. It sorts vocabulary in place; the
// results are parts of it.
func vocabularyOf(vocabulary []string, terms []term) [][]string {
	slices.Sort(vocabulary)
	of := make([][]string, len(terms))
	for i, t := range terms {
		b := t.prefix()
		if b == "" {
			continue
		}
		from, _ := slices.BinarySearch(vocabulary, b)
		to, _ := slices.BinarySearch(vocabulary, b+"\U0010FFFF")
		of[i] = vocabulary[from:to]
	}
	return of
}

// searchTerm returns the variants of the term for the search in the database. They are in Runs if
// the term is a run of characters, else in Words.
func (w scoredTerm) searchTerm() records.RecallTerm {
	var s records.RecallTerm
	for _, v := range w.variants {
		if w.run {
			s.Runs = append(s.Runs, v.word)
		} else {
			s.Words = append(s.Words, v.word)
		}
	}
	return s
}

// mostPromising returns the ids of the memories with the highest sum of the idf of their terms, at
// most limit and best first. n is the number of memories with any term. hits[i] has the ids of the
// memories that contain terms[i]. Of equal sums, the newer memory is first.
func mostPromising(terms []scoredTerm, hits [][]uuid.UUID, limit int) (best []uuid.UUID, n int) {
	weights := map[uuid.UUID]float64{}
	for i, ids := range hits {
		for _, id := range ids {
			weights[id] += terms[i].idf
		}
	}
	better := func(a, b uuid.UUID) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), bytes.Compare(b[:], a[:]))
	}
	best = slices.SortedFunc(maps.Keys(weights), better)
	return best[:min(len(best), limit)], len(weights)
}

// maxReasons is how many matched terms are reported as reasons.
const maxReasons = 4

// strongest returns the memory's matches, the ones with most weight first and at most maxReasons.
func (r ranked) strongest() []termMatch {
	strongest := slices.Clone(r.matches)
	slices.SortStableFunc(strongest, func(a, b termMatch) int {
		return cmp.Compare(b.value*b.of.idf, a.value*a.of.idf)
	})
	return strongest[:min(len(strongest), maxReasons)]
}

// why returns a sentence for users about each of the memory's strongest matches.
func (r ranked) why() []string {
	var reasons []string
	for _, e := range r.strongest() {
		reason := fmt.Sprintf("“%s” is in its %s", e.word, e.in)
		if e.word != e.of.word {
			reason += fmt.Sprintf(", for “%s”", e.of.word)
		}
		reasons = append(reasons, reason)
	}
	return reasons
}

// RankTexts returns the memories in all that answer a query, with reasons, best first and at most
// MaxChosen. It uses no database and saves nothing. It returns nil if no memory answers the query
// or the query has no searchable words.
func RankTexts(query string, all []memories.Memory, now time.Time) []Choice {
	read := documents(all)
	vocabulary := wordsOf(read)
	terms, spoken := termsOf(query)
	if len(terms) == 0 {
		return nil
	}
	known := vocabularyOf(vocabulary, terms)
	scored := make([]scoredTerm, len(terms))
	for i, t := range terms {
		scored[i] = scoredTerm{term: t, variants: t.variants(known[i], spoken)}
		if words.MaxTypos(t.word) > 0 && !t.run && !t.isKnown(known[i], spoken) {
			scored[i].variants = append(scored[i].variants, t.misspellings(vocabulary)...)
		}
		for _, d := range read {
			if len(d.matches(scored[i:i+1])) > 0 {
				scored[i].matches++
			}
		}
		scored[i].idf = idfOf(scored[i].matches, len(all))
	}
	var chosen []Choice
	answers, _ := rank(read, scored, now)
	for _, r := range answers[:min(len(answers), MaxChosen)] {
		chosen = append(chosen, Choice{r.Memory, r.why()})
	}
	return chosen
}

// wordsOf returns the words of the memories for which words.CanBeMeant is true, each once and in
// any order.
func wordsOf(all []document) []string {
	seen := map[string]bool{}
	for _, d := range all {
		for _, t := range d.texts {
			for word := range t.words {
				if words.CanBeMeant(word) {
					seen[word] = true
				}
			}
		}
	}
	return slices.Collect(maps.Keys(seen))
}

// Choice is a memory that fits a query, with the reasons.
type Choice struct {
	memories.Memory
	Why []string
}
