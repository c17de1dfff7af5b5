package memorytool

import (
	"fmt"
	"strings"
)

// maxLines is how many lines a file may have to be shown: six digits number them.
const maxLines = 999_999

// around is how many lines are shown above and below an edit.
const around = 4

// linesOf returns the lines of a text without their ends. A line end at the end of the text begins no further line.
func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// numbered writes lines of which the first has the given number, each after a line end.
func numbered(lines []string, first int) string {
	var b strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&b, "\n%6d\t%s", first+i, line)
	}
	return b.String()
}

// snippet writes the lines of a text that an edit from one offset up to another has touched, and some around them.
func snippet(text string, from, to int) string {
	lines := linesOf(text)
	first := max(lineAt(text, from)-around, 1)
	last := min(lineAt(text, to)+around, len(lines))
	if first > last {
		return ""
	}
	return numbered(lines[first-1:last], first)
}

// lineAt returns the number of the line, from 1, that an offset is in.
func lineAt(text string, offset int) int { return strings.Count(text[:offset], "\n") + 1 }

// occurrences returns the offsets at which old begins in a text, overlapping ones too: any of them may be meant. It stops looking when it
// has found a thousand.
func occurrences(text, old string) []int {
	const enough = 1000
	var found []int
	for at := 0; old != "" && len(found) < enough; {
		next := strings.Index(text[at:], old)
		if next < 0 {
			break
		}
		found = append(found, at+next)
		at += next + 1
	}
	return found
}

// withInserted returns a text with another one in it as lines of its own, below the given number of its lines.
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
