package recall

import (
	"strings"
	"unicode"

	"memoir/internal/words"
)

// Skip is why a recall chose nothing without searching.
type Skip string

// The reasons, in the order of the checks.
const (
	SkipShortQuery  Skip = "short_query"  // one word is not enough to choose by
	SkipSpentBudget Skip = "spent_budget" // the session has used its budget
	SkipNoMemories  Skip = "no_memories"  // the agent has no memories
	SkipAllSeen     Skip = "all_seen"     // the session has received all memories
)

// Askable reports whether a query is long enough to choose memories: two words, or two characters
// of a script without spaces, such as Chinese, Japanese, Korean and Thai.
func Askable(query string) bool {
	query = strings.TrimSpace(query)
	if strings.ContainsFunc(query, unicode.IsSpace) {
		return true
	}
	characters := 0
	for _, r := range query {
		if words.SetsNoSpaces(string(r)) {
			if characters++; characters == 2 {
				return true
			}
		}
	}
	return false
}
