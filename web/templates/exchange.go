package templates

import "memoir/web/templates/ui"

// Exchange is the view of the page that exports and imports memories.
type Exchange struct {
	ui.Frame
	Agents []string // slugs
	Import *ImportReport
}

// ImportReport is the view of what an import changes or has changed.
type ImportReport struct {
	File    string // its name
	Held    string // id of the file, to apply; empty if it is applied
	Into    string
	Agents  []ImportAgent
	Skipped []string // parts of the file, with reasons
}

// IsApplied reports whether the changes are made.
func (r ImportReport) IsApplied() bool { return r.Held == "" }

// canApply reports whether something would change.
func (r ImportReport) canApply() bool {
	for _, a := range r.Agents {
		if a.Problem == "" && a.Changes > 0 {
			return !r.IsApplied()
		}
	}
	return false
}

// ImportAgent is the part of an import about one agent.
type ImportAgent struct {
	From, Slug string
	IsNew      bool
	Problem    string
	Changes    int // memories that change
	Conflicts  int
	Counts     []ImportCount
	Items      []ImportItem // the first ones
	More       int          // items that are left out
}

func (a ImportAgent) title() string {
	if a.From != "" && a.From != a.Slug {
		return a.From + " → " + a.Slug
	}
	return a.Slug
}

// ImportCount is the number of memories of one outcome.
type ImportCount struct {
	Label string
	N     int
}

// ImportItem is one memory of an import.
type ImportItem struct {
	Name, Outcome, Reason string
}

// exportFormat is a format that the page offers. Only the owner gets everything.
type exportFormat struct {
	format, label, help string
	isWhole             bool
}

var exportFormats = []exportFormat{
	{"archive", "Archive", "Everything with all history, also secrets. For another Memoir.", true},
	{"markdown", "Markdown", "The memory files as a zip. Secrets are masked.", false},
	{"jsonl", "JSON lines", "One memory a line, as in the API. Secrets are masked.", false},
	{"okf", "Open Knowledge Format", "A bundle for other tools. Secrets are masked.", false},
}

func importTitle(r ImportReport) string {
	if r.IsApplied() {
		return "Imported"
	}
	return "Preview"
}
