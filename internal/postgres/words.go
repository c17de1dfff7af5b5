package postgres

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

const (
	// maxWord is the longest word kept, in bytes. Postgres takes up to 2,046; nobody types more than this.
	maxWord = 255
	// maxVector keeps a vector below Postgres' limit of 1,048,575 bytes with room for its own overhead.
	maxVector = 900_000
	// maxPositions and lastPosition are Postgres' own limits; it would drop what goes beyond.
	maxPositions = 255
	lastPosition = 16383
)

// vectorOf returns the literal of a tsvector over a memory's text, name before description before body in weight. The
// words are split here and not by Postgres, so that paths, identifiers and every script are found by the same rule
// that splits what people type.
func vectorOf(name, description, body string) string {
	type occurrence struct {
		position int
		weight   byte
	}
	found := map[string][]occurrence{}
	order := []string{}
	position, size := 0, 0
	add := func(text string, weight byte) {
		for word := range words(text) {
			position++
			known, ok := found[word]
			if !ok {
				if size += len(word) + 8; size > maxVector {
					return
				}
				order = append(order, word)
			}
			if len(known) < maxPositions && position <= lastPosition {
				if size += 2; size > maxVector {
					return
				}
				found[word] = append(known, occurrence{position, weight})
			} else if !ok {
				found[word] = nil
			}
		}
	}
	add(name, 'A')
	add(description, 'B')
	add(body, 'C')

	vector := make([]byte, 0, 2*size)
	for _, word := range order {
		vector = append(vector, '\'')
		vector = append(vector, word...)
		vector = append(vector, '\'')
		separator := byte(':')
		for _, o := range found[word] {
			vector = append(vector, separator)
			vector = strconv.AppendInt(vector, int64(o.position), 10)
			vector = append(vector, o.weight)
			separator = ','
		}
		vector = append(vector, ' ')
	}
	return string(vector)
}

// A search is what people typed, as Postgres wants it.
type search struct {
	query   string   // a tsquery: every word, each as a prefix
	phrases []string // runs of a script without spaces in NFKC, each of which must stand in the text
}

// searchOf reads what people typed. ok is false when there is no word in it.
func searchOf(typed string) (s search, ok bool) {
	var terms []string
	for word := range words(typed) {
		if r, _ := utf8.DecodeRuneInString(word); spaceless(r) {
			terms = append(terms, "'"+word+"'")
		} else {
			terms = append(terms, "'"+word+"':*")
		}
	}
	for run := range strings.FieldsFuncSeq(norm.NFKC.String(typed), func(r rune) bool { return !spaceless(r) }) {
		if utf8.RuneCountInString(run) > 1 {
			s.phrases = append(s.phrases, run)
		}
	}
	s.query = strings.Join(terms, " & ")
	return s, len(terms) > 0
}

// words yields the words of a text: runs of letters, digits and marks, folded so that letter case and width do not
// matter. In scripts that set no spaces each character is a word.
func words(text string) func(yield func(string) bool) {
	folded := fold(text)
	return func(yield func(string) bool) {
		start := -1
		for i, r := range folded {
			inWord := (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !spaceless(r)
			if inWord {
				if start < 0 {
					start = i
				}
				continue
			}
			if start >= 0 && !yield(cut(folded[start:i])) {
				return
			}
			start = -1
			if spaceless(r) && !yield(string(r)) {
				return
			}
		}
		if start >= 0 {
			yield(cut(folded[start:]))
		}
	}
}

// fold makes texts that differ in letter case, width or accents the same. Most text is ASCII, where lowering the
// letters does it at a sixth of the cost.
func fold(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	return withoutAccents(cases.Fold().String(norm.NFKC.String(text)))
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

func cut(word string) string {
	if len(word) <= maxWord {
		return word
	}
	end := maxWord
	for !utf8.RuneStart(word[end]) {
		end--
	}
	return word[:end]
}

// spaceless tells the scripts that are written without spaces between words.
func spaceless(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar)
}
