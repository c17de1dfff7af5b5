package recall

import (
	"fmt"
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

// WeakNote returns a paragraph above a memory that hardly fits the query, and "" for another one.
func WeakNote(isWeak bool) string {
	if !isWeak {
		return ""
	}
	return "This memory hardly fits the question.\n\n"
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

// Gone returns a warning that cited, the dead citations of a memory, were not found in the project,
// and an instruction to verify. It names the first maxCited and counts the others. It ends with an
// empty line. Without citations it is "".
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
	return "This memory cites things that are no longer in the project: " + Defuse(strings.Join(names, ", ")) +
		". Verify it against the project before you rely on it, and correct the memory if it is wrong.\n\n"
}

// Warning returns the warnings about a memory's dead citations and about its age, or "" if there
// is no reason to warn.
func Warning(gone []memories.CheckedCitation, age memories.Age) string {
	return strings.TrimSpace(Gone(gone) + age.Warning())
}

// Block returns head, an empty line and text as one text for a conversation. It escapes text (see
// Defuse), but not head.
func Block(head, text string) string { return head + "\n\n" + Defuse(text) }

// Reminder returns the blocks as one fenced text (see Fence) inside system-reminder tags, which
// mark it as information. It escapes nothing; the blocks come from Block. Without blocks it is "".
func Reminder(blocks []string) string {
	if len(blocks) == 0 {
		return ""
	}
	return "<system-reminder>\n" + Fence(blocks) + "\n</system-reminder>"
}

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
