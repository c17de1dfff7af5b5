package ranking

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"memoir/internal/memories"
	"memoir/internal/words"
)

// Thresholds for delivery.
const (
	// minFound is the minimum score of an answer, as a share of the weight of the question. Each phrase
	// of the memory, up to maxChancePhrases, adds chancePerPhrase to that share: phrases are more words,
	// and some of them match by chance.
	minFound         = 0.235
	chancePerPhrase  = 0.01
	maxChancePhrases = 10
	// minWeight is the minimum score of an answer: a little more than one rare word in the text. A short
	// question needs only minShortShare of its weight.
	minWeight     = 0.62
	minShortShare = 0.6
	// minNamed is the minimum weight of a term in the name or description for which a memory is given,
	// if the question lists things or is in another language.
	minNamed = 0.5
	// minOfBest is the minimum score of an answer as a share of the best score.
	minOfBest = 0.66
	// questionWeight limits the weight of what was asked: a pasted log has more words than its question.
	questionWeight = 5
)

// RejectReason is why a memory with some of the terms is no answer.
type RejectReason string

// The reasons.
const (
	TooLittle RejectReason = "too_little" // its score is below minFound of what was asked
	MuchLess  RejectReason = "much_less"  // its score is far below the best one
	PastLimit RejectReason = "past_limit" // there are enough better ones
	// Superseded means that another memory with these terms says that it replaces this one.
	Superseded RejectReason = "superseded"
	// Excluded means that its name has what the question excludes.
	Excluded RejectReason = "excluded"
)

// Ranked is a memory with its score.
type Ranked struct {
	memories.Memory
	Matches  []Match // terms that it has, the one with most weight first
	Score    float64
	Enough   float64      // the score from which it is an answer
	Rejected RejectReason // empty if the memory is an answer
	Replaces string       // name of a memory that it says it replaces and is given for, or empty
}

// Match is a term that a memory has.
type Match struct {
	Term  string
	Word  string // the variant in the memory
	Field Field
}

// Ranking is the result of ranking memories.
type Ranking struct {
	Answers []Ranked // best first
	Rest    []Ranked // the other memories with a term, best first, with the reason in Rejected
}

// Best returns the n best memories, also if they are no answers.
func (r Ranking) Best(n int) []Ranked {
	all := slices.Concat(r.Answers, r.Rest)
	return all[:min(len(all), n)]
}

// Rank ranks the memories by the question, whose terms have been weighed.
func (q Question) Rank(all []memories.Memory, now time.Time) Ranking {
	return q.rank(q.read(all), now)
}

// read returns the memories with the terms that they have.
func (q Question) read(all []memories.Memory) []document {
	of := indexOf(q.Terms)
	docs := make([]document, len(all))
	for i, m := range all {
		docs[i] = of.read(m)
	}
	return docs
}

// rank ranks the documents that have a term.
func (q Question) rank(docs []document, now time.Time) Ranking {
	means := meanLengths(docs)
	scored := make([]scoredDocument, 0, len(docs))
	for _, d := range docs {
		if len(d.places) > 0 {
			score := (q.bm25(d, means) + passageShare*q.bestPassage(d) + nearShare*q.near(d)) / (1 + passageShare)
			scored = append(scored, scoredDocument{document: d, score: score + freshness(d.Memory, now)})
		}
	}
	bestFirst(scored)
	isForeign := q.isForeignTo(scored)
	markReplaced(scored)
	bestFirst(scored)
	asked := q.asked(isForeign)
	var ranking Ranking
	var others []Ranked       // answers that are not about one of the listed things alone
	best := map[int]float64{} // score of the best answer by listed thing; 0 is the question
	for _, d := range scored {
		r := Ranked{Memory: d.Memory, Matches: q.matches(d.document), Score: d.score, Enough: enough(asked, len(d.AskedAs)), Replaces: d.replaces}
		isNamed := (isForeign || q.items > 0) && q.isNamed(d.document)
		items := q.itemsOf(d.document)
		isMuchLess := !slices.ContainsFunc(items, func(item int) bool { return d.score >= minOfBest*best[item] })
		switch {
		case d.isReplaced:
			r.Rejected = Superseded
		case q.isExcluded(d.document):
			r.Rejected = Excluded
		case d.score < r.Enough && !isNamed:
			r.Rejected = TooLittle
		case isMuchLess && !isNamed:
			r.Rejected = MuchLess
		}
		if r.Rejected != "" {
			ranking.Rest = append(ranking.Rest, r)
			continue
		}
		if q.items > 0 && !isNamed {
			others = append(others, r)
		} else {
			ranking.Answers = append(ranking.Answers, r)
		}
		for _, item := range items {
			best[item] = max(best[item], d.score)
		}
	}
	ranking.Answers = append(ranking.Answers, others...)
	return ranking
}

// enough returns the minimum score of an answer with a number of phrases. asked is the weight of the
// question.
func enough(asked float64, phrases int) float64 {
	share := minFound + chancePerPhrase*float64(min(phrases, maxChancePhrases))
	return max(share*asked, min(minWeight, minShortShare*asked))
}

// scoredDocument is a document with its score.
type scoredDocument struct {
	document
	score      float64
	isReplaced bool
	replaces   string
}

func bestFirst(all []scoredDocument) {
	slices.SortStableFunc(all, func(a, b scoredDocument) int {
		return cmp.Or(cmp.Compare(b.score, a.score), b.ModifiedAt.Compare(a.ModifiedAt), cmp.Compare(a.ID, b.ID))
	})
}

// itemsOf returns the listed things that a document is about. It is the question itself, 0, if the
// question lists nothing or the document is about none of them.
func (q Question) itemsOf(d document) (items []int) {
	for i, f := range d.found {
		if item := q.Terms[i].item; item > 0 && f.best.degree >= synonym && !slices.Contains(items, item) {
			items = append(items, item)
		}
	}
	if len(items) == 0 {
		return []int{0}
	}
	return items
}

// isNamed reports whether the name or description of a document has what the question lists, or a
// telling term if it lists nothing.
func (q Question) isNamed(d document) bool {
	for item := range q.items + 1 {
		weight, isWhole := 0.0, item > 0 || q.items == 0
		for i, t := range q.Terms {
			if t.item != item || t.Excluded || t.Character {
				continue
			}
			isIn := d.found[i].best.degree >= misspelt/2 && d.found[i].in.IsSummary()
			if isIn {
				weight = max(weight, q.weightIn(d, i))
			}
			isWhole = isWhole && (isIn || item == 0)
		}
		if isWhole && weight >= minNamed {
			return true
		}
	}
	return false
}

// isExcluded reports whether a document's name has what the question excludes.
func (q Question) isExcluded(d document) bool {
	for i, f := range d.found {
		if q.Terms[i].Excluded && f.counts[inName] > 0 && f.best.degree >= inflected {
			return true
		}
	}
	return false
}

// isForeignTo reports whether the question is in another language than the best documents, and they
// lack most of its words.
func (q Question) isForeignTo(best []scoredDocument) bool {
	unknown, all := 0, 0
	for _, t := range q.Terms {
		if !t.Excluded && !t.Character {
			all++
			if t.count == 0 {
				unknown++
			}
		}
	}
	if 2*unknown < all {
		return false
	}
	others := 0
	best = best[:min(len(best), 10)]
	for _, d := range best {
		if languageOf(d.beginning()) != q.language {
			others++
		}
	}
	return 2*others > len(best)
}

// asked returns the weight of what was asked, at most questionWeight. In another language than that
// of the memories, words that no memory has do not count. Of listed things only one counts, because a
// memory is mostly about one.
func (q Question) asked(isForeign bool) float64 {
	sums := make([]float64, q.items+1)
	for _, t := range q.Terms {
		if !t.Excluded && !t.Earlier && !(isForeign && t.count == 0) {
			sums[t.item] += t.weight
		}
	}
	sum := sums[0]
	if q.items > 0 {
		sum += slices.Max(sums[1:])
	}
	return min(sum, questionWeight)
}

// matches returns the terms that a document has, the one with most weight first.
func (q Question) matches(d document) []Match {
	var all []int
	for i, f := range d.found {
		if f.best.degree > 0 && !q.Terms[i].Excluded {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(a, b int) int {
		return cmp.Compare(q.weightIn(d, b), q.weightIn(d, a))
	})
	matches := make([]Match, len(all))
	for at, i := range all {
		matches[at] = Match{q.Terms[i].Word, d.found[i].best.Word, d.found[i].in}
	}
	return matches
}

// maxReasons is how many matched terms are reported as reasons.
const maxReasons = 4

// Strongest returns the matches with most weight, at most maxReasons.
func (r Ranked) Strongest() []Match { return r.Matches[:min(len(r.Matches), maxReasons)] }

// Why returns a sentence for users about each of the strongest matches.
func (r Ranked) Why() []string {
	var reasons []string
	if r.Replaces != "" {
		reasons = append(reasons, fmt.Sprintf("it replaces “%s”", r.Replaces))
	}
	for _, m := range r.Strongest() {
		reason := fmt.Sprintf("“%s” is in its %s", m.Word, m.Field)
		if m.Word != m.Term {
			reason += fmt.Sprintf(", for “%s”", m.Term)
		}
		reasons = append(reasons, reason)
	}
	return reasons
}

// Texts ranks memories without a database. It returns an empty ranking if the question has no
// searchable words.
func Texts(question string, all []memories.Memory, now time.Time) Ranking {
	q := Parse(question, "")
	vocabulary := vocabularyOf(all)
	similar := map[string][]string{}
	for _, word := range q.Expand(vocabulary) {
		similar[word] = vocabulary
	}
	q.Correct(similar)
	docs, counts := q.read(all), make([]int, len(q.Terms))
	for _, d := range docs {
		for i, f := range d.found {
			if f.best.degree > 0 {
				counts[i]++
			}
		}
	}
	q.Weigh(counts, len(all))
	return q.rank(docs, now)
}

// vocabularyOf returns the words of the memories for which words.CanBeMeant is true, each once and
// in any order.
func vocabularyOf(all []memories.Memory) []string {
	var vocabulary []string
	seen := map[string]bool{}
	for _, m := range all {
		for word := range words.All(strings.Join(append([]string{m.Name, m.Description, m.Body}, m.AskedAs...), "\n")) {
			if !seen[word] && words.CanBeMeant(word) {
				vocabulary = append(vocabulary, word)
			}
			seen[word] = true
		}
	}
	return vocabulary
}
