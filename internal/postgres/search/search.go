// Package search translates between text and Postgres' full-text types: a memory's text into the tsvector that the search
// index keeps, what people type into the tsquery that finds it, and mistyped words into those that come close. It is pure:
// it runs no query. Package postgres calls it.
//
//	query, ok := search.Parse("harbour open")
//	match := query.Match(search.Scope{AgentID: 7}) // a tsquery
package search

import "strconv"

// Two signs mark lexemes that no typed word can be; they have no position, so no rank changes by them. A word of a name or
// description is in the vector again with titleSign. agentSign and the agent's id let the one index find the hits of an
// agent without reading those of others.
const (
	titleSign = "^"
	agentSign = "@"
)

// Scope is whose memories a query finds.
type Scope struct {
	AgentID int64   // 0: of all agents
	Without []int64 // agents whose memories it does not find
}

// within begins a tsquery that finds the memories of the scope alone.
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

// quoted makes a lexeme of a word. A word has letters, digits, marks and the signs above, so no quote.
func quoted(word string) string { return "'" + word + "'" }
