package recall

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"memoir/internal/memories"
	"memoir/internal/words"
)

// scoredTerm is a term of a query with its variants and weight.
type scoredTerm struct {
	term
	variants []variant
	// idf is the term's inverse document frequency, scaled to 0–1: 1 if one memory has the term,
	// near 0 if all have it.
	idf float64
	// matches is the number of memories that have the term.
	matches int
}

// assumedOthers is how many memories without any term are added to an agent's. Without them, a term
// that both of two memories have would weigh nothing. It is arbitrary.
const assumedOthers = 30

// idfOf returns the inverse document frequency of a term that count of total memories have, scaled
// to 0–1. It adds assumedOthers memories without the term to total. It is 1 if one memory has the
// term, and falls with count.
func idfOf(count, total int) float64 {
	n, with := float64(total+assumedOthers), float64(count)
	return math.Log(1+(n-with+0.5)/(with+0.5)) / math.Log(1+(n+0.5)/1.5)
}

// A matchField is the field of a memory that contains a term.
type matchField int

const (
	inName matchField = iota
	inDescription
	inBody
	numFields
)

func (p matchField) String() string { return [...]string{"name", "description", "text"}[p] }

// fieldWeight is the weight of a term by its field. Name and description summarise a memory.
var fieldWeight = [numFields]float64{inName: 1, inDescription: 0.8, inBody: 0.6}

// termMatch is a term of the query that a memory contains.
type termMatch struct {
	of    *scoredTerm
	word  string     // the variant in the memory
	in    matchField // the field with the best match
	value float64
}

// ranked is a memory with its matches and score.
type ranked struct {
	memories.Memory
	matches  []termMatch
	score    float64
	rejected RejectReason // empty if the memory is delivered
}

// RejectReason is why a memory with some of the query's terms is not delivered.
type RejectReason string

const (
	TooLittle RejectReason = "too_little" // the weight of its terms is below minWeight
	MuchLess  RejectReason = "much_less"  // its score is far below the best one
	PastLimit RejectReason = "past_limit" // there are enough better ones
)

// Thresholds for delivery. They gave the best results on the tuning half of the quality set.
const (
	// minTermWeight is a little more than one rare word in the body. If no term is rare, nearlyAll
	// of the weight of the query is enough.
	minTermWeight = 0.7
	// minShare is the minimum share of a query's weight, up to the weight of longQueryTerms.
	minShare       = 0.25
	nearlyAll      = 0.9
	longQueryTerms = 5
	// extraTermPenalty is the additional minimum weight per term of a long query: a pasted log
	// matches some terms by chance.
	extraTermPenalty = 0.05
	// minOfBest is the minimum score as a share of the best score.
	minOfBest = 0.65
)

// rank returns the memories that answer the query, best first. Their matched terms have the weight
// minWeight, and their scores are at least minOfBest of the best one. short are the other memories
// with a match, best first, with the reason in rejected. Memories without a match are left out.
func rank(all []document, terms []scoredTerm, now time.Time) (answers, short []ranked) {
	needed := minWeight(terms)
	var able []ranked
	for _, d := range all {
		r := ranked{Memory: d.Memory, matches: d.matches(terms)}
		r.weigh(now)
		switch {
		case len(r.matches) == 0:
		case r.matchedWeight() < needed:
			r.rejected = TooLittle
			short = append(short, r)
		default:
			able = append(able, r)
		}
	}
	bestFirst(able)
	for _, r := range able {
		if r.score < minOfBest*able[0].score {
			r.rejected = MuchLess
			short = append(short, r)
		} else {
			answers = append(answers, r)
		}
	}
	bestFirst(short)
	return answers, short
}

func bestFirst(all []ranked) {
	slices.SortStableFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), b.ModifiedAt.Compare(a.ModifiedAt), cmp.Compare(a.ID, b.ID))
	})
}

// document is a memory with the words of each field.
type document struct {
	memories.Memory
	texts [numFields]text
}

func documents(all []memories.Memory) []document {
	read := make([]document, len(all))
	for i, m := range all {
		name := m.Name
		if m.Line > 0 {
			name = "" // the name of an index's fact is the index's, not the fact's
		}
		read[i] = document{m, [numFields]text{inName: textOf(name), inDescription: textOf(m.Description), inBody: textOf(m.Body)}}
	}
	return read
}

// matches returns a match for each term that the memory contains, with the variant and the field
// that give it the highest value.
func (d document) matches(terms []scoredTerm) []termMatch {
	var all []termMatch
	for i := range terms {
		w := &terms[i]
		best := termMatch{of: w}
		for p := range numFields {
			for _, v := range w.variants {
				times := d.texts[p].times(v.word, w.run)
				if times == 0 {
					continue
				}
				// Repetitions add value, but less than a better field does.
				value := v.degree * fieldWeight[p] * (1 + 0.3*(1-1/float64(times)))
				if value > best.value {
					best.word, best.in, best.value = v.word, p, value
				}
			}
		}
		if best.value > 0 {
			all = append(all, best)
		}
	}
	return all
}

// text is the counted words of a text.
type text struct {
	words map[string]int
	runs  string // texts in scripts without spaces
}

func textOf(s string) text {
	t := text{words: map[string]int{}}
	for word := range words.All(s) {
		t.words[word]++
	}
	t.runs = strings.Join(words.Runs(s), "\n")
	return t
}

// times returns how often a text contains a word. If run is set, it counts occurrences of word as
// a string in the parts in scripts without spaces.
func (t text) times(word string, run bool) int {
	if run {
		return strings.Count(t.runs, word)
	}
	return t.words[word]
}

// freshness and preference are the largest bonuses for recent memories and for preferred types.
// They decide between memories with equal matches.
const (
	freshness  = 0.02
	preference = 0.01
)

var typePreference = map[memories.Type]float64{memories.Feedback: 1, memories.Project: 0.7, memories.User: 0.5, memories.Reference: 0.3}

// weigh sets the memory's score: matchedWeight, plus small bonuses for a recent memory and for its
// type.
func (r *ranked) weigh(now time.Time) {
	fresh := 0.0
	if age := memories.AgeOf(r.ModifiedAt, now); !age.Unknown {
		fresh = freshness / (1 + float64(age.Days)/30)
	}
	r.score = r.matchedWeight() + fresh + preference*typePreference[r.Type]
}

// matchedWeight returns the sum of the values of the memory's matches, each multiplied by the idf
// of its term.
func (r *ranked) matchedWeight() float64 {
	weight := 0.0
	for _, e := range r.matches {
		weight += e.value * e.of.idf
	}
	return weight
}

// minWeight returns the minimum matchedWeight of a memory that answers the query. It grows with
// the sum of the terms' idf.
func minWeight(terms []scoredTerm) float64 {
	total := 0.0
	for i := range terms {
		total += terms[i].idf
	}
	excess := max(0, total-longQueryTerms)
	return max(min(minTermWeight, nearlyAll*total)+extraTermPenalty*excess, minShare*(total-excess))
}
