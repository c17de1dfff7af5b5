package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The lengths, in letters, of words that are kept as ones that a search may have meant: shorter ones are close to
// everything, and longer ones are rarely words.
const (
	shortest = 3
	longest  = 32
)

// CanBeMeant reports whether a word is kept as one that a search may have meant: one of letters alone. Numbers and
// names with numbers in them are close to too many others.
func CanBeMeant(word string) bool {
	n := utf8.RuneCountInString(word)
	return n >= shortest && n <= longest && !strings.ContainsFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) || spaceless(r)
	})
}

// MaxTypos returns how many slips of the hand a typed word may have to still be taken for another: a letter too many,
// too few or wrong, or two in the wrong order. 0: it is taken as it is.
func MaxTypos(typed string) int {
	switch n := utf8.RuneCountInString(typed); {
	case n < 4 || !CanBeMeant(typed):
		return 0
	case n < 8:
		return 1
	default:
		return 2
	}
}

// Distance returns how many slips lead from the beginning of a word to the typed one, both folded, and false where
// those are more than Slips allows. 0 says that the word begins as typed.
func Distance(typed, word string) (slips int, near bool) {
	allowed := MaxTypos(typed)
	if strings.HasPrefix(word, typed) {
		return 0, true
	}
	if allowed == 0 {
		return 0, false
	}
	want, have := []rune(typed), []rune(word)
	if len(have) < len(want)-allowed {
		return 0, false
	}
	slips = distance(want, have[:min(len(have), len(want)+allowed)])
	return slips, slips <= allowed
}

// distance is the optimal string alignment distance from want to that beginning of have which is nearest to it.
func distance(want, have []rune) int {
	// Three rows of the table are enough: a swap looks two rows back.
	before, above, row := make([]int, len(have)+1), make([]int, len(have)+1), make([]int, len(have)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(want); i++ {
		row[0] = i
		for j := 1; j <= len(have); j++ {
			cost := 1
			if want[i-1] == have[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && want[i-1] == have[j-2] && want[i-2] == have[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	nearest := len(want)
	for _, slips := range above {
		nearest = min(nearest, slips)
	}
	return nearest
}
