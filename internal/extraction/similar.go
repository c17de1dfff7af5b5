package extraction

import (
	"strings"

	"memoir/internal/memories"
	"memoir/internal/words"
)

// alike is from which share of words on two memories say the same: the words that both have, of all that either has. Two rules that
// differ in one word of ten are two rules.
const alike = 0.85

// labels are what many memories have in common, and say nothing.
var labels = strings.NewReplacer("**Why:**", "", "**How to apply:**", "")

// wordsOf returns the words of what a memory says.
func wordsOf(c memories.Content) map[string]bool {
	all := map[string]bool{}
	for word := range words.Spaced(labels.Replace(c.Body)) {
		all[word] = true
	}
	return all
}

// sameText reports whether two contents of one memory say the same, however they are spaced and spelled.
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

// nearlyTheSame reports whether two memories of different names say the same.
func nearlyTheSame(a, b map[string]bool) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	both := 0
	for word := range a {
		if b[word] {
			both++
		}
	}
	return float64(both) >= alike*float64(len(a)+len(b)-both)
}
