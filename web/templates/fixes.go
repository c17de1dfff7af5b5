package templates

import (
	"fmt"
	"hash/crc32"
	"time"

	"memoir/internal/diff"
	"memoir/internal/memories"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// BrokenMemory is the view of one memory with its files' problems and fixes.
type BrokenMemory struct {
	MemoryRow
	Files []FlawedFile
	Back  string // the page to return to
}

// typeless reports whether a memory that needs attention has no type and no file with fixes, so
// that only the memory itself can be changed.
func (m BrokenMemory) typeless() bool {
	return len(m.Files) == 0 && m.Type == "" && m.State == memories.NeedsAttention
}

func (m BrokenMemory) fixPath() string { return address.MemoryPath(m.Agent, m.ID, "fix") }

// consequence returns in words whether the memory is used: not in CLAUDE.md if it needs attention,
// else used as it is.
func (m BrokenMemory) consequence() string {
	if m.State == memories.NeedsAttention {
		return "Not in CLAUDE.md until fixed"
	}
	return "Used, but check the file"
}

// FlawedFile is the view of one file with its problems.
type FlawedFile struct {
	Path     string
	Session  string // empty for the agent's own file
	Hash     string
	Problems []memories.Problem
	Choices  []FixChoice
}

// FixChoice is the view of one fix, or of several alternative fixes, for one problem.
type FixChoice struct {
	Fixes []FixView
	// Otherwise reports whether a choice above this one is for the same problem.
	Otherwise bool
	// Shown is the label of the fix that Change shows if Fixes has several. The others differ in
	// one word.
	Shown string
	// Change is the diff that the fix writes.
	Change diff.Diff
}

// FixView is the view of one button.
type FixView struct {
	ID          string
	Label       string
	Explanation string
	Guessed     bool
	Type        memories.Type // the type that the fix sets; empty for another fix
}

// explanation returns the explanation of the recommended fix: the guessed one, or the only one. It
// is empty if there is neither.
func (c FixChoice) explanation() string {
	for _, fix := range c.Fixes {
		if fix.Guessed || len(c.Fixes) == 1 {
			return fix.Explanation
		}
	}
	return ""
}

func (c FixChoice) changeTitle() string {
	if c.Shown != "" {
		return "Preview of “" + c.Shown + "”"
	}
	return "Preview"
}

// style returns Primary for a guessed fix, and for the only fix of a choice unless c.Otherwise is
// true. For others it returns Plain.
func (c FixChoice) style(fix FixView) ui.Style {
	if fix.Guessed || len(c.Fixes) == 1 && !c.Otherwise {
		return ui.Primary
	}
	return ui.Plain
}

// changeAnchor returns the HTML id of a diff. It is the same at every rendering, so that an open
// diff stays open. It has a hash of the path, because an id cannot contain all characters of paths.
func (m BrokenMemory) changeAnchor(f FlawedFile, c FixChoice) string {
	return ui.Anchor("change", fmt.Sprintf("%s %08x %s", m.ID, crc32.ChecksumIEEE([]byte(f.Path)), c.Fixes[0].ID))
}

// DisagreementRow is the view of one memory whose files differ.
type DisagreementRow struct {
	Agent      string // slug
	ID         string
	Name       string
	Versions   int
	Sessions   int
	HasPrimary bool // whether one of the files is the agent's own
	Primary    int  // number of different contents of primary files
	NewestAt   time.Time
}

func (r DisagreementRow) path() string { return address.ReviewKindPath(r.Agent, "conflict") }

// parties returns in words which files differ: "2 sessions and the agent’s own file".
func (r DisagreementRow) parties() string {
	who := wording.Count(r.Sessions, "session", "sessions")
	switch {
	case r.Primary > 1 && r.Sessions == 0:
		who = "the agent’s own files"
	case r.Primary > 1:
		who += " and the agent’s own files"
	case r.HasPrimary:
		who += " and the agent’s own file"
	}
	return who
}
