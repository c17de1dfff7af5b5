package memories

import "strings"

const byteOrderMark = "\uFEFF"

// cutLine returns the first line with its end (LF, CRLF or a lone CR) and what follows.
func cutLine(s string) (line, rest string) {
	i := strings.IndexAny(s, "\r\n")
	if i < 0 {
		return s, ""
	}
	if strings.HasPrefix(s[i:], "\r\n") {
		i++
	}
	return s[:i+1], s[i+1:]
}

func lineEnding(line string) string {
	return line[len(strings.TrimRight(line, "\r\n")):]
}

// linesOf returns the lines of s, each with its end.
func linesOf(s string) []string {
	var lines []string
	for s != "" {
		var line string
		line, s = cutLine(s)
		lines = append(lines, line)
	}
	return lines
}

// endOfLine returns the position of the line end at or behind a position.
func endOfLine(text string, from int) int {
	if from >= len(text) {
		return len(text)
	}
	if i := strings.IndexByte(text[from:], '\n'); i >= 0 {
		return from + i
	}
	return len(text)
}
