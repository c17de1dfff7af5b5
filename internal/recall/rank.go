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

// wanted is a term with what counts as it, and how much it tells.
type wanted struct {
	term
	variants []variant
	// telling is how much a memory is told from others by having it: 1 for what one alone has, towards 0 for what all have.
	telling float64
	// met is how many memories have it.
	met int
}

// beyond is how many memories an agent is taken to have besides, about other things: of two that it has, what both have is not yet
// what all have.
const beyond = 30

// tell returns how telling something is that so many memories of all have: its inverse document frequency, as a share of the
// largest there can be.
func tell(met, of int) float64 {
	n, with := float64(of+beyond), float64(met)
	return math.Log(1+(n-with+0.5)/(with+0.5)) / math.Log(1+(n+0.5)/1.5)
}

// A place is where in a memory something stands.
type place int

const (
	inName place = iota
	inDescription
	inBody
	places
)

func (p place) String() string { return [...]string{"name", "description", "text"}[p] }

// worth is how much a word counts by where it stands. A name and a description are there to say what a memory is about.
var worth = [places]float64{inName: 1, inDescription: 0.8, inBody: 0.6}

// evidence is that a memory has something that was asked for.
type evidence struct {
	of    *wanted
	word  string // as the memory has it
	in    place  // the best one
	value float64
}

// ranked is a memory with what speaks for it.
type ranked struct {
	memories.Memory
	evidence  []evidence
	score     float64
	shortfall Shortfall // of those that are not given
}

// Shortfall is why a memory is not given although it has something of what was asked; empty: it is given.
type Shortfall string

// What memories fall short of.
const (
	TooLittle Shortfall = "too_little" // it has too little of what was asked
	MuchLess  Shortfall = "much_less"  // it has much less of it than the best
	PastLimit Shortfall = "past_limit" // there are as many better ones as are given
)

// What a memory must have to be chosen. The numbers are those with which the tuning half of the quality set came out best: with lower
// ones more is found and more of it is beside the point.
const (
	// leastEvidence is a little more than a telling word in the text. Where all memories are about what is asked, nothing tells much:
	// then nearly all that is asked for is enough.
	leastEvidence = 0.7
	// leastShare is of all that was asked for, up to what a question of some words asks for.
	leastShare = 0.25
	nearlyAll  = 0.9
	talkative  = 5
	// byChance is how much more a memory must have for each further word that is asked for: of a pasted log it has some by chance.
	byChance = 0.05
	// besideBest is how much a memory must have beside the best one, as a share.
	besideBest = 0.65
)

// rank tells those of the memories that answer what is wanted from those that only have something of it. Of both the best come
// first; what has nothing of it is in neither.
func rank(all []document, what []wanted, now time.Time) (answers, short []ranked) {
	needed := enough(what)
	var able []ranked
	for _, d := range all {
		r := ranked{Memory: d.Memory, evidence: d.evidence(what)}
		r.weigh(now)
		switch {
		case len(r.evidence) == 0:
		case r.met() < needed:
			r.shortfall = TooLittle
			short = append(short, r)
		default:
			able = append(able, r)
		}
	}
	bestFirst(able)
	for _, r := range able {
		if r.score < besideBest*able[0].score {
			r.shortfall = MuchLess
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

// evidence returns what of the wanted a memory has.
func (d document) evidence(what []wanted) []evidence {
	var all []evidence
	for i := range what {
		w := &what[i]
		best := evidence{of: w}
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
	r.score = r.met() + fresh + preference*preferred[r.Type]
}

// met is how much a memory has of what is wanted.
func (r *ranked) met() float64 {
	met := 0.0
	for _, e := range r.evidence {
		met += e.value * e.of.telling
	}
	return met
}

// enough is how much of what is wanted a memory must have to answer it, and not only have a word of it by chance.
func enough(what []wanted) float64 {
	asked := 0.0
	for i := range what {
		asked += what[i].telling
	}
	further := max(0, asked-talkative)
	return max(min(leastEvidence, nearlyAll*asked)+byChance*further, leastShare*(asked-further))
}
