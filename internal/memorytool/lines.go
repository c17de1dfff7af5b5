package memorytool

import (
	"fmt"
	"strings"
)

// maxLines is the largest number of lines that view shows. The tool's documentation sets it.
const maxLines = 999_999

// contextLines is the number of lines shown above and below an edit. Arbitrary.
const contextLines = 4

// linesOf returns the lines of a text without their line ends. A final line end does not begin
// another line. An empty text has no lines.
func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// numbered returns lines with their numbers, counted from first. Each line begins with a line end,
// so that the text can follow another one.
func numbered(lines []string, first int) string {
	var b strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&b, "\n%6d\t%s", first+i, line)
	}
	return b.String()
}

// snippet returns the numbered lines of text from the offset from to the offset to, and
// contextLines lines above and below them. It is empty for a text without lines.
func snippet(text string, from, to int) string {
	lines := linesOf(text)
	first := max(lineAt(text, from)-contextLines, 1)
	last := min(lineAt(text, to)+contextLines, len(lines))
	if first > last {
		return ""
	}
	return numbered(lines[first-1:last], first)
}

// lineAt returns the number, counted from 1, of the line at an offset.
func lineAt(text string, offset int) int { return strings.Count(text[:offset], "\n") + 1 }

// occurrences returns the offsets of the first thousand occurrences of old in text, in order. It
// includes overlapping ones, because the model may mean each of them. It returns nil if old is
// empty or does not occur.
func occurrences(text, old string) []int {
	const limit = 1000
	var found []int
	for at := 0; old != "" && len(found) < limit; {
		next := strings.Index(text[at:], old)
		if next < 0 {
			break
		}
		found = append(found, at+next)
		at += next + 1
	}
	return found
}

// withInserted returns text with inserted as lines below the line with the number below; 0 means
// the beginning. It adds the line ends that are missing. below must not exceed the number of lines.
func withInserted(text string, below int, inserted string) string {
	if !strings.HasSuffix(inserted, "\n") {
		inserted += "\n"
	}
	if text != "" && !strings.HasSuffix(text, "\n") && below == len(linesOf(text)) {
		text += "\n"
	}
	at := 0
	for range below {
		at += strings.Index(text[at:], "\n") + 1
	}
	return text[:at] + inserted + text[at:]
}
