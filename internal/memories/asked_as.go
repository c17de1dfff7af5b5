package memories

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"memoir/internal/memories/memtext"
)

const (
	// MaxPhrases is the number of phrases of a memory, and MaxModelPhrases the number that the model
	// writes, so that a person can add some. MaxPhraseLength is in Unicode characters. They are
	// arbitrary.
	MaxPhrases      = 24
	MaxModelPhrases = 12
	MaxPhraseLength = 120
)

// PhraseWriter wrote the phrases as which a memory is asked.
type PhraseWriter string

const (
	ByModel  PhraseWriter = "model"
	ByAgent  PhraseWriter = "agent" // by MCP, the API or the command line
	ByPerson PhraseWriter = "person"
)

// PhraseWriterOf returns the writer for an actor that is not the model.
func PhraseWriterOf(a Actor) PhraseWriter {
	if a == ByBrowser {
		return ByPerson
	}
	return ByAgent
}

// AskedAs are the phrases as which a memory is asked.
type AskedAs struct {
	Phrases []string
	By      PhraseWriter // empty if none were written
	// IsStale means that they were written for an earlier content. They are used until others are
	// written for this one, which the model never does for those of a person.
	IsStale bool
}

// CleanPhrases returns phrases in the form in which they are saved: each on one line, without those
// that are empty or repeat another one. It returns an *InvalidError if they are too many, or one is
// too long.
func CleanPhrases(phrases []string) ([]string, error) {
	cleaned := []string{}
	for _, phrase := range phrases {
		phrase = CleanPhrase(phrase)
		if utf8.RuneCountInString(phrase) > MaxPhraseLength {
			return nil, &InvalidError{Field: "asked_as", Reason: fmt.Sprintf("has a phrase of more than %d characters; shorten it", MaxPhraseLength)}
		}
		cleaned = AddPhrase(cleaned, phrase)
	}
	if len(cleaned) > MaxPhrases {
		return nil, &InvalidError{Field: "asked_as", Reason: fmt.Sprintf("has more than %d phrases; remove some", MaxPhrases)}
	}
	return cleaned, nil
}

// CleanPhrase returns a phrase on one line, or "" if nothing of it is visible.
func CleanPhrase(phrase string) string {
	phrase = NormalizeName(strings.Join(strings.Fields(memtext.OneLine(memtext.Canonical(phrase))), " "))
	if !memtext.IsVisible(phrase) {
		return ""
	}
	return phrase
}

// AddPhrase returns phrases with a clean one at the end, unless it is empty or known in any letter
// case.
func AddPhrase(phrases []string, phrase string) []string {
	if phrase == "" || slices.ContainsFunc(phrases, func(p string) bool { return strings.EqualFold(p, phrase) }) {
		return phrases
	}
	return append(phrases, phrase)
}
