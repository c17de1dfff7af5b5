// Package words defines words for search: how a text is split into words, which spellings are
// equal, which words are similar to a typed one, and where a text has hits. It is pure: no SQL, no
// HTML. The database package fills and queries the search index with it, and the pages mark hits
// with it, so that they mark what was found.
package words

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Longest is how many bytes of a word are compared. It is arbitrary; Postgres allows 2,046.
const Longest = 255

// All yields the words of a text in order: runs of letters, digits and marks. They are folded so
// that letter case, width and accents do not matter, and cut to Longest bytes. In scripts without
// spaces, and in Hangul, each character is a word.
func All(text string) iter.Seq[string] { return wordsOf(text, spaceless) }

// Spaced yields the folded words of a text in order, cut to Longest bytes. Words are runs of
// letters, digits and marks; Hangul text between two spaces is one word. In scripts without spaces
// each character is a word. It is for comparing texts: unlike with All, a different syllable of
// Hangul is not a different word.
func Spaced(text string) iter.Seq[string] { return wordsOf(text, writtenWithoutSpaces) }

func wordsOf(text string, alone func(rune) bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		folded := fold(text)
		for w := range spans(folded, alone) {
			if !yield(cut(folded[w.start:w.end])) {
				return
			}
		}
	}
}

// A span is a byte range of a text.
type span struct{ start, end int }

// spans yields the ranges of the words of a folded text, in order. Each character for which alone
// reports true is a word of its own.
func spans(folded string, alone func(rune) bool) iter.Seq[span] {
	return func(yield func(span) bool) {
		start := -1
		for i, r := range folded {
			alone := r >= utf8.RuneSelf && alone(r)
			if !alone && isPart(r) {
				if start < 0 {
					start = i
				}
				continue
			}
			if start >= 0 && !yield(span{start, i}) {
				return
			}
			start = -1
			if alone && !yield(span{i, i + utf8.RuneLen(r)}) {
				return
			}
		}
		if start >= 0 {
			yield(span{start, len(folded)})
		}
	}
}

// isPart reports whether a folded character is part of a word. It decides about ASCII without tables,
// because most text is ASCII.
func isPart(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// SetsNoSpaces reports whether a word starts with a character of a script without spaces, or of
// Hangul.
func SetsNoSpaces(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return spaceless(r)
}

// Runs returns the unbroken runs of characters of Hangul and scripts without spaces in a text, in
// NFKC. It omits runs of one character.
func Runs(text string) []string {
	var runs []string
	for run := range strings.FieldsFuncSeq(norm.NFKC.String(text), func(r rune) bool { return !spaceless(r) }) {
		if utf8.RuneCountInString(run) > 1 {
			runs = append(runs, run)
		}
	}
	return runs
}

// fold returns a text without differences in letter case and width, and without accents on Latin
// and Greek letters. It folds words with other characters one by one, because ASCII is much cheaper.
// Folding never depends on text beyond a space or line feed.
func fold(text string) string {
	const blanks = " \n"
	other := notASCII(text)
	if other < 0 {
		return strings.ToLower(text)
	}
	var folded strings.Builder
	for ; other >= 0; other = notASCII(text) {
		start, end := strings.LastIndexAny(text[:other], blanks)+1, len(text)
		if blank := strings.IndexAny(text[other:], blanks); blank >= 0 {
			end = other + blank
		}
		folded.WriteString(strings.ToLower(text[:start]))
		folded.WriteString(withoutAccents(foldCase(norm.NFKC.String(text[start:end]))))
		text = text[end:]
	}
	folded.WriteString(strings.ToLower(text))
	return folded.String()
}

// foldCase returns a text without differences in letter case. The library swaps the cases of
// Cherokee letters; Unicode folds both to the capital one.
func foldCase(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cherokee, r) {
			return unicode.ToUpper(r)
		}
		return r
	}, cases.Fold().String(text))
}

// withoutAccents returns a text, in NFC, without the marks on Latin and Greek letters, which
// people omit in searches. In other scripts a mark can make another letter.
func withoutAccents(text string) string {
	accented := false
	bare := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			if accented {
				return -1
			}
			return r
		}
		accented = unicode.In(r, unicode.Latin, unicode.Greek)
		return r
	}, norm.NFD.String(text))
	return norm.NFC.String(bare)
}

// notASCII returns the index of the first byte that is not ASCII, or -1.
func notASCII(text string) int {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return i
		}
	}
	return -1
}

// cut returns a word, without the characters that are not completely in its first Longest bytes.
func cut(word string) string {
	if len(word) <= Longest {
		return word
	}
	end := Longest
	for !utf8.RuneStart(word[end]) {
		end--
	}
	return word[:end]
}

// spaceless reports whether a character is of a script without spaces or of Hangul. Hangul text
// between two spaces often has several words and particles.
func spaceless(r rune) bool {
	return writtenWithoutSpaces(r) || r >= 0x1100 && unicode.Is(unicode.Hangul, r)
}

// writtenWithoutSpaces reports whether a character is of a script without spaces between words. The
// long vowel mark belongs to no script, but is part of Japanese words.
func writtenWithoutSpaces(r rune) bool {
	return r >= 0x0E00 && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai,
		unicode.Lao, unicode.Khmer, unicode.Myanmar))
}
