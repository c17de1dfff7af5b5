package recall

import (
	"strings"
	"unicode/utf8"

	"memoir/internal/words"
)

// A variant is a word that counts as one that was asked for, to that degree.
type variant struct {
	word   string
	degree float64
}

// How much a word counts that is not the very one that was asked for.
const (
	inflected = 0.95 // another form of it
	compound  = 0.55 // a longer word that begins with it
	synonym   = 0.5
	character = 0.3 // one of Chinese, which stands in many words
	misspelt  = 0.7 // it looks like it, and nobody has ever written what was typed
)

const (
	// shortestStem is the length, in letters, from which on a stem says which word it is of.
	shortestStem = 3
	// shortestCompound is the length, in letters, from which on a word at the beginning of another has likely to do with it.
	shortestCompound = 5
	// mostVariants bounds how many words count as one that was asked for: Postgres is asked for each.
	mostVariants = 24
)

// beginning returns how the words begin among which the forms of a term are, or nothing where only the word itself counts.
func (t term) beginning() string {
	if t.run || !words.CanBeMeant(t.word) {
		return ""
	}
	same := 0
	for i, r := range t.stem {
		if !strings.HasPrefix(t.word[min(i, len(t.word)):], string(r)) {
			break
		}
		same = i + utf8.RuneLen(r)
	}
	if utf8.RuneCountInString(t.stem[:same]) < shortestStem {
		return ""
	}
	return t.stem[:same]
}

// variants returns what counts as a term: the word itself first, and of the vocabulary, which are words that memories have,
// its other forms and what begins with it.
func (t term) variants(vocabulary []string, spoken language) []variant {
	if t.character {
		return []variant{{word: t.word, degree: character}}
	}
	all := []variant{{word: t.word, degree: 1}}
	if t.run {
		return append(all, withoutParticles(t.word)...)
	}
	add := func(word string, degree float64) {
		if len(all) < mostVariants {
			all = append(all, variant{word: word, degree: degree})
		}
	}
	for _, word := range vocabulary {
		if word != t.word && stem(word, spoken) == t.stem {
			add(word, inflected)
		}
	}
	for _, word := range synonymsOf[t.word] {
		add(word, synonym)
	}
	if utf8.RuneCountInString(t.word) >= shortestCompound {
		for _, word := range vocabulary {
			if strings.HasPrefix(word, t.word) && stem(word, spoken) != t.stem {
				add(word, compound)
			}
		}
	}
	return all
}

// withoutParticles returns a Korean word without what may hang on to it: a particle of one syllable or two.
func withoutParticles(word string) (all []variant) {
	if !isKoreanWord(word) {
		return nil
	}
	syllables := []rune(word)
	for cut := 1; cut <= 2 && len(syllables)-cut >= 2; cut++ {
		all = append(all, variant{word: string(syllables[:len(syllables)-cut]), degree: inflected})
	}
	return all
}

// isKnown reports whether a memory has the word or another form of it.
func (t term) isKnown(vocabulary []string, spoken language) bool {
	for _, word := range vocabulary {
		if word == t.word || stem(word, spoken) == t.stem {
			return true
		}
	}
	return false
}

// misspellings returns the words of memories that a slip of the hand or two make into the term.
func (t term) misspellings(alike []string) []variant {
	var all []variant
	for _, word := range alike {
		slips, near := words.Distance(t.word, word)
		longer := utf8.RuneCountInString(word) - utf8.RuneCountInString(t.word)
		if near && slips > 0 && longer <= slips && len(all) < mostVariants {
			all = append(all, variant{word: word, degree: misspelt / float64(slips)})
		}
	}
	return all
}
