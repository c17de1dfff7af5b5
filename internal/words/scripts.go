package words

import (
	_ "embed" // tables of characters
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/mozillazg/go-unidecode"
)

// maxReading is how many Chinese characters are read as one word.
const maxReading = 3

// Readings returns how the beginning of a text is written in Latin letters, folded. next are the words
// of the text, as All yields them. It reads one Cyrillic or Greek word, or the first two to maxReading
// Chinese characters in pinyin. Otherwise it returns nil.
func Readings(next []string) (all []string) {
	first, _ := utf8.DecodeRuneInString(next[0])
	switch {
	case first < 0x370:
		return nil
	case unicode.In(first, unicode.Cyrillic, unicode.Greek):
		return []string{latin(next[0])}
	case !unicode.Is(unicode.Han, first):
		return nil
	}
	reading := latin(next[0])
	for _, word := range next[1:min(len(next), maxReading)] {
		if r, _ := utf8.DecodeRuneInString(word); !unicode.Is(unicode.Han, r) {
			break
		}
		reading += latin(word)
		all = append(all, reading)
	}
	return all
}

// latin returns a text in lower-case Latin letters, without spaces.
func latin(text string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == ' ' || r == '\'' || r == '"' { // between characters, and for soft and hard signs
			return -1
		}
		return r
	}, unidecode.Unidecode(text)))
}

// OtherScripts returns how a run of Chinese or Japanese characters is written otherwise: in simplified
// and traditional characters, and in the other kana. It omits the run itself.
func OtherScripts(run string) (all []string) {
	add := func(other string) {
		if other != run {
			all = append(all, other)
		}
	}
	if strings.ContainsFunc(run, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		for _, table := range chinese() {
			add(strings.Map(func(r rune) rune {
				if other, ok := table[r]; ok {
					return other
				}
				return r
			}, run))
		}
	}
	add(shiftKana(run, unicode.Katakana, hiragana-katakana))
	add(shiftKana(run, unicode.Hiragana, katakana-hiragana))
	return all
}

//go:embed opencc/TSCharacters.txt
var simplified string

//go:embed opencc/STCharacters.txt
var traditional string

// chinese returns the tables of simplified and of traditional characters. Where a character has several
// forms, they have the most frequent one.
var chinese = sync.OnceValue(func() (all []map[rune]rune) {
	for _, text := range []string{simplified, traditional} {
		table := map[rune]rune{}
		for line := range strings.Lines(text) {
			from, to, _ := strings.Cut(line, "\t")
			before, _ := utf8.DecodeRuneInString(from)
			after, _ := utf8.DecodeRuneInString(to)
			table[before] = after
		}
		all = append(all, table)
	}
	return all
})

// The first letters of the two kana, which have the same order.
const (
	hiragana = 'ぁ'
	katakana = 'ァ'
)

// shiftKana moves the letters of one of the kana by some code points.
func shiftKana(text string, of *unicode.RangeTable, by rune) string {
	return strings.Map(func(r rune) rune {
		if other := r + by; unicode.Is(of, r) && (other >= hiragana && other <= 'ゖ' || other >= katakana && other <= 'ヶ') {
			return other
		}
		return r
	}, text)
}

// Kana returns a word in Latin letters as hiragana, or "" if it is no romaji.
func Kana(word string) string {
	var kana strings.Builder
	table := romaji()
	for word != "" {
		if len(word) > 1 && word[0] == word[1] && !strings.ContainsRune("aeioun", rune(word[0])) {
			kana.WriteRune('っ')
			word = word[1:]
			continue
		}
		n := min(len(word), 3)
		for ; n > 0 && table[word[:n]] == ""; n-- {
		}
		if n == 0 {
			return ""
		}
		kana.WriteString(table[word[:n]])
		word = word[n:]
	}
	return kana.String()
}

// romaji maps the Latin writing of syllables to hiragana.
var romaji = sync.OnceValue(func() map[string]string {
	table := map[string]string{"n": "ん", "fu": "ふ", "ji": "じ"} // Hepburn
	for r := 'あ'; r <= 'ん'; r++ {
		syllable := latin(string(r))
		if strings.ContainsRune("ぁぃぅぇぉっゃゅょゎゐゑをぢづ", r) || table[syllable] != "" {
			continue
		}
		table[syllable] = string(r)
		stem, isInI := strings.CutSuffix(syllable, "i")
		if !isInI || stem == "" {
			continue
		}
		if r == 'じ' {
			stem = "j"
		}
		for small, vowel := range map[string]string{"ゃ": "a", "ゅ": "u", "ょ": "o"} {
			if stem == "sh" || stem == "ch" || stem == "j" {
				table[stem+vowel] = string(r) + small
			} else {
				table[stem+"y"+vowel] = string(r) + small
			}
		}
	}
	return table
})
