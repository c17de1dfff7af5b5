package postgres

import (
	"strconv"
	"strings"

	"memoir/internal/words"
)

const (
	// maxVector keeps a vector below Postgres' limit of 1,048,575 bytes with room for its own overhead.
	maxVector = 900_000
	// maxPositions and lastPosition are Postgres' own limits; it would drop what goes beyond.
	maxPositions = 255
	lastPosition = 16383
)

// vectorOf returns the literal of a tsvector over a memory's text, name before description before body in weight. The
// words are split here and not by Postgres, so that paths, identifiers and every script are found by the same rule
// that splits what people type.
func vectorOf(name, description, body string) string {
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
	add(name, 'A')
	add(description, 'B')
	add(body, 'C')

	vector := make([]byte, 0, 2*size)
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
	return string(vector)
}

// A search is what people typed, as Postgres wants it.
type search struct {
	query   string   // a tsquery: every word, each as a prefix
	phrases []string // runs of a script without spaces in NFKC, each of which must stand in the text
}

// searchOf reads what people typed. ok is false when there is no word in it.
func searchOf(typed string) (s search, ok bool) {
	var terms []string
	for word := range words.All(typed) {
		if words.SetsNoSpaces(word) {
			terms = append(terms, "'"+word+"'")
		} else {
			terms = append(terms, "'"+word+"':*")
		}
	}
	s.phrases = words.Runs(typed)
	s.query = strings.Join(terms, " & ")
	return s, len(terms) > 0
}
