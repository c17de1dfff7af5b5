package recall

import (
	"slices"
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

// prefix returns the beginning that the term's word and its stem have in common. Other forms of
// the word that have this stem start with it. It is "" if it has less than minStem letters, and
// for a run or a word with other characters than letters.
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

// variants returns the words that count as the term, with their weights, at most maxVariants. They
// are the word itself, vocabulary words with the same stem, synonyms, and longer vocabulary words
// that start with it. Only a term of minCompound letters has longer words. A single character has
// only itself. A run has itself and, if it is a Korean word, the results of withoutParticles.
func (t term) variants(vocabulary []string, spoken words.Language) []variant {
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
		if word != t.word && words.Stem(word, spoken) == t.stem {
			add(word, inflected)
		}
	}
	for _, word := range synonymsOf[t.word] {
		add(word, synonym)
	}
	if utf8.RuneCountInString(t.word) >= minCompound {
		for _, word := range vocabulary {
			if strings.HasPrefix(word, t.word) && words.Stem(word, spoken) != t.stem {
				add(word, compound)
			}
		}
	}
	return all
}

// withoutParticles returns up to two variants of a Korean word: without its last syllable and
// without its last two, which may be particles. At least two syllables stay. It returns nil if
// isKoreanWord is false.
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

// isKnown reports whether the vocabulary has the term's word or a word with the same stem.
func (t term) isKnown(vocabulary []string, spoken words.Language) bool {
	return slices.ContainsFunc(vocabulary, func(word string) bool { return word == t.word || words.Stem(word, spoken) == t.stem })
}

// misspellings returns those words in similar that the term may be a misspelling of, at most
// maxVariants. The weight is misspelt divided by the number of typing errors. It leaves out the
// term itself.
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
