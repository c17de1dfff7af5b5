package words

import (
	_ "embed" // functionwords.txt
	"strings"
)

// IsFunctionWord reports whether a folded word has no meaning for search in that language: it is
// grammatical, or people address an agent with it.
func IsFunctionWord(word string, of Language) bool { return functionWords[of][word] }

// languages are the languages with known function words, in order of preference.
var languages = []Language{"en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "fi", "tr", "ru"}

// functionWordLists are the function words of each language, folded as All does. A line with a code
// and a colon begins the list of a language.
//
//go:embed functionwords.txt
var functionWordLists string

// functionWords are words without a meaning for search: grammatical words, and words with which
// people address an agent.
var functionWords = func() map[Language]map[string]bool {
	sets := map[Language]map[string]bool{}
	var of Language
	for _, word := range strings.Fields(functionWordLists) {
		if code, isCode := strings.CutSuffix(word, ":"); isCode {
			of = Language(code)
			sets[of] = map[string]bool{}
			continue
		}
		sets[of][word] = true
	}
	return sets
}()
