package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lengths in letters of words that can be corrections of a misspelt one. Shorter ones are similar
// to too many, longer ones are rarely words. Both are arbitrary.
const (
	minLetters = 3
	maxLetters = 32
)

// CanBeMeant reports whether a word can be the correction of a misspelt one. It can if it has
// minLetters to maxLetters characters, only letters and their marks, of scripts with spaces.
// Hangul does not count as such. Numbers cannot, because they are similar to too many others.
func CanBeMeant(word string) bool {
	n := utf8.RuneCountInString(word)
	return n >= minLetters && n <= maxLetters && !strings.ContainsFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) || spaceless(r)
	})
}

// MaxTypos returns how many typos a typed word may have: 0 to 2, by its length. A typo is a letter
// that is missing, added or wrong, or two letters swapped. It is 0 for words of less than four
// letters, and if CanBeMeant is false.
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

// Slips returns the words from which a word comes by swapping two neighbouring letters, or by typing
// one too many. Trigrams do not find swapped letters of a short word. It returns nil if MaxTypos is 0.
func Slips(typed string) []string {
	if MaxTypos(typed) == 0 {
		return nil
	}
	letters := []rune(typed)
	var all []string
	for i := range letters {
		all = append(all, string(letters[:i])+string(letters[i+1:]))
		if i > 0 && letters[i] != letters[i-1] {
			swapped := slices.Clone(letters)
			swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
			all = append(all, string(swapped))
		}
	}
	return all
}

// Distance returns the number of typos between the typed word and the nearest prefix of word, both
// folded. 0 and true mean that word starts with typed. isNear is false if there are more than
// MaxTypos(typed); typos then has no meaning.
func Distance(typed, word string) (typos int, isNear bool) {
	maxTypos := MaxTypos(typed)
	if strings.HasPrefix(word, typed) {
		return 0, true
	}
	if maxTypos == 0 {
		return 0, false
	}
	want, have := []rune(typed), []rune(word)
	if len(have) < len(want)-maxTypos {
		return 0, false
	}
	typos = distance(want, have[:min(len(have), len(want)+maxTypos)])
	return typos, typos <= maxTypos
}

// distance returns the optimal string alignment distance between want and the nearest prefix of
// have. This is the number of letters missing, added, wrong, or swapped with their neighbour.
func distance(want, have []rune) int {
	// Three rows of the table are enough: a swap refers to the row two above.
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
	for _, typos := range above {
		nearest = min(nearest, typos)
	}
	return nearest
}
