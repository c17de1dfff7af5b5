// Package memories owns what a memory is: its content, type, state, age, scope, problems and file name.
// Package frontmatter reads and writes memory files, memorymd the index MEMORY.md, and claudemd CLAUDE.md.
// All of them are pure functions over values: they use no disk, database, network or clock. Every other
// package may import them; they import nothing else of Memoir.
package memories

import "time"

// State is where a memory stands in its life.
type State string

// The states of a memory. Only Active and Missing memories that have a type are compiled.
const (
	Active         State = "active"
	NeedsAttention State = "needs_attention" // no type, or its file could not be read
	Missing        State = "missing"         // its files went with many others in one look: held until somebody decides
	Deleted        State = "deleted"         // in the trash
)

// Conflict is how the files on disk that carry one memory disagree about its content.
type Conflict string

const (
	NoConflict      Conflict = ""
	SessionConflict Conflict = "session" // a session's file is newer than all primary files, and differs from another file
	PrimaryConflict Conflict = "primary" // two primary files have different contents
)

// MaxEntryLength is the length of the longest line for one memory in an index or in CLAUDE.md, in Unicode
// characters. Claude Code asks for index lines of less than 200.
const MaxEntryLength = 200

// Memory is one named fact of one agent.
type Memory struct {
	ID          string // a UUID
	AgentID     int64
	Agent       string // the agent's slug
	Name        string // valid UTF-8 on one line
	Team        bool   // it is in team memory; readable ones are unique per agent, name and this
	Readable    bool   // false: the entry stands for a file that could not be read, and is known by its path
	Type        Type   // empty: it has none
	Description string
	Body        string
	State       State
	Problems    []Problem
	Path        string       // slash-separated, relative to the agent's directory
	Line        int          // of a fact in the index at Path, from 1; 0: it is a memory
	Session     string       // the session's directory name; empty for a file of the durable directory
	Files       []MemoryFile // the files on disk that carry the memory
	Hash        string       // hex SHA-256 of the bytes of the file that holds the content; empty when they are not known
	Size        int64        // of those bytes
	Fingerprint Fingerprint
	ModifiedAt  time.Time // what the age counts from
	ContentAt   time.Time // when the content became new: what a rival file must beat
	// ClaudeMDChars is what the memory takes in CLAUDE.md, in Unicode characters.
	ClaudeMDChars int
	// ClaudeMDListed says that it stands there with one line instead of a section, because the limit is reached.
	ClaudeMDListed bool
	CreatedAt      time.Time
	UpdatedAt      time.Time
	DeletedAt      time.Time // zero: not deleted
	DeletedActor   Actor     // who deleted it, as in the journal; empty: it is not deleted
}

// Key is what tells one readable memory of an agent from another: a private memory and one of the team's may have one name.
type Key struct {
	Name string
	Team bool
}

// Key returns the memory's.
func (m Memory) Key() Key { return Key{m.Name, m.Team} }

// Key returns that of the memory which the content is kept out of.
func (b Blocked) Key() Key { return Key{b.Name, b.Team} }

// Scope says who a memory is for.
type Scope string

// The scopes.
const (
	PrivateScope Scope = "private" // the agent itself
	TeamScope    Scope = "team"    // everybody whose agent has the team memory
	// SharedScope is everybody who has any agent: where a memory can be moved to. What is there is team memory of an agent of its own.
	SharedScope Scope = "shared"
)

// Scope returns who the memory is for.
func (m Memory) Scope() Scope { return ScopeOf(m.Team) }

// ScopeOf returns the scope of what is in team memory, or is not.
func ScopeOf(team bool) Scope {
	if team {
		return TeamScope
	}
	return PrivateScope
}

// MemoryFile is one file on disk that has the memory's name.
type MemoryFile struct {
	Path       string
	Session    string
	Hash       string
	ModifiedAt time.Time
	// Unfinished are the flaws for which the file does not count, so that its last good content does. It is 0 if there are none.
	Unfinished Flaw
}

// Revision is one past content of a memory, with where and when it was seen.
type Revision struct {
	ID          string // its fingerprint, in hexadecimal: a memory has each content only once
	Hash        string
	Type        Type
	Description string
	Body        string
	Path        string
	Session     string
	SeenAt      time.Time
}

// Blocked is a deleted content that has turned up on disk again and is kept out until somebody allows it.
type Blocked struct {
	ID          string
	Name        string
	Team        bool // of team memory
	Type        Type
	Description string
	Body        string
	Path        string
	Session     string
	Hash        string
	SeenAt      time.Time
}
