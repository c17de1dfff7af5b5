package recall

import (
	"strings"
	"unicode"

	"memoir/internal/words"
)

// Why a recall chose nothing without looking.
type Skip string

// The gates, in the order in which they are asked.
const (
	SkipShortQuery  Skip = "short_query"  // one word says too little to choose by
	SkipSpentBudget Skip = "spent_budget" // the session has been given all that it may be given
	SkipNoMemories  Skip = "no_memories"  // the agent has none
	SkipAllSeen     Skip = "all_seen"     // the session has been given every one of them
)

// Askable reports whether a query says enough to choose memories by: two words, or two characters of a script
// in which a word needs no space around it, as in Chinese, Japanese, Korean and Thai.
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
