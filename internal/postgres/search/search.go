// Package search translates text into Postgres' full-text types: a memory's text into a tsvector
// for the search index, a typed search into a tsquery, and mistyped words into similar ones. It is
// pure: it runs no query. Package postgres calls it.
//
//	query, ok := search.Parse("harbour open")
//	match := query.Match(search.Scope{AgentID: 7}) // a tsquery
package search

import "strconv"

// Two signs mark lexemes that no typed word can equal. They have no position, so they do not change
// ranks. A vector has each word of the name and description a second time with titleSign, and the
// agent's id with agentSign, so that the index finds the hits of one agent.
const (
	titleSign = "^"
	agentSign = "@"
)

// Scope selects the agents whose memories a query finds.
type Scope struct {
	AgentID int64   // 0 for all agents
	Without []int64 // agents whose memories are left out
}

// within returns the beginning of a tsquery that restricts it to the agents in scope. It is empty
// for the zero Scope, which is all agents.
func within(scope Scope) (query string) {
	if scope.AgentID != 0 {
		query = agentLexeme(scope.AgentID) + " & "
	}
	for _, id := range scope.Without {
		query += "!" + agentLexeme(id) + " & "
	}
	return query
}

func agentLexeme(id int64) string { return quoted(agentSign + strconv.FormatInt(id, 10)) }

// quoted returns the word as a lexeme in quotes. It needs no escaping, because a word has only
// letters, digits, marks and the two signs.
func quoted(word string) string { return "'" + word + "'" }
