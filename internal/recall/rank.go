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

// scoredTerm is a term of a query with the words that count as it, and its weight.
type scoredTerm struct {
	term
	variants []variant
	// idf is the term's inverse document frequency, scaled to 0–1: 1 if one memory has the term, near 0
	// if all have it.
	idf float64
	// matches is the number of memories that have the term.
	matches int
}

// beyond is how many memories an agent is taken to have besides, about other things: of two that it has, what both have is not yet
// what all have.
const beyond = 30

// idfOf returns the inverse document frequency of a term that met of the memories have, divided by the
// largest possible one.
func idfOf(met, of int) float64 {
	n, with := float64(of+beyond), float64(met)
	return math.Log(1+(n-with+0.5)/(with+0.5)) / math.Log(1+(n+0.5)/1.5)
}

// A matchField is the part of a memory that has a term.
type matchField int

const (
	inName matchField = iota
	inDescription
	inBody
	places
)

func (p matchField) String() string { return [...]string{"name", "description", "text"}[p] }

// worth is how much a word counts by where it stands. A name and a description are there to say what a memory is about.
var worth = [places]float64{inName: 1, inDescription: 0.8, inBody: 0.6}

// termMatch is a term of the query that a memory has.
type termMatch struct {
	of    *scoredTerm
	word  string     // as the memory has it
	in    matchField // the best one
	value float64
}

// ranked is a memory with what speaks for it.
type ranked struct {
	memories.Memory
	matches  []termMatch
	score    float64
	rejected RejectReason // of those that are not given
}

// RejectReason says why a memory that has some of the query's terms is not given. It is empty if the memory is
// given.
type RejectReason string

// What memories fall short of.
const (
	TooLittle RejectReason = "too_little" // it has too little of what was asked
	MuchLess  RejectReason = "much_less"  // it has much less of it than the best
	PastLimit RejectReason = "past_limit" // there are as many better ones as are given
)

// What a memory must have to be chosen. The numbers are those with which the tuning half of the quality set came out best: with lower
// ones more is found and more of it is beside the point.
const (
	// minTermWeight is a little more than a telling word in the text. Where all memories are about what is asked, nothing tells much:
	// then nearly all that is asked for is enough.
	minTermWeight = 0.7
	// leastShare is of all that was asked for, up to what a question of some words asks for.
	leastShare     = 0.25
	nearlyAll      = 0.9
	longQueryTerms = 5
	// extraTermPenalty is how much more a memory must have for each further word that is asked for: of a pasted log it has some by chance.
	extraTermPenalty = 0.05
	// besideBest is how much a memory must have beside the best one, as a share.
	besideBest = 0.65
)

// rank tells those of the memories that answer what is wanted from those that only have something of it. Of both the best come
// first; what has nothing of it is in neither.
func rank(all []document, what []scoredTerm, now time.Time) (answers, short []ranked) {
	needed := minWeight(what)
	var able []ranked
	for _, d := range all {
		r := ranked{Memory: d.Memory, matches: d.evidence(what)}
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
		if r.score < besideBest*able[0].score {
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

// document is a memory with the words that it has in each place.
type document struct {
	memories.Memory
	texts [places]text
}

func documents(all []memories.Memory) []document {
	read := make([]document, len(all))
	for i, m := range all {
		name := m.Name
		if m.Line > 0 {
			name = "" // it is that of the index, and says nothing of the fact
		}
		read[i] = document{m, [places]text{inName: textOf(name), inDescription: textOf(m.Description), inBody: textOf(m.Body)}}
	}
	return read
}

// matches returns the terms that a memory has.
func (d document) evidence(what []scoredTerm) []termMatch {
	var all []termMatch
	for i := range what {
		w := &what[i]
		best := termMatch{of: w}
		for p := range places {
			for _, v := range w.variants {
				times := d.texts[p].times(v.word, w.run)
				if times == 0 {
					continue
				}
				// The more often, the more, but never as much as if it stood in a better place.
				value := v.degree * worth[p] * (1 + 0.3*(1-1/float64(times)))
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

// text is the words of a text, counted.
type text struct {
	words map[string]int
	runs  string // of scripts without spaces
}

// bytesToAWord is about how many bytes of a text there are to each word that it has. A map that is made as large as it gets takes a
// fifth less to fill.
const bytesToAWord = 8

func textOf(s string) text {
	t := text{words: make(map[string]int, len(s)/bytesToAWord)}
	for word := range words.All(s) {
		t.words[word]++
	}
	t.runs = strings.Join(words.Runs(s), "\n")
	return t
}

// times returns how often a text has a word, or a run of characters.
func (t text) times(word string, run bool) int {
	if run {
		return strings.Count(t.runs, word)
	}
	return t.words[word]
}

// freshness is how much more a memory of today counts than one that is years old, and preference by how much the types differ that
// tell how to work: enough to decide between equals.
const (
	freshness  = 0.02
	preference = 0.01
)

var preferred = map[memories.Type]float64{memories.Feedback: 1, memories.Project: 0.7, memories.User: 0.5, memories.Reference: 0.3}

// weigh sums up the evidence, and what decides between equals.
func (r *ranked) weigh(now time.Time) {
	fresh := 0.0
	if age := memories.AgeOf(r.ModifiedAt, now); !age.Unknown {
		fresh = freshness / (1 + float64(age.Days)/30)
	}
	r.score = r.matchedWeight() + fresh + preference*preferred[r.Type]
}

// matchedWeight is the sum of the weights of the terms that the memory has.
func (r *ranked) matchedWeight() float64 {
	met := 0.0
	for _, e := range r.matches {
		met += e.value * e.of.idf
	}
	return met
}

// minWeight returns the weight that a memory must have to be an answer, and not to have a term by chance.
func minWeight(what []scoredTerm) float64 {
	asked := 0.0
	for i := range what {
		asked += what[i].idf
	}
	further := max(0, asked-longQueryTerms)
	return max(min(minTermWeight, nearlyAll*asked)+extraTermPenalty*further, leastShare*(asked-further))
}
