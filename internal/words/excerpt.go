package words

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// slack is how far from its place a cut may move to not be inside a word, in bytes.
const slack = 24

// Excerpt is Search.Excerpt for what somebody typed.
func Excerpt(body, query string, length int) []Part { return For(query).Excerpt(body, length) }

// Excerpt returns the passage of a Markdown text that has the most of the search, with the hits told from the rest, as
// plain text on one line: what only sets it, such as the marks of headings and code, is left out. The passage has about
// that length in bytes, is cut between words, and begins and ends with … where the text goes on. Without a hit it is the
// beginning.
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

// best returns the passage with the most different words of the search, of those the one with the most hits, of those
// the first.
func (s Search) best(text string, length int) span {
	if len(text) <= length {
		return span{0, len(text)}
	}
	var within span // from the first hit of the best passage to its last
	most := 0
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
		if worth := len(different)*length + n; worth > most {
			most, within = worth, span{first.start, end}
		}
		if len(different) == len(s.words)+len(s.runs) && i >= enough {
			break
		}
	}
	return around(text, within, length)
}

// enough is how many hits are tried as the beginning of a passage once one has all that was typed.
const enough = 100

// around returns a passage of about that length with a third of what is left over before what it is to hold.
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

// forward returns the first beginning of a word from a place on, up to the last that is allowed; where there is none,
// the place itself or what follows it up to the next character.
func forward(text string, place, last int) int {
	if space := strings.LastIndexByte(text[:min(len(text), place)], ' '); space == place-1 {
		return place
	}
	if space := strings.IndexByte(text[place:last], ' '); space >= 0 {
		return place + space + 1
	}
	for place < last && !utf8.RuneStart(text[place]) {
		place++
	}
	return place
}

// backward returns the last end of a word up to a place, down to the first that is allowed, or the place itself.
func backward(text string, place, first int) int {
	if text[place] == ' ' {
		return place
	}
	if space := strings.LastIndexByte(text[first:place], ' '); space >= 0 {
		return first + space
	}
	for place > first && !utf8.RuneStart(text[place]) {
		place--
	}
	return place
}

// What only sets a Markdown text, not what it says. A line that has nothing else goes; of a link its words stay.
var (
	ruled    = regexp.MustCompile(`^[ \t]*(?:[-*_=~]{3,}|` + "`{3,}[^`\n]*" + `|\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?)[ \t]*$`)
	leading  = regexp.MustCompile(`^[ \t]*(?:(?:>|#{1,6}|[-*+]|\d{1,9}[.)])[ \t]+)*(?:\[[ xX]\][ \t]+)?`)
	linked   = regexp.MustCompile(`!?\[\[?([^\[\]\n]{0,200})\]?\](?:\([^()\s]{0,1000}\))?`)
	slanted  = regexp.MustCompile(`(^|[\s("])\*([^\s*](?:[^*\n]*[^\s*])?)\*`)
	address  = regexp.MustCompile(`<(https?://[^<>\s]*)>`)
	stressed = strings.NewReplacer("**", "", "__", "", "~~", "", "`", "", " | ", " · ")
)

// Plain returns the beginning of a Markdown text, 64 KiB at most, as plain text on one line.
func Plain(markdown string) string {
	text, _ := cutAt(markdown, min(len(markdown), lookedAt))
	text = withoutLineMarks(text)
	// Most texts have no link, and a page of hits has many texts: to look for a bracket costs a hundredth of the pattern.
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

// withoutLineMarks leaves out what sets whole lines. Few lines begin with a character that could.
func withoutLineMarks(text string) string {
	var bare strings.Builder
	for line := range strings.Lines(text) {
		line, end := strings.CutSuffix(line, "\n")
		if begins := strings.TrimLeft(line, " \t"); begins != "" && strings.IndexByte("-*_=~`|:>#+[0123456789", begins[0]) >= 0 {
			line = leading.ReplaceAllString(ruled.ReplaceAllString(line, ""), "")
		}
		bare.WriteString(line)
		if end {
			bare.WriteByte('\n')
		}
	}
	return bare.String()
}
