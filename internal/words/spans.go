package words

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// TextSpan is a part of a text: text[Start:End], in bytes.
type TextSpan struct{ Start, End int }

// MarkSpans returns a text with the spans marked, without white space around it. Of a text longer
// than most bytes it returns a passage of about that length with the first span, and isCut is true.
// Spans that are not whole characters of the text are ignored. An empty text has no parts.
func MarkSpans(text string, spans []TextSpan, most int) (parts []Part, isCut bool) {
	begin, end := len(text)-len(strings.TrimLeft(text, " \t\r\n")), len(strings.TrimRight(text, " \t\r\n"))
	if begin >= end {
		return nil, false
	}
	marked := slices.DeleteFunc(slices.Clone(spans), func(s TextSpan) bool { return !isWhole(text, s) })
	slices.SortFunc(marked, func(a, b TextSpan) int { return cmp.Compare(a.Start, b.Start) })
	from, to := begin, end
	if end-begin > most {
		if len(marked) > 0 {
			from = max(begin, min(marked[0].Start-most/4, end-most))
		}
		from, to = atCharacter(text, from), atCharacter(text, from+most)
		if from > begin {
			from = wordAfter(text, from, marked[0].Start)
		}
	}
	add := func(start, end int, hit bool) {
		if start < end {
			parts = append(parts, Part{Text: text[start:end], Hit: hit})
		}
	}
	if from > begin {
		parts = append(parts, Part{Text: "…"})
	}
	at := from
	for _, s := range marked {
		start, end := max(at, s.Start), min(to, s.End)
		if start < end {
			add(at, start, false)
			add(start, end, true)
			at = end
		}
	}
	add(at, to, false)
	if to < end {
		parts = append(parts, Part{Text: "…"})
	}
	return parts, from > begin || to < end
}

// isWhole reports whether s is a part of the text with whole characters.
func isWhole(text string, s TextSpan) bool {
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
