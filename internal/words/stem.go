package words

import (
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
)

// Language is an ISO 639-1 code.
type Language string

var stemmers = map[Language]func(*snowballstem.Env) bool{
	"ar": arabic.Stem, "da": danish.Stem, "nl": dutch.Stem, "en": english.Stem, "fi": finnish.Stem, "fr": french.Stem,
	"de": german.Stem, "it": italian.Stem, "no": norwegian.Stem, "pt": portuguese.Stem, "ru": russian.Stem, "es": spanish.Stem,
	"sv": swedish.Stem, "tr": turkish.Stem,
}

// Stem returns the stem that the forms of a word have in common. Cyrillic letters follow the rules
// of Russian, Arabic ones of Arabic, and Latin ones of the language spoken. Words in other scripts
// are returned unchanged. Latin words of a language without a stemmer are returned unchanged, too.
func Stem(word string, spoken Language) string {
	first, _ := utf8.DecodeRuneInString(word)
	switch {
	case unicode.Is(unicode.Latin, first):
	case unicode.Is(unicode.Cyrillic, first):
		spoken = "ru"
	case unicode.Is(unicode.Arabic, first):
		spoken = "ar"
	default:
		return word
	}
	stem, ok := stemmers[spoken]
	if !ok {
		return word
	}
	env := snowballstem.NewEnv(word)
	stem(env)
	return env.Current()
}

// LanguageOf returns the language that has the most function words among words. Of several it is
// the first in languages. It is English if no word is a function word.
func LanguageOf(words []string) Language {
	spoken, count := Language("en"), 0
	for _, of := range languages {
		n := 0
		for _, word := range words {
			if functionWords[of][word] {
				n++
			}
		}
		if n > count {
			spoken, count = of, n
		}
	}
	return spoken
}
