package search

import (
	"slices"
	"strconv"
	"strings"

	"memoir/internal/words"
)

const (
	// maxVector is the maximum size of a vector in bytes. Postgres allows 1,048,575 with its own
	// overhead.
	maxVector = 900_000
	// maxPositions and maxPosition are limits of Postgres, which ignores positions beyond them.
	maxPositions = 255
	maxPosition  = 16383
	// maxTitle is the maximum number of words with the titleSign. It is arbitrary.
	maxTitle = 100
)

// Text is the text of a memory, a fact in MEMORY.md, or a log.
type Text struct {
	AgentID                 int64
	Name, Description, Body string
}

// Vector returns the literal of a tsvector for the text, and its distinct words. Words of the name
// have the weight A, of the description B, of the body C. Words after the size limit of 900,000
// bytes are left out of both results. How words of other scripts are read in Latin letters follows
// them without positions. The literal also has the agent's id, and marks the first 100
// words of name and description for Query.Titled.
func Vector(t Text) (literal string, each []string) {
	positions := map[string][]string{} // by word, as a tsvector has them
	each = []string{}
	position, size := 0, 0
	var readings []string
	add := func(text, weight string) {
		all := slices.Collect(words.All(text))
		for i, word := range all {
			readings = append(readings, words.Readings(all[i:])...)
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
	for _, word := range readings {
		if _, isKnown := positions[word]; isKnown {
			continue
		}
		if size += len(word) + 8; size > maxVector {
			break
		}
		each = append(each, word)
		positions[word] = nil
	}

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
