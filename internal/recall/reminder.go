package recall

import (
	"fmt"
	"strings"

	"memoir/internal/fence"
	"memoir/internal/memories"
)

// Head returns the text above a delivered memory: its age and the path of its file on one line.
// For a stale memory, a warning in a paragraph of its own replaces the age.
func Head(age memories.Age, path string) string {
	path = fence.Defuse(fence.OneLine(path))
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
	return "This memory cites things that are no longer in the project: " + fence.Defuse(strings.Join(names, ", ")) +
		". Verify it against the project before you rely on it, and correct the memory if it is wrong.\n\n"
}

// Warning returns the warnings about a memory's dead citations and about its age, or "" if there
// is no reason to warn.
func Warning(gone []memories.CheckedCitation, age memories.Age) string {
	return strings.TrimSpace(Gone(gone) + age.Warning())
}
