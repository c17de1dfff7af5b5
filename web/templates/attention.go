package templates

import (
	"fmt"
	"hash/crc32"
	"time"

	"memoir/internal/diff"
	"memoir/internal/memories"
)

// Attention is the view of all that needs a decision about an agent's memories.
type Attention struct {
	Frame
	Agent Agent
	// Fixes is one page of the broken memories. CLAUDE.md leaves them out until their files are
	// fixed.
	Broken []BrokenMemory
	// NotMemories are files of the same page that are not memories, such as a README.
	NotMemories []BrokenMemory
	// MoreHref is the address of the next page, or empty at the end. FirstHref is the address of
	// the first page, or empty on that page.
	MoreHref, FirstHref string
	Missing             []MemoryRow // may be only the first ones
	// MissingAll are the actions on all missing memories.
	MissingAll    []Action
	Blocked       []BlockedRow
	NotRemoved    []TrashRow
	Disagreements []DisagreementRow
	// Doubtful are the first memories with dead references.
	Doubtful []DoubtfulRow
	// Flagged are the first memories with warnings. They are in use.
	Flagged   []BrokenMemory
	Selection Selection
}

func (v Attention) empty() bool {
	return len(v.Broken)+len(v.NotMemories)+len(v.Missing)+len(v.Blocked)+len(v.NotRemoved)+len(v.Disagreements)+len(v.Doubtful)+len(v.Flagged) == 0
}

// BrokenMemory is the view of one memory with its files' problems and fixes.
type BrokenMemory struct {
	MemoryRow
	Files []FlawedFile
	Back  string // the page to return to
	// Closed reports whether its fixes are not computed: see openPath.
	Closed bool
}

// openPath returns the address of the page m.Back with the parameter that makes it compute the
// fixes of this memory. The address leads to the memory's row.
func (m BrokenMemory) openPath() string {
	return WithQuery(m.Back, map[string]string{FieldOpen: m.ID}) + "#" + RowID(m.ID)
}

// AttentionPath returns the path of an agent's page of decisions.
func AttentionPath(slug string) string { return AgentPath(slug, attentionTab) }

// typeless reports whether a memory that needs attention has no type and no file with fixes, so
// that only the memory itself can be changed.
func (m BrokenMemory) typeless() bool {
	return len(m.Files) == 0 && !m.Closed && m.Type == "" && m.State == memories.NeedsAttention
}

func (m BrokenMemory) fixPath() string { return MemoryPath(m.Agent, m.ID, "fix") }

// consequence returns in words whether the memory is used: not in CLAUDE.md if it needs attention,
// else used as it is.
func (m BrokenMemory) consequence() string {
	if m.State == memories.NeedsAttention {
		return "Not in CLAUDE.md until it is mended"
	}
	return "In use as it is"
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
		return "What “" + c.Shown + "” writes"
	}
	return "What it writes"
}

// style returns Primary for a guessed fix, and for the only fix of a choice unless c.Otherwise is
// true. For others it returns Plain.
func (c FixChoice) style(fix FixView) Style {
	if fix.Guessed || len(c.Fixes) == 1 && !c.Otherwise {
		return Primary
	}
	return Plain
}

// changeAnchor returns the HTML id of a diff. It is the same at every rendering, so that an open
// diff stays open. It has a hash of the path, because an id cannot contain all characters of paths.
func (m BrokenMemory) changeAnchor(f FlawedFile, c FixChoice) string {
	return anchor("change", fmt.Sprintf("%s %08x %s", m.ID, crc32.ChecksumIEEE([]byte(f.Path)), c.Fixes[0].ID))
}

// BlockedRow is the view of one deleted content that is on disk again.
type BlockedRow struct {
	memories.Blocked
	Agent string // slug
}

func (r BlockedRow) allow() Action {
	return Action{
		Label: "Let it in", About: r.Name, Path: AgentPath(r.Agent, "blocked", r.ID, "allow"), Back: AttentionPath(r.Agent), Does: "allow",
	}
}

func (r BlockedRow) remove() Action {
	return Action{
		Label: "Remove the file", About: r.Path, Path: AgentPath(r.Agent, "blocked", r.ID, "remove"), Back: AttentionPath(r.Agent),
		Style: Destructive, Does: "delete", Confirm: "The file goes from the disk, with its entry in MEMORY.md. The trash keeps what it says, unless it was emptied.",
	}
}

func (r MemoryRow) writeBack(back string) Action {
	return Action{
		Label: "Write it back", About: r.Name, Path: MemoryPath(r.Agent, r.ID, "restore"), ETag: r.ETag, Back: back, Does: "restore",
	}
}

func (r MemoryRow) deleteMissing(back string) Action {
	action := r.Delete(back)
	action.Icon, action.Style = "", Destructive
	return action
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

func (r DisagreementRow) path() string { return MemoryPath(r.Agent, r.ID, "versions") }

// parties returns in words which files differ: "2 sessions and the agent’s own file".
func (r DisagreementRow) parties() string {
	who := counted(r.Sessions, "session", "sessions")
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

// FilesDisagree returns the banner of a memory whose files have different contents, with a link to
// compare them.
func FilesDisagree(r DisagreementRow) Banner {
	return Banner{
		Tone:  Warning,
		Title: "Conflict: " + r.parties() + " say " + counted(r.Versions, "thing", "different things") + " about this",
		Text:  "The agent uses the newest. Keep one or merge.",
		Link:  Link{Label: "Compare the versions", Href: r.path()},
	}
}

// Fixes is the view of the page with one memory's problems and fixes.
type Fixes struct {
	Frame
	Agent  Agent
	Memory BrokenMemory
}
