// Package marked cuts a passage out of a text around the spans in it that a reader should see.
package marked

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"memoir/internal/words"
)

// Span is a part of a text: text[Start:End], in bytes.
type Span struct{ Start, End int }

// Passage is a part of a text with spans.
type Passage struct {
	Text  string
	Spans []Span // of Text, in order; they do not overlap
	// Before and After mean that the text goes on there.
	Before, After bool
}

// IsCut reports whether the passage is not the whole text.
func (p Passage) IsCut() bool { return p.Before || p.After }

// PassageOf returns a text without white space around it. Of a text longer than most bytes it returns
// a passage of about that length with the first span. It leaves out spans that are not whole
// characters of the text, and the part of a span that an earlier one has.
func PassageOf(text string, spans []Span, most int) Passage {
	begin, end := len(text)-len(strings.TrimLeft(text, " \t\r\n")), len(strings.TrimRight(text, " \t\r\n"))
	if begin >= end {
		return Passage{}
	}
	all := slices.DeleteFunc(slices.Clone(spans), func(s Span) bool { return !isWhole(text, s) })
	slices.SortFunc(all, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	from, to := begin, end
	if end-begin > most {
		if len(all) > 0 {
			from = max(begin, min(all[0].Start-most/4, end-most))
		}
		from, to = atCharacter(text, from), atCharacter(text, from+most)
		if from > begin {
			from = wordAfter(text, from, all[0].Start)
		}
	}
	p := Passage{Text: text[from:to], Before: from > begin, After: to < end}
	at := from
	for _, s := range all {
		start, end := max(at, s.Start), min(to, s.End)
		if start < end {
			p.Spans = append(p.Spans, Span{Start: start - from, End: end - from})
			at = end
		}
	}
	return p
}

// Parts returns the passage as the spans and the text between them. An ellipsis stands for the text
// that is left out. An empty passage has no parts.
func (p Passage) Parts() (parts []words.Part) {
	add := func(text string, isSpan bool) {
		if text != "" {
			parts = append(parts, words.Part{Text: text, Hit: isSpan})
		}
	}
	if p.Before {
		add("…", false)
	}
	at := 0
	for _, s := range p.Spans {
		add(p.Text[at:s.Start], false)
		add(p.Text[s.Start:s.End], true)
		at = s.End
	}
	add(p.Text[at:], false)
	if p.After {
		add("…", false)
	}
	return parts
}

// isWhole reports whether s is a part of the text with whole characters.
func isWhole(text string, s Span) bool {
	return 0 <= s.Start && s.Start < s.End && s.End <= len(text) && utf8.RuneStart(text[s.Start]) && (s.End == len(text) || utf8.RuneStart(text[s.End]))
}

// wordAfter returns the start of the first whole word after from, or from if no word begins up to
// to.
func wordAfter(text string, from, to int) int {
	space := strings.IndexByte(text[from:to], ' ')
	if space < 0 {
		return from
	}
	return from + space + 1
}

// atCharacter returns the start of the character at an offset.
func atCharacter(text string, offset int) int {
	offset = min(offset, len(text))
	for offset > 0 && offset < len(text) && !utf8.RuneStart(text[offset]) {
		offset--
	}
	return offset
}
