package recall

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"memoir/internal/memories"
)

// Head is what stands above a memory that an agent is given: how old it is, with the warning of a stale one, and where it is.
// path is that of the file.
func Head(age memories.Age, path string) string {
	path = Defuse(onOneLine(path))
	if age.Stale {
		return age.Warning() + "\n\nMemory: " + path + ":"
	}
	return "Memory (" + age.Saved() + "): " + path + ":"
}

// factPlace is where a fact of an index stands, for its head.
func factPlace(path string, line int, heading string) string {
	place := fmt.Sprintf("%s, line %d", path, line)
	if heading != "" {
		place += ", under “" + heading + "”"
	}
	return place
}

// mostCited is how many of the things that are gone are named.
const mostCited = 5

// Gone is what stands above the head of a memory that cites what its project has no more; nothing where it cites nothing that is gone.
func Gone(cited []memories.CheckedCitation) string {
	if len(cited) == 0 {
		return ""
	}
	named := make([]string, 0, mostCited)
	for _, c := range cited[:min(len(cited), mostCited)] {
		named = append(named, "`"+strings.ReplaceAll(c.Text, "`", "'")+"`")
	}
	if more := len(cited) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return "This memory cites what is not found in the project any more: " + Defuse(strings.Join(named, ", ")) + ".\n\n"
}

// Warning returns what to mind before relying on a memory; empty if there is nothing.
func Warning(gone []memories.CheckedCitation, age memories.Age) string {
	return strings.TrimSpace(Gone(gone) + age.Warning())
}

// Block is a memory as it is put into a conversation, without the tags around it.
func Block(head, text string) string { return head + "\n\n" + Defuse(text) }

// Reminder is the text that puts blocks into a conversation as something that the agent is told, not asked; empty for none.
func Reminder(blocks []string) string {
	tagged := make([]string, len(blocks))
	for i, block := range blocks {
		tagged[i] = "<system-reminder>\n" + block + "\n</system-reminder>"
	}
	return strings.Join(tagged, "\n")
}

// Defuse keeps what a memory says, or is called, from ending the block that it stands in, and from beginning one of its own.
func Defuse(text string) string { return tags.ReplaceAllString(text, "&lt;$1") }

// A model takes a tag for one in whichever letter case it is written.
var tags = regexp.MustCompile(`(?i)<(\s*/?\s*system-reminder)`)

// onOneLine puts U+FFFD in the place of the characters that move the place of writing: the name of a file may hold any, and lines of its own
// would pass for what Memoir says.
func onOneLine(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return utf8.RuneError
		}
		return r
	}, name)
}
