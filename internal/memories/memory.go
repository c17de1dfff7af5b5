// Package memories owns the domain of memories: content, type, state, age, scope, problems, file
// names and journal. Package frontmatter parses memory files, memorymd the index MEMORY.md, and
// claudemd CLAUDE.md. These packages are pure functions over values. They use no disk, database,
// network or clock, and import no other package of Memoir. Every other package may import them.
package memories

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// State is the state of a memory. Only Active and Missing memories with a type are compiled.
type State string

const (
	Active         State = "active"
	NeedsAttention State = "needs_attention" // without a type, or with an unreadable file
	Missing        State = "missing"         // removed with many others in one scan; still in use
	Deleted        State = "deleted"         // in the trash
)

// Conflict is the kind of disagreement between the files of one memory.
type Conflict string

const (
	NoConflict      Conflict = ""
	SessionConflict Conflict = "session" // a session's file is the newest, and another file differs
	PrimaryConflict Conflict = "primary" // two primary files differ
)

// MaxEntryLength is how long the line of a memory in an index or in CLAUDE.md may be, in Unicode
// characters. Claude Code recommends less than 200 for an index.
const MaxEntryLength = 200

// Memory is one named fact of one agent.
type Memory struct {
	ID          string // UUID
	AgentID     int64
	Agent       string // slug of the agent
	Name        string // valid UTF-8 on one line
	Team        bool   // in team memory; readable memories are unique by agent, Name and Team
	Readable    bool   // false for a file that could not be read, which is identified by Path
	Type        Type   // empty if it has none
	Description string
	Body        string
	// AskedAs are short questions that it answers, in other words, for recall. They are not in its
	// file. It is nil if unknown, as in lists, for a fact and for a past moment.
	AskedAs     []string
	State       State
	Problems    []Problem
	Path        string       // slash-separated, relative to the agent's directory
	Line        int          // line of a fact in the index at Path, counted from 1; 0 for a memory
	Session     string       // directory name of the session, or empty for a primary file
	Files       []MemoryFile // the files on disk with this memory
	Hash        string       // hex SHA-256 of the file with the content, or empty
	Size        int64        // bytes of that file
	Fingerprint Fingerprint
	ModifiedAt  time.Time // time from which the age counts
	ContentAt   time.Time // time of the current content; another file must be newer to replace it
	// ClaudeMDChars is the size of the memory in CLAUDE.md, in Unicode characters.
	ClaudeMDChars int
	// ClaudeMDListed means that it is a one-line entry there, because of the size limit.
	ClaudeMDListed bool
	// Index tells whether MEMORY.md lists the memory's file. It is empty if unknown, as for a fact or
	// a memory as of a past moment.
	Index IndexStatus
	// Use is what agents did with the memory. It is nil if unknown, as for Index.
	Use          *Use
	CreatedAt    time.Time
	UpdatedAt    time.Time
	DeletedAt    time.Time // zero if not deleted
	DeletedActor Actor     // the actor of the deletion, or empty if not deleted
	// DeletedBrowser is the random id of the browser of that actor; empty without one.
	DeletedBrowser string
	// DeletedPerson is the name of the person or program of that actor; empty for the owner.
	DeletedPerson string
}

// IsQuarantined reports whether agents must not receive the memory.
func (m Memory) IsQuarantined() bool { return slices.ContainsFunc(m.Problems, Problem.IsQuarantine) }

// Use is what agents did with a memory, as far as hooks and recalls have reported it.
type Use struct {
	Reads          int // how often an agent has read its file
	LastReadAt     *time.Time
	Loads          int // conversations that loaded its line of MEMORY.md
	LastLoadedAt   *time.Time
	Recalls        int // kept deliveries by recall
	LastRecalledAt *time.Time
}

// IsNever reports whether no agent has read the memory or received it by recall. A loaded line of
// MEMORY.md alone is no use.
func (u Use) IsNever() bool { return u.Reads == 0 && u.Recalls == 0 }

// IndexStatus tells whether an agent finds a memory by its MEMORY.md.
type IndexStatus string

const (
	Unlisted     IndexStatus = "unlisted" // no line leads to the memory's file
	Listed       IndexStatus = "listed"   // a line does, but the agent does not load it
	LoadedByLine IndexStatus = "loaded"   // the agent loads that line
)

// Key identifies a readable memory of an agent. A private and a team memory may have the same name.
type Key struct {
	Name string
	Team bool
}

// Key returns the key of the memory.
func (m Memory) Key() Key { return Key{m.Name, m.Team} }

// Key returns the key of the memory to which the blocked content belongs.
func (b Blocked) Key() Key { return Key{b.Name, b.Team} }

// Scope is for whom a memory is.
type Scope string

const (
	PrivateScope Scope = "private" // the agent
	TeamScope    Scope = "team"    // everyone with an agent that has this team memory
	// SharedScope is everyone with any agent. It is the target of a move; memories there are team
	// memories of the shared agent.
	SharedScope Scope = "shared"
)

// Pending is a change that the client of a memory has yet to take over from a note.
type Pending string

// The pending changes, as the API spells them; "" means none.
const (
	PendingSave     Pending = "save"
	PendingDeletion Pending = "deletion"
)

// Pending returns the change that the client has yet to take over.
func (m Memory) Pending() Pending {
	for _, p := range m.Problems {
		switch {
		case m.State == Deleted:
			return ""
		case p.Code == CodePendingSave:
			return PendingSave
		case p.Code == CodePendingDeletion:
			return PendingDeletion
		}
	}
	return ""
}

// Scope returns the memory's scope, which is never SharedScope.
func (m Memory) Scope() Scope { return ScopeOf(m.Team) }

// ScopeOf returns TeamScope if team is true, else PrivateScope.
func ScopeOf(team bool) Scope {
	if team {
		return TeamScope
	}
	return PrivateScope
}

// MemoryFile is one file on disk with the memory's name.
type MemoryFile struct {
	Path       string
	Session    string
	Hash       string
	ModifiedAt time.Time
	// Unfinished are the file's flaws; 0 means none. With flaws, its last good content is used.
	Unfinished Flaw
}

// Revision is a past content of a memory, with the file that had it and the time of the scan.
type Revision struct {
	ID          string // hex fingerprint of the content, unique within the memory
	Hash        string
	Type        Type
	Description string
	Body        string
	Path        string
	Session     string
	SeenAt      time.Time
}

// Blocked is a deleted content that returned on disk. It is not used until a person allows it.
type Blocked struct {
	ID          string
	Name        string
	Team        bool // in team memory
	Type        Type
	Description string
	Body        string
	Path        string
	Session     string
	Hash        string
	SeenAt      time.Time
}

// Type is the kind of knowledge in a memory. The empty Type means that it has none.
type Type string

const (
	Feedback  Type = "feedback"
	User      Type = "user"
	Project   Type = "project"
	Reference Type = "reference"
)

// Types returns every type in the order of pages and of CLAUDE.md. The empty type is not among
// them.
func Types() []Type { return []Type{Feedback, User, Project, Reference} }

// Order returns the index of the type in Types, or -1 for other values, such as "".
func (t Type) Order() int { return slices.Index(Types(), t) }

// Title returns the type with a capital first letter. The type must not be empty.
func (t Type) Title() string { return strings.ToUpper(string(t[:1])) + string(t[1:]) }

// ParseType parses a type as people write it: in any letter case, with quotes and white space
// around it. ok is false for other text.
func ParseType(s string) (t Type, ok bool) {
	word := Type(strings.ToLower(strings.TrimFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'`“”‘’", r)
	})))
	if word.Order() < 0 {
		return "", false
	}
	return word, true
}
