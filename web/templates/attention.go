package templates

import (
	"fmt"
	"hash/crc32"
	"net/url"
	"time"

	"memoir/internal/diff"
	"memoir/internal/memories"
)

// Attention is an agent's inbox: everything that waits for somebody to decide.
type Attention struct {
	Frame
	Agent Agent
	// Mend are the memories that agents do not receive until something about their files is mended; a page of them.
	Mend []Mending
	// NotMemories are files for people and tools, such as a README, of the same page.
	NotMemories []Mending
	// MoreHref is the address of those after these, FirstHref that of the first ones; empty: there are none, or they are here.
	MoreHref, FirstHref string
	Missing             []MemoryRow // some of them, where there are very many
	// MissingAll are the actions on all that are missing.
	MissingAll    []Action
	Blocked       []BlockedRow
	NotRemoved    []TrashRow
	Disagreements []DisagreementRow
	// Doubtful are memories that cite what is not in the project any more; some of them, where there are very many.
	Doubtful []DoubtfulRow
	// Flagged are memories that are in use although something about their files is odd.
	Flagged   []Mending
	Selection Selection
}

// empty reports whether nothing at all waits for anybody.
func (v Attention) empty() bool {
	return len(v.Mend)+len(v.NotMemories)+len(v.Missing)+len(v.Blocked)+len(v.NotRemoved)+len(v.Disagreements)+len(v.Doubtful)+len(v.Flagged) == 0
}

// Mending is one memory with what is wrong with its files and what can be done about it.
type Mending struct {
	MemoryRow
	Files []FlawedFile
	Back  string // the page to come back to
	// Closed: its fixes are not computed; see openPath.
	Closed bool
}

// openPath returns the address of the page of its Back that shows its fixes.
func (m Mending) openPath() string {
	target, err := url.Parse(m.Back)
	if err != nil {
		return m.fixPath()
	}
	query := target.Query()
	query.Set(FieldOpen, m.ID)
	target.RawQuery, target.Fragment = query.Encode(), RowID(m.ID)
	return target.String()
}

// AttentionPath returns the path of an agent's inbox.
func AttentionPath(slug string) string { return AgentPath(slug, attentionTab) }

// typeless says that no file on disk is left to be mended, so that only the memory itself can be given its type.
func (m Mending) typeless() bool {
	return len(m.Files) == 0 && !m.Closed && m.Type == "" && m.State == memories.NeedsAttention
}

func (m Mending) fixPath() string { return MemoryPath(m.Agent, m.ID, "fix") }

// consequence says what it means that the memory is as it is.
func (m Mending) consequence() string {
	if m.State == memories.NeedsAttention {
		return "Not in CLAUDE.md until it is mended"
	}
	return "In use as it is"
}

// FlawedFile is one file with what is wrong with it.
type FlawedFile struct {
	Path     string
	Session  string // empty: the agent's own
	Hash     string
	Problems []memories.Problem
	Choices  []FixChoice
}

// FixChoice is what can be done about one problem: one fix, or several of which somebody chooses.
type FixChoice struct {
	Fixes []FixView
	// Otherwise says that another choice, above this one, is about the same problem.
	Otherwise bool
	// Shown says which fix the change is of, where it is of one among several: the others differ in a word.
	Shown string
	// Change is what is written. Alternatives that have little in common are choices of their own.
	Change diff.Diff
}

// FixView is one button.
type FixView struct {
	ID          string
	Label       string
	Explanation string
	Guessed     bool
	Type        memories.Type // that it gives the memory; empty: it is about something else
}

// explanation is that of the only fix, or of the one that is guessed. Where all are equal, their labels say it.
func (c FixChoice) explanation() string {
	for _, fix := range c.Fixes {
		if fix.Guessed || len(c.Fixes) == 1 {
			return fix.Explanation
		}
	}
	return ""
}

// changeTitle names the details with the change.
func (c FixChoice) changeTitle() string {
	if c.Shown != "" {
		return "What “" + c.Shown + "” writes"
	}
	return "What it writes"
}

// style makes a button stand out that is the one to press: the only one, or the guessed one.
func (c FixChoice) style(fix FixView) Style {
	if fix.Guessed || len(c.Fixes) == 1 && !c.Otherwise {
		return Primary
	}
	return Plain
}

// changeAnchor is the same from one rendering to the next, so that what somebody has opened stays open. The path is hashed: two files of one
// memory may be told apart by characters alone that an id cannot have.
func (m Mending) changeAnchor(f FlawedFile, c FixChoice) string {
	return anchor("change", fmt.Sprintf("%s %08x %s", m.ID, crc32.ChecksumIEEE([]byte(f.Path)), c.Fixes[0].ID))
}

// BlockedRow is one deleted content that has turned up on disk again.
type BlockedRow struct {
	Agent       string // slug
	ID          string
	Name        string
	Type        memories.Type
	Description string
	Body        string
	Path        string // of the file, relative to the agent's directory
	Session     string
	SeenAt      time.Time
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

func (r MemoryRow) letGo(back string) Action {
	action := r.Delete(back)
	action.Icon, action.Style = "", Destructive
	return action
}

// DisagreementRow is one memory about which files say different things.
type DisagreementRow struct {
	Agent    string // slug
	ID       string
	Name     string
	Versions int
	Sessions int
	Durable  bool // the agent's own file says something too
	Primary  int  // different contents of primary files
	NewestAt time.Time
}

func (r DisagreementRow) path() string { return MemoryPath(r.Agent, r.ID, "versions") }

// who says which files stand against each other.
func (r DisagreementRow) who() string {
	who := counted(r.Sessions, "session", "sessions")
	switch {
	case r.Primary > 1 && r.Sessions == 0:
		who = "the agent’s own files"
	case r.Primary > 1:
		who += " and the agent’s own files"
	case r.Durable:
		who += " and the agent’s own file"
	}
	return who
}

// FilesDisagree returns the banner of a memory about which files say different things.
func FilesDisagree(r DisagreementRow) Banner {
	return Banner{
		Tone:  Warning,
		Title: "Conflict: " + r.who() + " say " + counted(r.Versions, "thing", "different things") + " about this",
		Text:  "The agent uses the newest. Keep one or merge.",
		Link:  Link{Label: "Compare the versions", Href: r.path()},
	}
}

// Mend is the page of what is wrong with one memory.
type Mend struct {
	Frame
	Agent   Agent
	Mending Mending
}
