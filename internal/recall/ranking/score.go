// Package ranking ranks memories by the words of a question. Scores are BM25F, as in Robertson and
// Zaragoza, “The Probabilistic Relevance Framework: BM25 and Beyond” (2009), with the best passage of
// each memory. The package is pure: its callers find the memories to rank.
package ranking

import (
	"math"
	"time"

	"memoir/internal/memories"
)

// Constants of the score. Values nearby give nearly the same results.
const (
	// saturation is k1 of BM25: with this frequency a term counts half.
	saturation = 1.5
	// lengthEffect is b of BM25, from 0 to 1: how much a term counts less in a long text.
	lengthEffect = 0.6
	// passageShare is the weight of the best passage, in relation to that of the whole memory.
	passageShare = 0.5
	// passageLength is the length of a passage in words.
	passageLength = 50
	// nearShare is the weight of terms that stand as near each other as in the question.
	nearShare = 0.3
	// nearDistance is the largest distance of such terms in words.
	nearDistance = 4
)

// fieldWeights are the weights of the fields of BM25F. Name and description summarise a memory.
var fieldWeights = [numFields]float64{inName: 4, inPhrases: 1.5, inDescription: 1.5, inBody: 1}

// assumedOthers is how many memories without any term are added to an agent's. Without them, a term
// that both of two memories have would weigh nothing. It is arbitrary.
const assumedOthers = 9

// idfOf returns the inverse document frequency of a term that count of total memories have, scaled so
// that it is 1 if one memory has the term. It is a little more if none has it, and falls with count.
func idfOf(count, total int) float64 {
	n, with := float64(total+assumedOthers), float64(count)
	return math.Log(1+(n-with+0.5)/(with+0.5)) / math.Log(1+(n+0.5)/1.5)
}

// Weigh sets the weights of the terms. counts has for each term the number of memories that have it,
// among total ones.
func (q Question) Weigh(counts []int, total int) {
	for i := range q.Terms {
		t := &q.Terms[i]
		t.count, t.weight = counts[i], idfOf(counts[i], total)
		if t.Character {
			t.weight *= characterWeight
		}
		if t.Earlier {
			t.weight *= earlierWeight
		}
	}
}

// Weight returns the weight of the term, which Weigh sets.
func (t Term) Weight() float64 { return t.weight }

// meanLengths returns the mean lengths of the fields of documents. An empty field counts as one word.
func meanLengths(docs []document) (means [numFields]float64) {
	for _, d := range docs {
		for field, length := range d.lengths {
			means[field] += max(1, float64(length)) / float64(len(docs))
		}
	}
	return means
}

// bm25 returns the BM25F score of a document, as a sum of the weights of its terms, each times its
// saturated frequency of 0 to 1. An excluded term counts against the document.
func (q Question) bm25(d document, means [numFields]float64) float64 {
	score := 0.0
	for i, f := range d.found {
		frequency := 0.0
		for field, count := range f.counts {
			length := float64(d.lengths[field]) / means[field]
			frequency += fieldWeights[field] * count / (1 - lengthEffect + lengthEffect*length)
		}
		value := q.Terms[i].weight * f.best.degree * frequency / (frequency + saturation)
		if q.Terms[i].Excluded {
			value = -value
		}
		score += value
	}
	return score
}

// bestPassage returns the largest sum of weights of the terms in passageLength words of a document.
func (q Question) bestPassage(d document) float64 {
	best, sum, from := 0.0, 0.0, 0
	counts := make([]int, len(q.Terms))
	for _, p := range d.places {
		if counts[p.term]++; counts[p.term] == 1 {
			sum += q.weightIn(d, p.term)
		}
		for p.at-d.places[from].at >= passageLength {
			term := d.places[from].term
			if counts[term]--; counts[term] == 0 {
				sum -= q.weightIn(d, term)
			}
			from++
		}
		best = max(best, sum)
	}
	return best
}

// near returns the sum of the weights of neighbouring terms of the question that are at most
// nearDistance words apart in a document.
func (q Question) near(d document) float64 {
	sum := 0.0
	isNear := make([]bool, len(q.Terms))
	for i, p := range d.places {
		for _, next := range d.places[i+1:] {
			if next.at-p.at > nearDistance {
				break
			}
			if t := min(p.term, next.term); max(p.term, next.term) == t+1 && !isNear[t] && !q.Terms[t+1].Excluded {
				isNear[t] = true
				sum += min(q.weightIn(d, t), q.weightIn(d, t+1))
			}
		}
	}
	return sum
}

// weightIn returns the weight of a term in a document, which is less for other forms of it.
func (q Question) weightIn(d document, term int) float64 {
	if q.Terms[term].Excluded {
		return 0
	}
	return q.Terms[term].weight * d.found[term].best.degree
}

// freshness returns a small bonus for a recent memory. It decides between memories that match alike.
func freshness(m memories.Memory, now time.Time) float64 {
	age := memories.AgeOf(m.ModifiedAt, now)
	if age.Unknown {
		return 0
	}
	return 0.01 / (1 + float64(age.Days)/30)
}
