package recallbench

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// The usual parameters of BM25.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// BM25 ranks memories by Okapi BM25, as textbooks have it. It is what recall is compared with, so
// it shares no code with recall.
type BM25 struct {
	memories  []Memory
	counts    []map[string]int // by memory: how often it has a word
	lengths   []float64        // by memory: its words
	average   float64
	documents map[string]int // by word: the memories that have it
}

// NewBM25 returns an index of the memories.
func NewBM25(memories []Memory) *BM25 {
	x := &BM25{memories: memories, documents: map[string]int{}}
	for _, m := range memories {
		counts, length := map[string]int{}, 0
		for _, word := range bm25Words(m.Text) {
			if counts[word] == 0 {
				x.documents[word]++
			}
			counts[word]++
			length++
		}
		x.counts, x.lengths = append(x.counts, counts), append(x.lengths, float64(length))
		x.average += float64(length) / float64(len(memories))
	}
	return x
}

// Recall returns the answers of the best memories for a prompt, at most MaxGiven. A memory without
// a word of the prompt is never among them.
func (x *BM25) Recall(prompt string) Given {
	query := bm25Words(prompt)
	slices.Sort(query)
	query = slices.Compact(query)
	type scored struct {
		memory int
		score  float64
	}
	var ranked []scored
	for i, counts := range x.counts {
		score := 0.0
		for _, word := range query {
			n := float64(counts[word])
			score += x.idf(word) * n * (bm25K1 + 1) / (n + bm25K1*(1-bm25B+bm25B*x.lengths[i]/x.average))
		}
		if score > 0 {
			ranked = append(ranked, scored{i, score})
		}
	}
	slices.SortStableFunc(ranked, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var given Given
	for _, s := range ranked[:min(len(ranked), MaxGiven)] {
		given = append(given, x.memories[s.memory].Answer)
	}
	return given
}

// idf returns the inverse document frequency of a word. It is never negative.
func (x *BM25) idf(word string) float64 {
	n, has := float64(len(x.memories)), float64(x.documents[word])
	return math.Log(1 + (n-has+0.5)/(has+0.5))
}

// bm25Words returns the words of a text: runs of letters and digits in lower case, as English
// stems, without English function words. A character of a script without spaces is a word.
func bm25Words(text string) []string {
	var words []string
	for _, word := range strings.FieldsFunc(spaced(strings.ToLower(text)), isNoWord) {
		if !functionWords[word] {
			env := snowballstem.NewEnv(word)
			english.Stem(env)
			words = append(words, env.Current())
		}
	}
	return words
}

// isNoWord reports whether a character separates words.
func isNoWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }

// spaced returns a text with spaces around the characters of scripts without spaces.
func spaced(text string) string {
	var out strings.Builder
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
			out.WriteString(" " + string(r) + " ")
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// functionWords are the English words that tell no subject, with the ends of shortened forms.
var functionWords = wordSet(`a about after all also am an and any are as at be because been before being but by can could d did do does doing down
	for from had has have having he her here hers him his how i if in into is it its just ll m may me might more most must my no nor not now of off
	on once only or other our out over own re s same she should so some such t than that the their theirs them then there these they this those to
	too under until up ve very was we were what when where which while who whom whose why will with would you your yours`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}
