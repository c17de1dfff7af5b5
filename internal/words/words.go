// Package words says what a word is to Memoir's search: how a text falls apart into words, which spellings count as the
// same, which words come close to one that somebody typed, and where in a text the hits are. It is pure: no SQL, no
// HTML. The store fills and asks the search index by it, and the pages mark hits by it, so that what is marked is what
// was found.
package words

import (
	"iter"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Longest is the longest word that is told from others, in bytes: what follows is left off. Postgres takes up to 2,046;
// nobody types more than this.
const Longest = 255

// All yields the words of a text: runs of letters, digits and marks, folded so that letter case, width and accents do
// not matter. In scripts that set no spaces, and in Hangul, each character is a word.
func All(text string) iter.Seq[string] { return apart(text, spaceless) }

// Spaced yields the same words, but what stands between two spaces of Hangul whole. It is for whoever compares texts by their words:
// another word is another fact, and another syllable hardly any.
func Spaced(text string) iter.Seq[string] { return apart(text, writtenWithoutSpaces) }

func apart(text string, alone func(rune) bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		folded := fold(text)
		for w := range spans(folded, alone) {
			if !yield(cut(folded[w.start:w.end])) {
				return
			}
		}
	}
}

// A span is a part of a text, in bytes from its start.
type span struct{ start, end int }

// spans yields where the words of a folded text are, of which some characters are each one alone.
func spans(folded string, alone func(rune) bool) iter.Seq[span] {
	return func(yield func(span) bool) {
		start := -1
		for i, r := range folded {
			alone := alone(r)
			if !alone && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) {
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

// SetsNoSpaces reports whether a word is one character of a script that is written without spaces between words, or of Hangul.
func SetsNoSpaces(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return spaceless(r)
}

// Runs returns the parts of a text, two characters and longer, that are written without spaces; of Hangul, what stands
// between two. Their characters stand as they are in NFKC.
func Runs(text string) []string {
	if !hasLong(text) {
		return nil
	}
	var runs []string
	for run := range strings.FieldsFuncSeq(norm.NFKC.String(text), func(r rune) bool { return !spaceless(r) }) {
		if utf8.RuneCountInString(run) > 1 {
			runs = append(runs, run)
		}
	}
	return runs
}

// fold makes texts that differ in letter case, width or accents the same. Most text is ASCII, where lowering the
// letters does it at a sixth of the cost, and most of the rest Latin: a text with something else here and there is folded piece by
// piece. No character changes with one on the other side of a blank.
func fold(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	var folded strings.Builder
	folded.Grow(len(text))
	for text != "" {
		end := len(text)
		if blank := strings.IndexAny(text, " \n"); blank >= 0 {
			end = blank + 1
		}
		switch piece := text[:end]; {
		case isASCII(piece):
			folded.WriteString(strings.ToLower(piece))
		case isLatin(piece):
			for _, r := range piece {
				folded.WriteString(latin()[r])
			}
		default:
			folded.WriteString(foldAny(piece))
		}
		text = text[end:]
	}
	return folded.String()
}

func foldAny(text string) string { return withoutAccents(foldCase(norm.NFKC.String(text))) }

// firstMark is the first character that changes with the one before it: U+0300, with which the combining marks begin. Before it
// are the Latin alphabets.
const firstMark = 0x300

// latin has what each character before the first mark is folded to.
var latin = sync.OnceValue(func() *[firstMark]string {
	var folded [firstMark]string
	for r := range folded {
		folded[r] = foldAny(string(rune(r)))
	}
	return &folded
})

func isLatin(text string) bool {
	for _, r := range text { // a byte that is no character counts as U+FFFD
		if r >= firstMark {
			return false
		}
	}
	return true
}

// foldCase makes the letter cases the same. The library turns the two of a Cherokee letter into each other, where Unicode makes
// both the capital one.
func foldCase(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cherokee, r) {
			return unicode.ToUpper(r)
		}
		return r
	}, cases.Fold().String(text))
}

// withoutAccents drops the marks on Latin and Greek letters, which people leave out when they search. In other scripts
// a mark can make another letter.
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

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// hasLong says whether the text has a character of three bytes or more, as all of the scripts without spaces are, and all that
// becomes one of theirs by folding.
func hasLong(text string) bool {
	for i := range len(text) {
		if text[i] >= 0xE0 { // the least byte that begins one
			return true
		}
	}
	return false
}

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

// spaceless tells the scripts in which a word may stand anywhere in what is written together: those without spaces, and Hangul. What
// stands between two of its spaces is often several words, and ends with particles of a syllable or two.
func spaceless(r rune) bool {
	return writtenWithoutSpaces(r) || r >= 0x1100 && unicode.Is(unicode.Hangul, r)
}

// writtenWithoutSpaces tells the scripts that are written without spaces between words. The mark of a long vowel belongs to no
// script of its own and stands in the middle of Japanese words.
func writtenWithoutSpaces(r rune) bool {
	return r >= 0x0E00 && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai,
		unicode.Lao, unicode.Khmer, unicode.Myanmar))
}
