package search

import (
	"strconv"

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
	type occurrence struct {
		position int
		weight   byte
	}
	found := map[string][]occurrence{}
	order := []string{}
	position, size := 0, 0
	add := func(text string, weight byte) {
		for word := range words.All(text) {
			position++
			known, ok := found[word]
			if !ok {
				if size += len(word) + 8; size > maxVector {
					return
				}
				order = append(order, word)
			}
			if len(known) < maxPositions && position <= maxPosition {
				if size += 2; size > maxVector {
					return
				}
				found[word] = append(known, occurrence{position, weight})
			} else if !ok {
				found[word] = nil
			}
		}
	}
	add(t.Name, 'A')
	add(t.Description, 'B')
	title := len(order)
	add(t.Body, 'C')

	vector := make([]byte, 0, 2*size)
	vector = append(vector, agentLexeme(t.AgentID)...)
	vector = append(vector, ' ')
	for _, word := range order[:min(title, maxTitle)] {
		vector = append(vector, quoted(titleSign+word)...)
		vector = append(vector, ' ')
	}
	for _, word := range order {
		vector = append(vector, '\'')
		vector = append(vector, word...)
		vector = append(vector, '\'')
		separator := byte(':')
		for _, o := range found[word] {
			vector = append(vector, separator)
			vector = strconv.AppendInt(vector, int64(o.position), 10)
			vector = append(vector, o.weight)
			separator = ','
		}
		vector = append(vector, ' ')
	}
	return string(vector), order
}
