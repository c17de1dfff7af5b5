package diff

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// marked returns each of the removed and added lines in pieces, with the words marked that are not in the others.
func marked(removed, added []string) (gone, came [][]Piece) {
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

// maxWords is the longest text, in bytes, whose words are compared one by one: a long page. What both texts have at their
// start and end is not part of it, so that a word in a line of a megabyte is still found at once.
const maxWords = 64 << 10

// wordsOf splits two texts for a comparison: what they share at their start and end into lines, the rest into words.
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

// lines splits a text into its lines and the ends of them. Joined together they are the text.
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

// sharedStart returns how many bytes both texts begin with, up to the last space.
func sharedStart(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return strings.LastIndexAny(a[:n], " \n") + 1
}

// sharedEnd returns how many bytes both texts end with, from the first space on.
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

// alike says whether at least half of the shorter text is in the longer one too. Below that, marks would stand on
// nearly every word and hide the few that stayed by chance.
func alike(a []string, marks []bool, b []string) bool {
	kept := 0
	for i, word := range a {
		if !marks[i] {
			kept += ink(word)
		}
	}
	return 2*kept >= min(ink(a...), ink(b...))
}

// ink is how many characters of the words can be seen.
func ink(words ...string) int {
	n := 0
	for _, word := range words {
		if strings.TrimSpace(word) != "" {
			n += utf8.RuneCountInString(word)
		}
	}
	return n
}

// pieces puts the words of a text together to the pieces of its lines.
func pieces(text string, words []string, marks []bool, lines int) [][]Piece {
	joinMarks(words, marks)
	all := make([][]Piece, lines)
	line, at := 0, 0
	for i, word := range words {
		end := at + len(word)
		if word == "\n" {
			line++
		} else if last := len(all[line]) - 1; last >= 0 && all[line][last].Changed == marks[i] {
			p := &all[line][last]
			p.Text = text[at-len(p.Text) : end]
		} else {
			all[line] = append(all[line], Piece{Text: word, Changed: marks[i]})
		}
		at = end
	}
	return all
}

// joinMarks marks the spaces between two marked words with them: a phrase is one mark.
func joinMarks(words []string, marks []bool) {
	for i := 1; i+1 < len(words); i++ {
		if marks[i-1] && marks[i+1] && strings.TrimSpace(words[i]) == "" {
			marks[i] = true
		}
	}
}

// words splits a text into words, runs of spaces, line ends and single signs. Joined together they are the text.
// Scripts that are written without spaces have a word per character.
func words(text string) []string {
	var all []string
	start, last := 0, lineEnd
	joiner := false // what came last takes the next character to itself
	for i, r := range text {
		kind := kindOf(r)
		together := joiner || kind == combining || kind == last && (kind == letters || kind == spaces)
		if i > 0 && (!together || last == lineEnd || kind == lineEnd) {
			all = append(all, text[start:i])
			start = i
		}
		if kind != combining && !joiner {
			last = kind
		}
		joiner = r == zeroWidthJoiner
	}
	if start < len(text) {
		all = append(all, text[start:])
	}
	return all
}

// zeroWidthJoiner makes one sign of two, in emoji for one.
const zeroWidthJoiner = '\u200D'

type runeKind int

const (
	sign runeKind = iota
	letters
	spaces
	lineEnd
	combining // belongs to what it stands behind
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
