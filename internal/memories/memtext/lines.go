package memtext

import "strings"

// ByteOrderMark can start a UTF-8 file, where some editors put it.
const ByteOrderMark = "\uFEFF"

// CutLine splits s after its first line, which includes its line end: LF, CRLF or CR. If s has one
// line, rest is empty.
func CutLine(s string) (line, rest string) {
	i := strings.IndexAny(s, "\r\n")
	if i < 0 {
		return s, ""
	}
	if strings.HasPrefix(s[i:], "\r\n") {
		i++
	}
	return s[:i+1], s[i+1:]
}

// LineEnding returns the line end of a line that CutLine returned: LF, CRLF, CR, or "".
func LineEnding(line string) string {
	return line[len(strings.TrimRight(line, "\r\n")):]
}

// Lines returns the lines of s with their line ends, or nil for an empty s.
func Lines(s string) []string {
	var lines []string
	for s != "" {
		var line string
		line, s = CutLine(s)
		lines = append(lines, line)
	}
	return lines
}

// EndOfLine returns the offset of the first LF at or after from, or the length of the text without
// such an LF.
func EndOfLine(text string, from int) int {
	if from >= len(text) {
		return len(text)
	}
	if i := strings.IndexByte(text[from:], '\n'); i >= 0 {
		return from + i
	}
	return len(text)
}
