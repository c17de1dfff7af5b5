package consolidation

import (
	"strings"
	"unicode"

	"memoir/internal/words"
)

// maxWords is the maximum number of compared words of a memory (arbitrary).
const maxWords = 4000

func wordsOf(text string) []string {
	var all []string
	for word := range words.Spaced(text) {
		if all = append(all, word); len(all) == maxWords {
			break
		}
	}
	return all
}

// tokensOf returns the set of words of a text, in their original case. A word is a run of letters,
// digits and -_./:@#, without these signs at its ends.
func tokensOf(text string) map[string]bool {
	tokens := map[string]bool{}
	for _, token := range strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./:@#", r)
	}) {
		if token = strings.Trim(token, "-_./:@#"); token != "" {
			tokens[token] = true
		}
	}
	return tokens
}

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range wordsOf(text) {
		set[word] = true
	}
	return set
}

// stopWords are words without a meaning of their own.
var stopWords = func() map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(`a an the and or of to in on at by for from with as is are was were be been it its this that these those we our you your
		they them their he she his her i my so then than too also very just please should must will would can could may might do does did has have had`) {
		all[word] = true
	}
	return all
}()
