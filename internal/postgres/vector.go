package postgres

import (
	"strconv"

	"memoir/internal/words"
)

const (
	// maxVector keeps a vector below Postgres' limit of 1,048,575 bytes with room for its own overhead.
	maxVector = 900_000
	// maxPositions and lastPosition are Postgres' own limits; it would drop what goes beyond.
	maxPositions = 255
	// maxTitle is how many words of a name and description are kept as such: far more than one has.
	maxTitle     = 100
	lastPosition = 16383
)

// vectorOf returns the literal of a tsvector over a memory's text, name before description before body in weight, with
// the signs of its agent and title, and the words of the text, each once. The words are split here and not by Postgres, so that paths, identifiers and
// every script are found by the same rule that splits what people type.
func vectorOf(w Words) (literal string, each []string) {
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
			if len(known) < maxPositions && position <= lastPosition {
				if size += 2; size > maxVector {
					return
				}
				found[word] = append(known, occurrence{position, weight})
			} else if !ok {
				found[word] = nil
			}
		}
	}
	add(w.Name, 'A')
	add(w.Description, 'B')
	title := len(order)
	add(w.Body, 'C')

	vector := make([]byte, 0, 2*size)
	vector = append(vector, quoted(agentSign(w.AgentID))...)
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
