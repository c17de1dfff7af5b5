package search

import (
	"strconv"
	"strings"

	"memoir/internal/words"
)

const (
	// maxVector is the size of a vector in bytes. Postgres' limit is 1,048,575 with its own overhead.
	maxVector = 900_000
	// maxPositions and maxPosition are limits of Postgres, which would drop positions beyond them.
	maxPositions = 255
	maxPosition  = 16383
	// maxTitle is how many words of a name and description get the titleSign. Arbitrary; far more than one has.
	maxTitle = 100
)

// Text is the text of a memory, of a fact or of a log.
type Text struct {
	AgentID                 int64
	Name, Description, Body string
}

// Vector returns the literal of a tsvector over the text, with the weights A for the name, B for the description and C for
// the body. It also returns the words of the text, each once. The text is split here and not by Postgres, so that paths,
// identifiers and every script are split by the same rule as what people type.
func Vector(t Text) (literal string, each []string) {
	positions := map[string][]string{} // by word, as a tsvector has them
	each = []string{}
	position, size := 0, 0
	add := func(text, weight string) {
		for word := range words.All(text) {
			position++
			known, isKnown := positions[word]
			if !isKnown {
				if size += len(word) + 8; size > maxVector {
					return
				}
				each = append(each, word)
				positions[word] = nil
			}
			if len(known) < maxPositions && position <= maxPosition {
				if size += 2; size > maxVector {
					return
				}
				positions[word] = append(known, strconv.Itoa(position)+weight)
			}
		}
	}
	add(t.Name, "A")
	add(t.Description, "B")
	title := len(each)
	add(t.Body, "C")

	var vector strings.Builder
	vector.WriteString(agentLexeme(t.AgentID) + " ")
	for _, word := range each[:min(title, maxTitle)] {
		vector.WriteString(quoted(titleSign+word) + " ")
	}
	for _, word := range each {
		vector.WriteString(quoted(word))
		if len(positions[word]) > 0 {
			vector.WriteString(":" + strings.Join(positions[word], ","))
		}
		vector.WriteString(" ")
	}
	return vector.String(), each
}
