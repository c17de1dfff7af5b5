package templates

import (
	"strings"
	"time"

	"memoir/internal/memories"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// Citations is the view of a memory's citations and the result of their last check.
type Citations struct {
	Project   string // the directory that was searched
	CheckedAt time.Time
	Checked   []memories.CheckedCitation
}

func (c Citations) dead() []memories.CheckedCitation { return memories.GoneCitations(c.Checked) }

// title returns a heading with the number of dead citations.
func (c Citations) title() string {
	return wording.Count(len(c.dead()), "dead reference", "dead references")
}

// result returns in words how many citations there are, and how many of the cited things were
// found.
func (c Citations) result() string {
	found := 0
	for _, one := range c.Checked {
		if one.Status == memories.CitationFound {
			found++
		}
	}
	all := wording.Count(len(c.Checked), "citation", "citations")
	if found == len(c.Checked) {
		return all + ", found"
	}
	return all + ", " + wording.Number(found) + " found"
}

func (r MemoryRow) checkCitations(back string) ui.Action {
	return ui.Action{Label: "Check again", About: "the citations of " + r.Name, Path: address.MemoryPath(r.Agent, r.ID, "citations"), Back: back, Does: "check"}
}

// A sentencePart is a part of a sentence: text, or a quotation of code.
type sentencePart struct {
	text string
	code bool
}

// quoting splits a sentence at its backticks into text and code, alternately, beginning with text.
// Parts can be empty. The backticks are removed.
func quoting(sentence string) []sentencePart {
	var parts []sentencePart
	for i, text := range strings.Split(sentence, "`") {
		parts = append(parts, sentencePart{text, i%2 == 1})
	}
	return parts
}
