package diff

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// marked returns the removed and the added lines as pieces. The pieces with words that the other
// lines lack are marked as Changed. If the lines have too little in common, or one of the
// arguments is empty, nothing is marked.
func marked(removed, added []string) (removedPieces, addedPieces [][]Piece) {
	before, after := strings.Join(removed, "\n"), strings.Join(added, "\n")
	if len(removed) > 0 && len(added) > 0 {
		a, b := wordsOf(before, after)
		aMarks, bMarks := make([]bool, len(a)), make([]bool, len(b))
		for _, c := range lcs.DiffLines(a, b) {
			mark(aMarks[c.Start:c.End])
			mark(bMarks[c.ReplStart:c.ReplEnd])
		}
		if alike(a, aMarks, b) {
			return pieces(before, a, aMarks, len(removed)), pieces(after, b, bMarks, len(added))
		}
	}
	return unmarked(removed), unmarked(added)
}

// maxWords is the size in bytes up to which texts are compared by words, without their common start
// and end. It is arbitrary: a long page.
const maxWords = 64 << 10

// wordsOf splits two texts for comparison: their common start and end into lines, the rest into
// words. A rest longer than maxWords is split into lines too. The joined elements are the texts.
func wordsOf(before, after string) (a, b []string) {
	start := sharedStart(before, after)
	end := sharedEnd(before[start:], after[start:])
	split := words
	if max(len(before), len(after))-start-end > maxWords {
		split = lines
	}
	of := func(text string) []string {
		middle := len(text) - end
		return slices.Concat(lines(text[:start]), split(text[start:middle]), lines(text[middle:]))
	}
	return of(before), of(after)
}

// lines splits a text into lines, with each line end as an element of its own. The joined elements
// are the text.
func lines(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		body, ended := strings.CutSuffix(line, "\n")
		if body != "" {
			all = append(all, body)
		}
		if ended {
			all = append(all, "\n")
		}
	}
	return all
}

// sharedStart returns how many bytes the texts have in common at their start, up to and including
// the last space or line end of these. Without one it is 0.
func sharedStart(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return strings.LastIndexAny(a[:n], " \n") + 1
}

// sharedEnd returns how many bytes the texts have in common at their end, from the first space or
// line end of these on. Without one it is 0.
func sharedEnd(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	if space := strings.IndexAny(a[len(a)-n:], " \n"); space >= 0 {
		return n - space
	}
	return 0
}

func unmarked(lines []string) [][]Piece {
	all := make([][]Piece, len(lines))
	for i, line := range lines {
		all[i] = whole(line)
	}
	return all
}

func mark(marks []bool) {
	for i := range marks {
		marks[i] = true
	}
}

// alike reports whether at least half of the shorter text is also in the other one, by visible
// characters. marks is true for each word of a that b lacks.
func alike(a []string, marks []bool, b []string) bool {
	shared := 0
	for i, word := range a {
		if !marks[i] {
			shared += ink(word)
		}
	}
	return 2*shared >= min(ink(a...), ink(b...))
}

// ink returns the number of characters of the words that are not white space.
func ink(words ...string) int {
	n := 0
	for _, word := range words {
		if strings.TrimSpace(word) != "" {
			n += utf8.RuneCountInString(word)
		}
	}
	return n
}

// pieces splits a text into as many lines as lines states. Each line consists of pieces of
// neighbouring words with equal marks. words are the words of the text. Before, it calls
// joinMarks, which changes marks.
func pieces(text string, words []string, marks []bool, lines int) [][]Piece {
	joinMarks(words, marks)
	all := make([][]Piece, lines)
	line, at := 0, 0
	for i, word := range words {
		end := at + len(word)
		if word == "\n" {
			line++
		} else if previous := len(all[line]) - 1; previous >= 0 && all[line][previous].Changed == marks[i] {
			p := &all[line][previous]
			p.Text = text[at-len(p.Text) : end]
		} else {
			all[line] = append(all[line], Piece{Text: word, Changed: marks[i]})
		}
		at = end
	}
	return all
}

// joinMarks marks, in place, white space between two marked words.
func joinMarks(words []string, marks []bool) {
	for i := 1; i+1 < len(words); i++ {
		if marks[i-1] && marks[i+1] && strings.TrimSpace(words[i]) == "" {
			marks[i] = true
		}
	}
}

// words splits a text into words, runs of spaces, line ends and single signs. The joined elements
// are the text. In scripts without spaces, each character is a word; marks stay with their
// character.
func words(text string) []string {
	var all []string
	start, previous := 0, lineEnd
	joiner := false // the last rune joins the next one
	for i, r := range text {
		kind := kindOf(r)
		together := joiner || kind == combining || kind == previous && (kind == letters || kind == spaces)
		if i > 0 && (!together || previous == lineEnd || kind == lineEnd) {
			all = append(all, text[start:i])
			start = i
		}
		if kind != combining && !joiner {
			previous = kind
		}
		joiner = r == zeroWidthJoiner
	}
	if start < len(text) {
		all = append(all, text[start:])
	}
	return all
}

// zeroWidthJoiner joins two characters to one sign, for example in emoji.
const zeroWidthJoiner = '\u200D'

type runeKind int

const (
	sign runeKind = iota
	letters
	spaces
	lineEnd
	combining // belongs to the character before it
)

func kindOf(r rune) runeKind {
	switch {
	case r == '\n':
		return lineEnd
	case r == zeroWidthJoiner || unicode.IsMark(r):
		return combining
	case unicode.IsSpace(r):
		return spaces
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return sign
	case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
		return letters
	default:
		return sign
	}
}
