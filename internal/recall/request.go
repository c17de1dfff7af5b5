package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"memoir/internal/memories"
	"memoir/internal/recall/ranking"
	"memoir/internal/words"
)

// check sets the request's defaults in place and lowers the limit to MaxChosen. It removes NUL,
// invalid UTF-8, and the middle of a long query. It returns *memories.InvalidError for a negative
// limit, and for a session name that is too long or no valid text.
func (r *Request) check() error {
	// Postgres refuses NUL and invalid UTF-8.
	r.Query = strings.ToValidUTF8(strings.ReplaceAll(ranking.Ends(r.Query), "\x00", ""), "")
	switch {
	case r.Limit == 0:
		r.Limit = MaxChosen
	case r.Limit < 0:
		return &memories.InvalidError{Field: "limit", Reason: "is a number of memories, 1 to 5"}
	}
	r.Limit = min(r.Limit, MaxChosen)
	switch {
	case len(r.Session) > maxSession:
		return &memories.InvalidError{Field: "session", Reason: "is longer than 256 bytes"}
	case strings.ContainsRune(r.Session, 0) || !utf8.ValidString(r.Session):
		return &memories.InvalidError{Field: "session", Reason: "is not text: it contains NUL, or is not valid UTF-8"}
	}
	return nil
}

// prefixOf returns the first limit bytes of a text, without a character that would be cut. A text
// that is not longer is returned whole.
func prefixOf(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// Skip is why a recall chose nothing without searching.
type Skip string

// The reasons, in the order of the checks.
const (
	SkipShortQuery  Skip = "short_query"  // one word is not enough to choose by
	SkipSpentBudget Skip = "spent_budget" // the session has used its budget
	SkipNoMemories  Skip = "no_memories"  // the agent has no memories
	SkipAllSeen     Skip = "all_seen"     // the session has received all memories
)

// Askable reports whether a query is long enough to choose memories by. It is if it has two words,
// or two characters of a script without spaces, such as Chinese, Japanese, Korean and Thai.
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
