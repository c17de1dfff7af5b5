package extraction

import (
	"strings"

	"memoir/internal/memories"
	"memoir/internal/words"
)

// minLikeness is the minimum share of common words of two equal memories (arbitrary). Two rules
// that differ in one word of ten are different.
const minLikeness = 0.85

// labels removes the labels that many memories contain.
var labels = strings.NewReplacer("**Why:**", "", "**How to apply:**", "")

// wordsOf returns the words of a memory's body.
func wordsOf(c memories.Content) map[string]bool {
	all := map[string]bool{}
	for word := range words.Spaced(labels.Replace(c.Body)) {
		all[word] = true
	}
	return all
}

// sameText reports whether two contents are equal apart from spacing and case.
func sameText(a, b memories.Content) bool {
	return a.Type == b.Type && sequence(a.Description) == sequence(b.Description) && sequence(a.Body) == sequence(b.Body)
}

func sequence(text string) string {
	var all []byte
	for word := range words.All(text) {
		all = append(append(all, word...), ' ')
	}
	return string(all)
}

// isSimilar reports whether two memories with these words say the same.
func isSimilar(a, b map[string]bool) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	both := 0
	for word := range a {
		if b[word] {
			both++
		}
	}
	return float64(both) >= minLikeness*float64(len(a)+len(b)-both)
}
