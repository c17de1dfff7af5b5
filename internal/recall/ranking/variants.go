package ranking

import (
	"slices"
	"strings"
	"unicode/utf8"

	"memoir/internal/words"
)

// A Variant is a word that counts as a term, with a weight of 0 to 1.
type Variant struct {
	Word   string // folded
	Run    bool   // characters that may be anywhere in a text
	degree float64
}

// Weights of words that are not the exact term. They are arbitrary.
const (
	inflected   = 0.95 // another form of the term
	otherScript = 0.9  // the term in another script
	compound    = 0.55 // a longer word that starts with it
	synonym     = 0.5
	slip        = 0.95 // the word from which the term comes by a slip of the fingers
	misspelt    = 0.8  // another similar word for a term that no memory has
)

const (
	// minStem is the length in letters from which a stem identifies a word.
	minStem = 3
	// minKana is the number of kana from which a word may be romaji. Arbitrary: many short words are.
	minKana = 3
	// minCompound is the length in letters from which a term may be the first part of another word.
	minCompound = 5
	// maxVariants limits the variants of a term, because Postgres searches each.
	maxVariants = 24
	// maxMisspelt limits the unknown terms for which similar words are searched. Each takes 1 ms in
	// Postgres.
	maxMisspelt = 6
)

// Prefixes returns the prefixes of the words that may be variants of the terms.
func (q Question) Prefixes() (all []string) {
	for _, t := range q.Terms {
		if prefix := t.prefix(); prefix != "" {
			all = append(all, prefix)
		}
	}
	return all
}

// Expand sets the variants of all terms, among the words of the vocabulary that have one of the
// prefixes. It sorts vocabulary in place. It returns those terms that no memory has, for Correct: the
// first maxMisspelt that may be misspelt.
func (q Question) Expand(vocabulary []string) (unknown []string) {
	slices.Sort(vocabulary)
	for i := range q.Terms {
		t := &q.Terms[i]
		var known []string // may be forms of the term
		if prefix := t.prefix(); prefix != "" {
			from, _ := slices.BinarySearch(vocabulary, prefix)
			to, _ := slices.BinarySearch(vocabulary, prefix+"\U0010FFFF")
			known = vocabulary[from:to]
		}
		if words.MaxTypos(t.Word) > 0 && !t.Run && !t.isKnown(known, q.language) && len(unknown) < maxMisspelt {
			unknown = append(unknown, t.Word)
		}
		t.Variants = t.variants(known, q.language)
	}
	return unknown
}

// Correct adds those of the similar words that a term may be a misspelling of to its variants.
// similar has them by term.
func (q Question) Correct(similar map[string][]string) {
	for i := range q.Terms {
		t := &q.Terms[i]
		t.Variants = append(t.Variants, t.misspellings(similar[t.Word])...)
	}
}

// prefix returns the beginning that the term's word and its stem have in common. Other forms of
// the word that have this stem start with it. It is "" if it has less than minStem letters, and
// for a run or a word with other characters than letters.
func (t Term) prefix() string {
	if t.Run || !words.CanBeMeant(t.Word) {
		return ""
	}
	same := 0
	for i, r := range t.stem {
		if !strings.HasPrefix(t.Word[min(i, len(t.Word)):], string(r)) {
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
func (t Term) variants(vocabulary []string, spoken words.Language) []Variant {
	if t.Character {
		return t.Variants
	}
	all := append([]Variant{{Word: t.Word, Run: t.Run, degree: 1}}, t.inOtherScripts()...)
	if t.Run {
		return append(all, withoutParticles(t.Word)...)
	}
	add := func(word string, degree float64) {
		if len(all) < maxVariants {
			all = append(all, Variant{Word: word, degree: degree})
		}
	}
	for _, word := range vocabulary {
		if word != t.Word && words.Stem(word, spoken) == t.stem {
			add(word, inflected)
		}
	}
	for _, word := range synonymsOf[t.Word] {
		add(word, synonym)
	}
	if utf8.RuneCountInString(t.Word) >= minCompound {
		for _, word := range vocabulary {
			if strings.HasPrefix(word, t.Word) && words.Stem(word, spoken) != t.stem {
				add(word, compound)
			}
		}
	}
	return all
}

// inOtherScripts returns the term in the scripts in which it may be written otherwise.
func (t Term) inOtherScripts() (all []Variant) {
	if t.Run {
		for _, other := range words.OtherScripts(t.Word) {
			all = append(all, Variant{other, true, otherScript})
		}
	}
	for _, reading := range words.Readings(slices.Collect(words.All(t.Word))) {
		all = append(all, Variant{reading, false, otherScript})
	}
	if kana := words.Kana(t.Word); utf8.RuneCountInString(kana) >= minKana {
		all = append(all, Variant{kana, true, otherScript})
		for _, other := range words.OtherScripts(kana) {
			all = append(all, Variant{other, true, otherScript})
		}
	}
	return all
}

// withoutParticles returns up to two variants of a Korean word: without its last syllable and
// without its last two, which may be particles. At least two syllables stay. It returns nil if
// isKoreanWord is false.
func withoutParticles(word string) (all []Variant) {
	if !isKoreanWord(word) {
		return nil
	}
	syllables := []rune(word)
	for cut := 1; cut <= 2 && len(syllables)-cut >= 2; cut++ {
		all = append(all, Variant{Word: string(syllables[:len(syllables)-cut]), Run: true, degree: inflected})
	}
	return all
}

// isKnown reports whether the vocabulary has the term's word or a word with the same stem.
func (t Term) isKnown(vocabulary []string, spoken words.Language) bool {
	return slices.ContainsFunc(vocabulary, func(word string) bool { return word == t.Word || words.Stem(word, spoken) == t.stem })
}

// misspellings returns those words in similar that the term may be a misspelling of, at most
// maxVariants. The weight is misspelt divided by the number of typing errors. It leaves out the
// term itself.
func (t Term) misspellings(similar []string) []Variant {
	var all []Variant
	slips := words.Slips(t.Word)
	for _, word := range similar {
		if slices.Contains(slips, word) {
			all = append(all, Variant{Word: word, degree: slip})
			continue
		}
		typos, isNear := words.Distance(t.Word, word)
		typos = max(typos, 1) // a word that only continues lacks a letter
		longer := utf8.RuneCountInString(word) - utf8.RuneCountInString(t.Word)
		if isNear && word != t.Word && longer <= typos && len(all) < maxVariants {
			all = append(all, Variant{Word: word, degree: misspelt / float64(typos)})
		}
	}
	return all
}
