package search

import (
	"strings"

	"memoir/internal/words"
)

// Query is a search as a person typed it.
type Query struct {
	terms   []term
	phrases []string
}

// A term is one typed word: any of these words satisfies it.
type term []lexeme

type lexeme struct {
	word   string
	prefix bool // words that begin with it match too
}

// Parse reads what a person typed. It returns false if there is no word in it.
func Parse(typed string) (Query, bool) {
	var q Query
	seen := map[string]bool{}
	for word := range words.All(typed) {
		if !seen[word] {
			q.terms = append(q.terms, term{{word, !words.SetsNoSpaces(word)}})
		}
		seen[word] = true
	}
	q.phrases = words.Runs(typed)
	return q, len(q.terms) > 0
}

// Phrases returns the runs of scripts without spaces, in NFKC. The text of a hit must contain each of them.
func (q Query) Phrases() []string {
	if q.phrases == nil {
		return []string{} // an empty array in SQL, not NULL
	}
	return q.phrases
}

// Rank returns the tsquery of the words, for ts_rank.
func (q Query) Rank() string {
	var all []string
	for _, t := range q.terms {
		all = append(all, t.query(""))
	}
	return strings.Join(all, " & ")
}

// Match returns the tsquery that finds the memories of the scope.
func (q Query) Match(scope Scope) string { return within(scope) + q.Rank() }

// Titled returns the tsquery that finds, of the scope, the memories with one of the words in the name or description.
func (q Query) Titled(scope Scope) string {
	var inTitle []string
	for _, t := range q.terms {
		inTitle = append(inTitle, t.query(titleSign))
	}
	return within(scope) + "(" + strings.Join(inTitle, " | ") + ")"
}

func (t term) query(sign string) string {
	var each []string
	for _, l := range t {
		lexeme := quoted(sign + l.word)
		if l.prefix {
			lexeme += ":*"
		}
		each = append(each, lexeme)
	}
	return "(" + strings.Join(each, " | ") + ")"
}

// MatchAny returns the tsquery that finds, of the agents, the memories with any of the words or runs. Words are folded as
// package words folds them. Each character of a run is a word, and they must follow each other.
func MatchAny(agentIDs []int64, folded, runs []string) string {
	var alternatives []string
	for _, word := range folded {
		alternatives = append(alternatives, quoted(word))
	}
	for _, run := range runs {
		var each []string
		for _, r := range run {
			each = append(each, quoted(string(r)))
		}
		alternatives = append(alternatives, strings.Join(each, " <-> "))
	}
	var agents []string
	for _, id := range agentIDs {
		agents = append(agents, agentLexeme(id))
	}
	return "(" + strings.Join(agents, " | ") + ") & (" + strings.Join(alternatives, " | ") + ")"
}
