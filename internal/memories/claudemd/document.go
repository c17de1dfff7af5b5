package claudemd

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"memoir/internal/memories/mdcode"
	"memoir/internal/memories/memtext"
)

// ErrDamagedMarkers says that a CLAUDE.md does not have exactly one begin marker followed by one end marker, so that
// nobody can tell which part of it is Memoir's.
var ErrDamagedMarkers = errors.New("the memoir:begin and memoir:end lines are not one pair in order; restore both lines, or remove both and the text between them")

// ErrUnclosedCode says that a CLAUDE.md without markers ends inside a code fence that is never closed, so that what is
// appended would be part of the code and never be found again.
var ErrUnclosedCode = errors.New("the file ends inside a code block that is never closed; close it with the line that opened it")

// Document is a CLAUDE.md: Memoir's block and everything around it, which stays byte for byte.
type Document struct {
	before, block, after string
	found                bool
}

// ReadDocument finds the block in a CLAUDE.md; an empty or missing file is nil. A marker counts when it is a whole line
// outside code. The errors are ErrDamagedMarkers and ErrUnclosedCode; the file must then be left alone.
func ReadDocument(raw []byte) (Document, error) {
	text := string(raw)
	markers := markerLines(text)
	if len(markers) == 0 {
		d := Document{before: text}
		if len(markerLines(string(d.With([]byte(beginMarker+"\n"+endMarker))))) != 2 {
			return Document{}, ErrUnclosedCode
		}
		return d, nil
	}
	if len(markers) != 2 || !markers[0].begins || markers[1].begins {
		return Document{}, ErrDamagedMarkers
	}
	from, to := markers[0].from, markers[1].to
	return Document{before: text[:from], block: text[from:to], after: text[to:], found: true}, nil
}

// Block returns the block as it stands in the file, markers included, or nil when there is none.
func (d Document) Block() []byte {
	if !d.found {
		return nil
	}
	return []byte(d.block)
}

// Outside returns how many Unicode characters the file has besides the block, those that With adds to part the block
// from the text before it included.
func (d Document) Outside() int {
	before, after := d.Around()
	return utf8.RuneCountInString(before) + utf8.RuneCountInString(after)
}

// With returns the file with this block in the place of the one it has. A file that has none gets the block at its end,
// after a blank line.
func (d Document) With(block []byte) []byte {
	before, after := d.Around()
	return slices.Concat([]byte(before), block, []byte(after))
}

// Without returns the file without the block, and without the blank line that With puts before a block at the end.
func (d Document) Without() []byte {
	if !d.found {
		return []byte(d.before)
	}
	after := strings.TrimPrefix(strings.TrimPrefix(d.after, "\r"), "\n")
	if before, found := strings.CutSuffix(d.before, "\n\n"); found && after == "" {
		return []byte(before + "\n")
	}
	return []byte(d.before + after)
}

// Size returns how long the file is, in bytes.
func (d Document) Size() int { return len(d.before) + len(d.block) + len(d.after) }

// Around returns what stands before and behind the block in a file that has it: what Memoir does not own, and, where
// there is no block yet, the blank line and the line end that part it from the rest.
func (d Document) Around() (before, after string) {
	if d.found {
		return d.before, d.after
	}
	return d.before + parting(d.before), "\n"
}

// Marker is a line of a CLAUDE.md that counts as one of Memoir's markers.
type Marker struct {
	Line   int // from 1
	Begins bool
}

// Markers returns the markers of a CLAUDE.md in their order: what a person needs to mend ErrDamagedMarkers.
func Markers(raw []byte) []Marker {
	text := string(raw)
	var found []Marker
	line, upTo := 1, 0
	for _, m := range markerLines(text) {
		line += strings.Count(text[upTo:m.from], "\n")
		upTo = m.from
		found = append(found, Marker{line, m.begins})
	}
	return found
}

// parting is what has to follow a text for the next line to stand after a blank line.
func parting(text string) string {
	switch {
	case text == "" || text == memtext.ByteOrderMark:
		return ""
	case strings.HasSuffix(text, "\n\n") || strings.HasSuffix(text, "\n\r\n"):
		return ""
	case strings.HasSuffix(text, "\n"):
		return "\n"
	default:
		return "\n\n"
	}
}

// markerLine is where a marker stands, without the line's end.
type markerLine struct {
	from, to int
	begins   bool
}

func markerLines(text string) []markerLine {
	if !strings.Contains(text, markerPrefix) {
		return nil
	}
	inCode, sure := mdcode.Fenced(text)
	if !sure {
		inCode = mdcode.Blocks(text)
	}
	var found []markerLine
	for from := 0; ; {
		at := strings.Index(text[from:], markerPrefix)
		if at < 0 {
			return found
		}
		from += strings.LastIndexByte(text[from:from+at], '\n') + 1
		line := text[from:memtext.EndOfLine(text, from)]
		marker := strings.TrimRight(line, " \t\r")
		if from == 0 {
			marker = strings.TrimPrefix(marker, memtext.ByteOrderMark)
		}
		if (marker == beginMarker || marker == endMarker) && !inCode.Holds(from) {
			start := from + strings.Index(line, marker)
			found = append(found, markerLine{from: start, to: start + len(marker), begins: marker == beginMarker})
		}
		from = min(from+len(line)+1, len(text))
	}
}
