package recall

import (
	"strings"
	"unicode/utf8"

	"memoir/internal/words"
)

// A variant is a word that counts as a term, with a weight of 0 to 1.
type variant struct {
	word   string
	degree float64
}

// Weights of words that are not the exact term. They are arbitrary.
const (
	inflected = 0.95 // another form of the term
	compound  = 0.55 // a longer word that starts with it
	synonym   = 0.5
	character = 0.3 // a single Chinese character, which is part of many words
	misspelt  = 0.7 // a similar word for a term that no memory has
)

const (
	// minStem is the length in letters from which a stem identifies a word.
	minStem = 3
	// minCompound is the length in letters from which a term may be the first part of another word.
	minCompound = 5
	// maxVariants limits the variants of a term, because Postgres searches each.
	maxVariants = 24
)

// prefix returns the common prefix of the words that may be forms of a term, or "" if only the word
// counts.
func (t term) prefix() string {
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
	if utf8.RuneCountInString(t.stem[:same]) < minStem {
		return ""
	}
	return t.stem[:same]
}

// variants returns the words that count as a term: the word itself, then its forms, synonyms and
// compounds in the vocabulary, which has words of memories.
func (t term) variants(vocabulary []string, spoken language) []variant {
	if t.character {
		return []variant{{word: t.word, degree: character}}
	}
	all := []variant{{word: t.word, degree: 1}}
	if t.run {
		return append(all, withoutParticles(t.word)...)
	}
	add := func(word string, degree float64) {
		if len(all) < maxVariants {
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
	if utf8.RuneCountInString(t.word) >= minCompound {
		for _, word := range vocabulary {
			if strings.HasPrefix(word, t.word) && stem(word, spoken) != t.stem {
				add(word, compound)
			}
		}
	}
	return all
}

// withoutParticles returns a Korean word without its last one and two syllables, which may be
// particles. It returns nil for other words.
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

// misspellings returns the words of memories that the term may misspell.
func (t term) misspellings(similar []string) []variant {
	var all []variant
	for _, word := range similar {
		typos, isNear := words.Distance(t.word, word)
		longer := utf8.RuneCountInString(word) - utf8.RuneCountInString(t.word)
		if isNear && typos > 0 && longer <= typos && len(all) < maxVariants {
			all = append(all, variant{word: word, degree: misspelt / float64(typos)})
		}
	}
	return all
}
