package search

import (
	"strings"

	"memoir/internal/words"
)

// Query is a search as a user typed it.
type Query struct {
	terms   []term
	phrases []string
}

// term is one typed word with its alternatives. A text with any of them has the term.
type term []lexeme

// lexeme is one word in a tsquery.
type lexeme struct {
	word   string
	prefix bool // words that begin with it match too
}

// Parse returns the query for a text that a user typed. Each word also matches longer words that
// begin with it, except in scripts without spaces. Repeated words count once. It returns false if
// the text has no word; the query is then invalid.
func Parse(typed string) (Query, bool) {
	var q Query
	seen := map[string]bool{}
	for word := range words.All(typed) {
		if !seen[word] {
			q.terms = append(q.terms, term{{word, !words.SetsNoSpaces(word)}})
		}
		seen[word] = true
	}
	q.phrases = append([]string{}, words.Runs(typed)...)
	return q, len(q.terms) > 0
}

// Phrases returns the parts of the query in scripts without spaces or in Hangul, in the normal form
// NFKC. It omits single characters. The caller must check that a hit's text contains each part.
// After Parse the list may be empty but is not nil, because nil would be NULL in SQL.
func (q Query) Phrases() []string { return q.phrases }

// Rank returns the tsquery for the function ts_rank of Postgres. It has all words of the query with
// their alternatives, and is not restricted to agents.
func (q Query) Rank() string {
	var all []string
	for _, t := range q.terms {
		all = append(all, t.query(""))
	}
	return strings.Join(all, " & ")
}

// Match returns the tsquery that finds memories of the agents in scope. For each word of the query,
// a memory must have the word or one of its alternatives. Match does not check Phrases.
func (q Query) Match(scope Scope) string { return within(scope) + q.Rank() }

// Titled returns the tsquery that finds memories of the agents in scope. A memory must have at
// least one word of the query, or an alternative, in its name or description.
func (q Query) Titled(scope Scope) string {
	var inTitle []string
	for _, t := range q.terms {
		inTitle = append(inTitle, t.query(titleSign))
	}
	return within(scope) + "(" + strings.Join(inTitle, " | ") + ")"
}

// query returns the tsquery that finds texts with any of the alternatives. It puts sign, which may
// be empty, before each word.
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

// MatchAny returns the tsquery that finds the agents' memories with any of the words or runs. Words
// are folded by package words, and match exactly. A run is found where its characters follow each
// other. At least one agent, and one word or run, is required; otherwise the tsquery is malformed.
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
