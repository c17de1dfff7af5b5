package words

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// slack is how many bytes an end of an excerpt may move to reach a word boundary. It is arbitrary.
const slack = 24

// Excerpt returns the passage of a Markdown text with the most hits of a typed query, as plain
// text on one line. The parts are the hits and the text between them, about length bytes in all.
// An ellipsis marks omitted text. Without a hit it is the start of the text. Similar words are no
// hits. Only the first 64 KiB of body are searched.
func Excerpt(body, query string, length int) []Part { return For(query).Excerpt(body, length) }

// Excerpt returns the passage of a Markdown text with the most hits, as plain text on one line.
// The parts are the hits and the text between them, about length bytes in all, cut between words.
// An ellipsis marks omitted text. Without a hit it is the start of the text. Only the first 64 KiB
// of body are searched.
func (s Search) Excerpt(body string, length int) []Part {
	text := Plain(body)
	passage := s.best(text, length)
	parts := s.Mark(text[passage.start:passage.end])
	if passage.start > 0 {
		parts = append([]Part{{Text: "… "}}, parts...)
	}
	if passage.end < len(text) {
		parts = append(parts, Part{Text: " …"})
	}
	return parts
}

// best returns the passage of about length bytes with the most distinct words of the search. Of
// several it is the one with the most hits, then the first. A text of at most length bytes is the
// passage. Without a hit it is the start of the text.
func (s Search) best(text string, length int) span {
	if len(text) <= length {
		return span{0, len(text)}
	}
	var passage span // from the first to the last hit of the best passage
	best := 0
	found := s.hits(text)
	for i, first := range found {
		different := map[int]bool{}
		end, n := first.end, 0
		for _, h := range found[i:min(len(found), i+length)] {
			if h.end > first.start+length {
				break
			}
			different[h.of] = true
			end, n = max(end, h.end), n+1
		}
		if value := len(different)*length + n; value > best {
			best, passage = value, span{first.start, end}
		}
		if len(different) == len(s.words)+len(s.runs) && i >= maxStarts {
			break
		}
	}
	return around(text, passage, length)
}

// maxStarts is how many hits are tried as start once a passage has all words. It is arbitrary.
const maxStarts = 100

// around returns a passage of about length bytes that contains hold. A third of the bytes besides
// hold are before it. It is cut between words if a space is near, else between characters.
func around(text string, hold span, length int) span {
	spare := max(0, length-(hold.end-hold.start))
	start := max(0, hold.start-spare/3)
	end := min(len(text), max(hold.end, start+length))
	start = max(0, min(start, end-length))
	if start > 0 {
		start = forward(text, start, min(hold.start, start+slack))
	}
	if end < len(text) {
		end = backward(text, end, max(hold.end, end-slack, start))
	}
	return span{start, end}
}

// forward returns the first start of a word in [at, last]. If there is no such start, it returns
// at or the next character boundary up to last.
func forward(text string, at, last int) int {
	if space := strings.LastIndexByte(text[:min(len(text), at)], ' '); space == at-1 {
		return at
	}
	if space := strings.IndexByte(text[at:last], ' '); space >= 0 {
		return at + space + 1
	}
	for at < last && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}

// backward returns the last end of a word in [first, at]. If there is no such end, it returns at
// or the previous character boundary down to first.
func backward(text string, at, first int) int {
	if text[at] == ' ' {
		return at
	}
	if space := strings.LastIndexByte(text[first:at], ' '); space >= 0 {
		return first + space
	}
	for at > first && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// Markup of a Markdown text. Lines with only markup are removed; the text of links stays.
var (
	ruled    = regexp.MustCompile(`^[ \t]*(?:[-*_=~]{3,}|` + "`{3,}[^`\n]*" + `|\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?)[ \t]*$`)
	leading  = regexp.MustCompile(`^[ \t]*(?:(?:>|#{1,6}|[-*+]|\d{1,9}[.)])[ \t]+)*(?:\[[ xX]\][ \t]+)?`)
	linked   = regexp.MustCompile(`!?\[\[?([^\[\]\n]{0,200})\]?\](?:\([^()\s]{0,1000}\))?`)
	slanted  = regexp.MustCompile(`(^|[\s("])\*([^\s*](?:[^*\n]*[^\s*])?)\*`)
	address  = regexp.MustCompile(`<(https?://[^<>\s]*)>`)
	stressed = strings.NewReplacer("**", "", "__", "", "~~", "", "`", "", " | ", " · ")
)

// Plain returns a Markdown text as plain text on one line: without marks, with the text of links,
// and with single spaces. Text after the first 64 KiB is dropped.
func Plain(markdown string) string {
	text, _ := cutAt(markdown, min(len(markdown), maxSearched))
	text = withoutLineMarks(text)
	// strings.Contains costs a hundredth of the regular expression, and most texts have no link.
	if strings.Contains(text, "[") {
		text = linked.ReplaceAllString(text, "$1")
	}
	if strings.Contains(text, "<http") {
		text = address.ReplaceAllString(text, "$1")
	}
	text = stressed.Replace(text)
	if strings.Contains(text, "*") {
		text = slanted.ReplaceAllString(text, "$1$2")
	}
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// withoutLineMarks returns a Markdown text without the marks at the start of its lines. A line
// that has only marks becomes empty; its line end stays.
func withoutLineMarks(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		line, end := strings.CutSuffix(line, "\n")
		if trimmed := strings.TrimLeft(line, " \t"); trimmed != "" && strings.IndexByte("-*_=~`|:>#+[0123456789", trimmed[0]) >= 0 {
			line = leading.ReplaceAllString(ruled.ReplaceAllString(line, ""), "")
		}
		out.WriteString(line)
		if end {
			out.WriteByte('\n')
		}
	}
	return out.String()
}
