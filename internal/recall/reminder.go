package recall

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"memoir/internal/memories"
)

// Head returns the text above a delivered memory: its age and the path of its file on one line.
// For a stale memory, a warning in a paragraph of its own replaces the age.
func Head(age memories.Age, path string) string {
	path = Defuse(onOneLine(path))
	if age.Stale {
		return age.Warning() + "\n\nMemory: " + path + ":"
	}
	return "Memory (" + age.Saved() + "): " + path + ":"
}

// factPlace returns the path, the line, and the heading if it is not "", as text for a head.
func factPlace(path string, line int, heading string) string {
	position := fmt.Sprintf("%s, line %d", path, line)
	if heading != "" {
		position += ", under “" + heading + "”"
	}
	return position
}

// maxCited is how many missing citations are named.
const maxCited = 5

// Gone returns a warning that cited, the dead citations of a memory, were not found in the
// project. It names the first maxCited and counts the others. It ends with an empty line. Without
// citations it is "".
func Gone(cited []memories.CheckedCitation) string {
	if len(cited) == 0 {
		return ""
	}
	names := make([]string, 0, maxCited)
	for _, c := range cited[:min(len(cited), maxCited)] {
		names = append(names, "`"+strings.ReplaceAll(c.Text, "`", "'")+"`")
	}
	if more := len(cited) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return "This memory cites what is not found in the project any more: " + Defuse(strings.Join(names, ", ")) + ".\n\n"
}

// Warning returns the warnings about a memory's dead citations and about its age, or "" if there
// is no reason to warn.
func Warning(gone []memories.CheckedCitation, age memories.Age) string {
	return strings.TrimSpace(Gone(gone) + age.Warning())
}

// Block returns head, an empty line and text as one text for a conversation. It escapes
// system-reminder tags in text (see Defuse), but not in head.
func Block(head, text string) string { return head + "\n\n" + Defuse(text) }

// Reminder returns the blocks, each inside system-reminder tags, which mark it as information and
// not as a request. It escapes nothing; the blocks come from Block. Without blocks it is "".
func Reminder(blocks []string) string {
	tagged := make([]string, len(blocks))
	for i, block := range blocks {
		tagged[i] = "<system-reminder>\n" + block + "\n</system-reminder>"
	}
	return strings.Join(tagged, "\n")
}

// Defuse returns text with the < of each system-reminder tag replaced by &lt;. The text then
// cannot end its block or start another one.
func Defuse(text string) string { return tags.ReplaceAllString(text, "&lt;$1") }

// Models recognise tags in any letter case.
var tags = regexp.MustCompile(`(?i)<(\s*/?\s*system-reminder)`)

// onOneLine returns name with control characters and line separators replaced by U+FFFD. File names
// may contain them, and text on a new line would look like Memoir's own.
func onOneLine(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return utf8.RuneError
		}
		return r
	}, name)
}
