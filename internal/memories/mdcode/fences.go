package mdcode

import (
	"memoir/internal/memories/memtext"
)

import "strings"

// Fenced returns the lines of a text that are code because they stand between two fences. It goes by the lines alone, and
// takes a sixteenth of the time of a Markdown parser; sure is false where a parser has to be asked. What is indented is not in
// it: it is of use for lines that are not.
//
// A line that begins without an indent ends every quote and list that is open, so that only a fence or HTML on the text's own
// level can still hold it. The rest follows from being careful: whatever could be one or the other is not decided here.
func Fenced(text string) (found Spans, sure bool) {
	var s fenceScan
	openers := fenceOpeners{text: text, next: [...]int{-1, -1, -1}}
	for from := 0; from < len(text); {
		if s.open == "" && s.html == noHTML {
			if from = openers.lineFrom(from); from == len(text) {
				break
			}
		}
		to := memtext.EndOfLine(text, from)
		if !s.line(text[from:to], from) {
			return nil, false
		}
		from = to + 1
	}
	if s.open != "" && s.indent == 0 {
		s.found = append(s.found, [2]int{s.from, len(text)})
	}
	return s.found, true
}

// fenceOpeners are the places of the bytes without which a line opens neither code nor HTML. Hardly any line has one, and to look for the
// next takes a tenth of looking at each line.
type fenceOpeners struct {
	text string
	next [len(openerBytes)]int // of each; -1: yet to be looked for
}

const openerBytes = "`~<"

// lineFrom returns where the first line with one of them begins, at or behind the beginning of a line; without any, where the text ends.
func (o *fenceOpeners) lineFrom(from int) int {
	first := len(o.text)
	for i := range o.next {
		if o.next[i] < from {
			o.next[i] = len(o.text)
			if at := strings.IndexByte(o.text[from:], openerBytes[i]); at >= 0 {
				o.next[i] = from + at
			}
		}
		first = min(first, o.next[i])
	}
	if first == len(o.text) {
		return first
	}
	return from + strings.LastIndexByte(o.text[from:first], '\n') + 1
}

// fenceScan is how far Fenced has come.
type fenceScan struct {
	found  Spans
	open   string // the run of ` or ~ that opened the code; empty: there is none open
	indent int    // of that run, in spaces
	from   int    // behind the line of that run
	html   htmlState
}

// htmlState says what a line may be in.
type htmlState int

const (
	noHTML      htmlState = iota
	htmlComment           // in a comment for certain, up to the line that has its end
	maybeHTML             // in HTML up to the next blank line, if in any
	alwaysHTML            // in HTML for as long as one likes, if in any
)

// line takes the next line, which begins at a position of the text. It returns false where it is not certain what that is.
func (s *fenceScan) line(line string, at int) bool {
	rest := strings.TrimLeft(line, " ")
	indent := len(line) - len(rest)
	switch {
	case s.open != "" && s.indent == 0:
		return s.inCode(indent, rest, at, len(line))
	case s.open != "":
		return s.inIndentedCode(indent, rest)
	case s.html == htmlComment:
		if strings.Contains(line, "-->") {
			s.html = noHTML
		}
		return true
	case strings.Trim(rest, "\t\r") == "":
		if s.html == maybeHTML {
			s.html = noHTML
		}
		return true
	}
	run, before := fenceIn(rest)
	switch {
	case run == "" || strings.Trim(before, " \t\r\f\v>-+*.)0123456789") != "":
		s.noteHTML(indent, rest)
		return true
	case before != "" || s.html != noHTML:
		return false
	case run[0] == '`' && strings.Contains(rest[len(run):], "`"):
		return true // a text that begins with code
	}
	s.open, s.indent, s.from = run, indent, at+len(line)+1
	return true
}

// inCode takes a line behind a fence without an indent.
func (s *fenceScan) inCode(indent int, rest string, at, length int) bool {
	behind, closes := strings.CutPrefix(rest, s.open)
	if !closes || indent > 3 {
		return true
	}
	behind = strings.TrimLeft(behind, s.open[:1])
	if strings.Trim(behind, " \t\r") != "" {
		return strings.TrimSpace(behind) != ""
	}
	s.found = append(s.found, [2]int{s.from, at})
	s.open = ""
	return true
}

// inIndentedCode takes a line behind a fence with an indent. It may be one of a list, of the text, or none; whichever it is,
// it is over behind a fence with the very same indent, as long as nothing in between begins further left.
func (s *fenceScan) inIndentedCode(indent int, rest string) bool {
	if strings.Trim(rest, "\t\r") == "" {
		return true
	}
	run, before := fenceIn(rest)
	switch {
	case indent < s.indent || rest[0] == '\t':
		return false
	case run == "" || strings.Trim(before, " \t\r\f\v>-+*.)0123456789") != "":
		return true
	case before != "" || indent != s.indent || !strings.HasPrefix(run, s.open) || strings.Trim(rest[len(run):], " \t\r") != "":
		return false
	}
	s.open = ""
	return true
}

// fenceIn returns the first run of three or more ` or ~ of a line, and what stands before it.
func fenceIn(line string) (run, before string) {
	at := strings.Index(line, "```")
	if tilde := strings.Index(line, "~~~"); tilde >= 0 && (at < 0 || tilde < at) {
		at = tilde
	}
	if at < 0 {
		return "", line
	}
	rest := line[at:]
	return rest[:len(rest)-len(strings.TrimLeft(rest, rest[:1]))], line[:at]
}

// noteHTML notes what a line that begins with a < may open.
func (s *fenceScan) noteHTML(indent int, rest string) {
	if indent > 3 || rest[0] != '<' || strings.HasPrefix(rest, `<\`) {
		return
	}
	switch comment := strings.HasPrefix(rest, "<!--"); {
	case comment && strings.Contains(rest, "-->"):
	case comment && indent == 0 && s.html == noHTML:
		s.html = htmlComment
	case comment, htmlAlways(rest):
		s.html = alwaysHTML
	default:
		s.html = max(s.html, maybeHTML)
	}
}

// htmlAlways says whether a line may open HTML that does not end at a blank line.
func htmlAlways(rest string) bool {
	for _, opener := range []string{"<?", "<!", "<script", "<pre", "<style", "<textarea"} {
		if len(rest) >= len(opener) && strings.EqualFold(rest[:len(opener)], opener) {
			return true
		}
	}
	return false
}
