package recall

import (
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
