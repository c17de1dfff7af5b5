package claudemd

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"memoir/internal/memories/mdcode"
	"memoir/internal/memories/memtext"
)

// ErrDamagedMarkers means that a CLAUDE.md does not have exactly one begin marker followed by one
// end marker, so that Memoir's block is unknown.
var ErrDamagedMarkers = errors.New("the memoir:begin and memoir:end lines are not one pair in order; restore both lines, or remove both and the text between them")

// ErrUnclosedCode means that a CLAUDE.md without markers ends inside an unclosed code fence. An
// appended block would be part of the code.
var ErrUnclosedCode = errors.New("the file ends inside a code block that is never closed; close it with the line that opened it")

// Document is a CLAUDE.md, split into Memoir's block and the text around it, which Memoir never
// changes.
type Document struct {
	before, block, after string
	found                bool
}

// ReadDocument splits a CLAUDE.md at Memoir's block. raw is nil for a missing file. Markers are
// whole lines outside code; without them the Document has no block. The error is ErrDamagedMarkers
// if the markers are not one pair, or ErrUnclosedCode if a file without markers ends in open code.
// The caller must then not write the file.
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

// Block returns the block with its markers, or nil if the file has no block.
func (d Document) Block() []byte {
	if !d.found {
		return nil
	}
	return []byte(d.block)
}

// Outside returns the number of Unicode characters outside the block, including characters that
// With adds around a new block.
func (d Document) Outside() int {
	before, after := d.Around()
	return utf8.RuneCountInString(before) + utf8.RuneCountInString(after)
}

// With returns the file with its block replaced by block, which must include the markers. A file
// without a block gets it at its end, after a blank line and before a line end.
func (d Document) With(block []byte) []byte {
	before, after := d.Around()
	return slices.Concat([]byte(before), block, []byte(after))
}

// Without returns the file without the block and its line end. If the block is at the end of the
// file, the blank line that With puts before it is removed too. A file without a block is returned
// unchanged.
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

// Added returns the line ends that With puts before a new block. It is "" if the file has a block.
func (d Document) Added() string {
	if d.found {
		return ""
	}
	return separator(d.before)
}

// WithoutAdded is Without for a block that Memoir has appended after the line ends added. If the
// file still ends with the block, the result has the bytes from before.
func (d Document) WithoutAdded(added string) []byte {
	if before, found := strings.CutSuffix(d.before, added); d.found && found && (d.after == "" || d.after == "\n") {
		return []byte(before)
	}
	return d.Without()
}

// Size returns the length of the file in bytes, with its block.
func (d Document) Size() int { return len(d.before) + len(d.block) + len(d.after) }

// Around returns the text before and after the block. Without a block in the file, it is the whole
// file with the line ends that With adds.
func (d Document) Around() (before, after string) {
	if d.found {
		return d.before, d.after
	}
	return d.before + separator(d.before), "\n"
}

// Marker is a marker line in a CLAUDE.md.
type Marker struct {
	Line   int  // counted from 1
	Begins bool // the begin marker, not the end marker
}

// Markers returns the marker lines of a CLAUDE.md outside code, in order, so that a person can fix
// ErrDamagedMarkers.
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

// separator returns the line ends to append to text so that the next line follows a blank line.
func separator(text string) string {
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

// markerLine is the position of a marker, without its line end.
type markerLine struct {
	from, to int
	begins   bool
}

// markerLines returns the positions of the lines in a text that are markers and not in code, in
// order.
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
