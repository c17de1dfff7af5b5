package recall

import (
	"fmt"
	"strings"
	"time"

	"memoir/internal/memories"
)

// Head is what stands above a memory that an agent is given: how old it is, with the warning of a stale one, and where it is.
// path is that of the file.
func Head(modified, now time.Time, path string) string {
	age := memories.AgeOf(modified, now)
	if age.Stale {
		return age.Warning() + "\n\nMemory: " + path + ":"
	}
	return "Memory (saved " + age.String() + "): " + path + ":"
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
	return "This memory cites what is not found in the project any more: " + defuse(strings.Join(named, ", ")) + ".\n\n"
}

// Block is a memory as it is put into a conversation, without the tags around it.
func Block(head, text string) string { return head + "\n\n" + defuse(text) }

// Reminder is the text that puts blocks into a conversation as something that the agent is told, not asked; empty for none.
func Reminder(blocks []string) string {
	tagged := make([]string, len(blocks))
	for i, block := range blocks {
		tagged[i] = "<system-reminder>\n" + block + "\n</system-reminder>"
	}
	return strings.Join(tagged, "\n")
}

// defuse keeps a memory from ending the block that it stands in, and from beginning one of its own.
func defuse(text string) string {
	return tags.Replace(text)
}

var tags = strings.NewReplacer("<system-reminder", "&lt;system-reminder", "</system-reminder", "&lt;/system-reminder")
