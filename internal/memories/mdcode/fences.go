package mdcode

import (
	"strings"

	"memoir/internal/memories/memtext"
)

// Fenced returns the spans of fenced code that starts without indentation, without the fences. It
// reads line by line, in a small part of a parser's time. An unclosed fence extends to the end.
// sure is false if only a parser can decide; found is then nil. An unindented line ends all open
// quotes and lists, so only fences and HTML at the outer level matter.
func Fenced(text string) (found Spans, sure bool) {
	var s fenceScan
	for from := 0; from < len(text); {
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

// fenceScan is the state of Fenced between two lines.
type fenceScan struct {
	found  Spans
	open   string // run of ` or ~ that opened the code; empty outside code
	indent int    // indentation of that run in spaces
	from   int    // offset after that run's line
	html   htmlState
}

// htmlState is whether a line may be inside HTML.
type htmlState int

const (
	noHTML      htmlState = iota
	htmlComment           // in a comment until a line with its end
	maybeHTML             // possibly in HTML until a blank line
	alwaysHTML            // possibly in HTML without a known end
)

// line processes the line at an offset. It returns false if only a parser can decide whether the
// line opens or closes code.
func (s *fenceScan) line(line string, at int) bool {
	rest := strings.TrimLeft(line, " ")
	indent := len(line) - len(rest)
	switch {
	case s.open != "" && s.indent == 0:
		return s.inCode(indent, rest, at)
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
		return true // text that starts with a code span
	}
	s.open, s.indent, s.from = run, indent, at+len(line)+1
	return true
}

// inCode processes a line after an unindented fence, and ends the code at a closing fence. It
// returns false if parsers may disagree about the line.
func (s *fenceScan) inCode(indent int, rest string, at int) bool {
	after, closes := strings.CutPrefix(rest, s.open)
	if !closes || indent > 3 {
		return true
	}
	after = strings.TrimLeft(after, s.open[:1])
	if strings.Trim(after, " \t\r") != "" {
		return strings.TrimSpace(after) != ""
	}
	s.found = append(s.found, [2]int{s.from, at})
	s.open = ""
	return true
}

// inIndentedCode processes a line after an indented fence. The fence may be in a list or be plain
// text; in both cases it ends at a fence with the same indentation. It returns false if only a
// parser can decide, for example after a line with less indentation.
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

// fenceIn returns the first run of three or more ` or ~ in a line, and the text before it. Without
// one, run is empty and before is the line.
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

// noteHTML records in s.html which HTML a line may open, if the line starts with <.
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

// htmlAlways reports whether a line starts with an HTML tag or mark whose block does not end at a
// blank line, such as <pre or <?.
func htmlAlways(rest string) bool {
	for _, opener := range []string{"<?", "<!", "<script", "<pre", "<style", "<textarea"} {
		if len(rest) >= len(opener) && strings.EqualFold(rest[:len(opener)], opener) {
			return true
		}
	}
	return false
}
