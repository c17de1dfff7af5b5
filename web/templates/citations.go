package templates

import (
	"strings"
	"time"

	"memoir/internal/memories"
)

// Citations is what a memory cites of its agent's project, and what came of looking for it.
type Citations struct {
	Project   string // the directory that was looked into
	CheckedAt time.Time
	Checked   []memories.CheckedCitation
}

// gone are those that are not there any more.
func (c Citations) gone() []memories.CheckedCitation { return memories.GoneCitations(c.Checked) }

// title says how many are gone.
func (c Citations) title() string {
	if n := len(c.gone()); n > 1 {
		return counted(n, "", "things") + " that it cites are gone"
	}
	return "Something that it cites is gone"
}

// outcome says in short what came of all of them.
func (c Citations) outcome() string {
	found := 0
	for _, one := range c.Checked {
		if one.Status == memories.CitationFound {
			found++
		}
	}
	all := counted(len(c.Checked), "citation", "citations")
	if found == len(c.Checked) {
		return all + ", found"
	}
	return all + ", " + number(found) + " found"
}

// checkCitations returns the action that looks again for what a memory cites.
func (r MemoryRow) checkCitations(back string) Action {
	return Action{Label: "Look again", About: "for what " + r.Name + " cites", Path: MemoryPath(r.Agent, r.ID, "citations"), Back: back, Does: "check"}
}

// DoubtfulRow is one memory that cites what is gone.
type DoubtfulRow struct {
	MemoryRow
	Citations
	Back string // the page to come back to
}

// A sentencePart is a part of a sentence, or what it quotes from code.
type sentencePart struct {
	text string
	code bool
}

// quoting splits a sentence at its backticks.
func quoting(sentence string) []sentencePart {
	var parts []sentencePart
	for i, text := range strings.Split(sentence, "`") {
		parts = append(parts, sentencePart{text, i%2 == 1})
	}
	return parts
}
