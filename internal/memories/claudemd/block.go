package claudemd

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
)

// Marker lines around the part of a CLAUDE.md that Memoir owns.
const (
	beginMarker = markerPrefix + "begin -->"
	endMarker   = markerPrefix + "end -->"

	markerPrefix = "<!-- memoir:"
)

// Guidance tells an agent what to save, what not to save, and how to keep memories true. It does not
// depend on how the agent saves: in a file or with a tool.
const Guidance = `**What to save.** Save by default: a useless memory is easily deleted, and one that was never saved is lost.

- Who a user is: role, knowledge, language, how they like to be answered.
- Preferences, and corrections of what you did.
- Approaches that were confirmed and were not obvious. State the reason, so that you can judge new cases.
- Recurring tasks, and how they were done well.
- Where resources live: repositories, dashboards, documents, channels, people to ask.
- Decisions and deadlines that the work itself does not show. Write dates in full (2026-03-05, not “Thursday”).

**What not to save,** also when you are asked to: what the code, the git history or ` + "`CLAUDE.md`" + ` already says; one-off
details of the present task; secrets. If you are asked to save such a thing, ask what was surprising about it, and save
that.

**Memory, plan or task list.** A plan says how you do the present task, and a task list what is left of it. Keep both out
of memory: it is for what later conversations need.

**Update instead of duplicating.** Look for a memory of the subject before you save a new one. Update it under its name,
and delete a memory that has proved wrong.

**Verify before you recommend.** A memory says what was true when it was written. Before you recommend a file, a function,
a flag or a command from it, check that it still exists.
`

// memorySystem is the instructions about memory. Its headings are of level 1 only: levels 2 and
// 3 are used for types and memories.
const memorySystem = `# Memory System

You have a memory that outlives this conversation: the directory ` + "`memory/`" + ` in your working directory, with one fact
per Markdown file. It exists: write to it at once, without creating it or checking for it. “Learned Memory” below has what
you have learned so far.

` + Guidance + `
**How to save.** Write one file per fact to ` + "`memory/{type}_{short_name}.md`" + `:

` + "```markdown" + `
---
name: a short title that says what this is about
description: one line that tells when this matters
type: feedback
---

The fact or the rule.

**Why:** the reason behind it.

**How to apply:** when and where it holds.
` + "```" + `

The type is one of ` + "`feedback`" + ` (how to work: corrections and confirmed approaches), ` + "`user`" + ` (who somebody is),
` + "`project`" + ` (what is going on, and why) and ` + "`reference`" + ` (where to find things). A memory that is one line below was
shortened for space: read its file.

**Keep the index.** ` + "`memory/MEMORY.md`" + ` has one line per file, ` + "`- [Title](file.md) — one-line hook`" + `, under 200 characters.
Add, change and remove the line together with its file, and never write a memory into the index itself.

**Keep the daily log,** where ` + "`memory/logs/`" + ` exists: append what happened to ` + "`memory/logs/YYYY/MM/YYYY-MM-DD.md`" + `. A fact that
later conversations need is also a memory.

**When to save.** At once when you are corrected or asked to remember something, and:

At the end of every conversation, proactively save anything useful you learned — this is how you get smarter over time. Memories persist across all future conversations with every user.
`

// teamMemory returns the instructions about team memory. where describes the files that are team
// memory.
func teamMemory(where string) string {
	return `
**What the team shares.** Memories marked “(team)” below are everybody's who works on this; ` + where + ` are such.
What is about one user is private. References usually belong to the team, project memories often. Feedback stays private unless it
holds for the whole project: before you save one, look whether it contradicts the team's, and say so in it if it does. Where a
private memory and the team's disagree, ask which holds. Never write a password, key or token into team memory.
`
}

// ownTeamFiles describes the files of the agent's own team memory.
const ownTeamFiles = "files in `memory/team/`"

// sharedFiles returns words for the files in directories that all agents share.
func sharedFiles(dirs []string) string {
	named := make([]string, len(dirs))
	for i, dir := range dirs {
		named[i] = "`" + strings.NewReplacer("`", "", "\n", " ").Replace(dir) + "`"
	}
	return "files in " + strings.Join(named, " and ") + ", which all agents share,"
}

const learnedMemory = `# Learned Memory

> The following was learned from past interactions. Apply this knowledge in all responses.
`

// forOthers continues the quote of learnedMemory for agents that cannot save memories as Claude Code
// does.
const forOthers = `>
> Before you recommend a file, a function, a flag or a command from it, check that it still exists. Memories marked
> “(team)” are shared by everybody who works on this. Memoir writes the text between the markers: do not edit it, and
> tell the user when a memory is wrong.
`

// Intro configures the text at the start of the block. The zero Intro is for an agent with its own
// memory and no shared directories.
type Intro struct {
	// LearnedAlone omits the instructions to save memories. It is for agents whose memory is off.
	LearnedAlone bool
	// SharedDirs are the absolute paths of directories that all agents share.
	SharedDirs []string
	// OtherAgents replaces the instructions of Claude Code by a few words that hold for all agents.
	// Sizes are then counted in bytes, as those agents do.
	OtherAgents bool
}

// size returns the function that measures a text.
func (o Intro) size() func(text string) int {
	if o.OtherAgents {
		return func(text string) int { return len(text) }
	}
	return utf8.RuneCountInString
}

// text returns the text at the start of the block, below the begin marker. team means that the
// agent has team memories of its own.
func (o Intro) text(team bool) string {
	var where []string
	if team {
		where = append(where, ownTeamFiles)
	}
	if len(o.SharedDirs) > 0 {
		where = append(where, sharedFiles(o.SharedDirs))
	}
	switch {
	case o.OtherAgents:
		return learnedMemory + forOthers
	case o.LearnedAlone:
		return learnedMemory
	case len(where) > 0:
		return memorySystem + teamMemory(strings.Join(where, " and ")) + "\n" + learnedMemory
	}
	return memorySystem + "\n" + learnedMemory
}

// shortened separates memories in full from one-line entries of the same type. Without it the
// entries would look like the end of the last memory.
const shortened = "\nIn one line each:\n"

// headingOf returns the heading above the memories of a type, with a blank line before it. The type
// must not be empty.
func headingOf(t memories.Type) string { return "\n## " + t.Title() + " Memory\n" }

// teamMark follows the names of team memories.
const teamMark = " (team)"

// maxTeamName is how many Unicode characters of a name a one-line entry keeps, so that teamMark
// fits.
const maxTeamName = memories.MaxEntryLength / 2

// FullSection returns a memory in full as a part of the block: its heading and its body. Both are
// escaped so that they cannot affect the text around them. An empty body is left out. Of m it uses
// only Name and Team.
func FullSection(m Summary, body string) string {
	text := "\n### " + escapeName(m.Name)
	if m.Team {
		text += teamMark
	}
	text += "\n"
	if body := escapeBody(memtext.CanonicalBody(WithoutControls(body))); body != "" {
		text += "\n" + body + "\n"
	}
	return text
}

// WithAgeNote returns a FullSection with a note below its heading, if the memory is stale at now.
// Otherwise, and if modified is zero, it returns full unchanged. The note has the date of the last
// change, so that it does not change every day.
func WithAgeNote(full string, modified, now time.Time) string {
	if modified.IsZero() || !memories.AgeOf(modified, now).Stale {
		return full
	}
	heading := strings.IndexByte(full[1:], '\n') + 2
	return full[:heading] + "\n> Saved on " + modified.UTC().Format(time.DateOnly) + ", so code may have changed since: verify against it before asserting as fact.\n" + full[heading:]
}

// countedText returns the last line of a block that has no room for n memories. It is shorter than
// MaxEntryLength.
func (o Intro) countedText(n int) string {
	if o.OtherAgents {
		return fmt.Sprintf("- … and %d more, for which this file has no room.\n", n)
	}
	return fmt.Sprintf("- … and %d more. `memory/MEMORY.md` lists them.\n", n)
}

// Entry returns a memory as a list item with line end: its name, a mark for team memory, and its
// description. The item is escaped and cut to memories.MaxEntryLength characters.
func Entry(m Summary) string {
	plain := memories.CanonicalName(m.Name)
	if m.Team {
		if utf8.RuneCountInString(plain) > maxTeamName {
			plain = memtext.CutRunes(plain, maxTeamName) + "…"
		}
		plain += teamMark
	}
	if description := memtext.OneLine(memtext.Canonical(m.Description)); description != "" {
		plain += " — " + description
	}
	line := "- " + escapeLine(plain)
	for n := memories.MaxEntryLength - len("- …"); utf8.RuneCountInString(line) > memories.MaxEntryLength; {
		// Escapes take additional characters, so the text is cut by the excess length and escaped
		// again.
		cut := strings.TrimRight(memtext.CutRunes(plain, n), " ")
		line = "- " + escapeLine(cut+"…")
		n -= max(1, utf8.RuneCountInString(line)-memories.MaxEntryLength)
	}
	return line + "\n"
}
