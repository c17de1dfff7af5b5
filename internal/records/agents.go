package records

import (
	"time"

	"memoir/internal/memories"
)

// DirectoryID tells a directory from another in its place.
type DirectoryID struct {
	Device uint64
	Inode  uint64 // 0: not known
}

// Agent is what is known of one agent.
type Agent struct {
	ID          int64
	Slug        string
	Layout      string
	Dir         string // absolute
	DisplayName string
	Present     bool // false: its directory is gone
	Sessions    int
	// PrimaryDir is the durable directory as it was when everything was last looked at; nil: it was not
	// there.
	PrimaryDir *DirectoryID
	ClaudeMD   ClaudeMD
	// MemoryOff says that somebody has switched its memory off: CLAUDE.md does not ask it to save, and
	// nothing is extracted or consolidated. What it remembers stays, and stays published.
	MemoryOff bool
	// Shared is another text whenever something else may be shared with the agent; empty: nothing is.
	// Only a Writer reads it.
	Shared string
	// JoinedTo is the slug of the agent whose directory this one's is, by a link; empty: it has its
	// own.
	JoinedTo  string
	Counts    Counts
	CreatedAt time.Time
	UpdatedAt time.Time
}

// SharesMemories reports whether what the agent remembers is given to all others.
func (a Agent) SharesMemories() bool { return a.Layout == sharedLayout }

// IsGivenShared reports whether the agent is given the memories that others share. An agent whose
// memory is off, or that shares its own, is not.
func (a Agent) IsGivenShared() bool { return !a.SharesMemories() && !a.MemoryOff }

// sharedLayout is the layout of the agents whose memories all others are given.
const sharedLayout = "shared"

// ClaudeMD is how an agent's CLAUDE.md stands.
type ClaudeMD struct {
	Path        string // relative to the agent's directory; empty: the layout has none
	PublishedAt time.Time
	Chars       int // of the whole file, in Unicode characters
	Problem     string
	// InStep is by what the publisher knows the file that says what the memories say; empty: something
	// has changed since.
	InStep string
	// Version is raised by whatever changes what it is compiled of.
	Version int64
}

// Counts is how many memories an agent has. The four types count active ones, Total all that are
// not deleted. The last four are what else waits for somebody to decide.
type Counts struct {
	ByType         map[memories.Type]int
	MissingByType  map[memories.Type]int // of Missing
	NeedsAttention int
	Missing        int
	Deleted        int
	Total          int
	Team           int // of those, the ones in team memory

	Blocked       int // contents that are kept out
	NotRemoved    int // deleted memories of which a file, or an entry in an index, is still there
	Disagreements int // memories under which sessions say different things
	CitesGone     int // memories that cite what is not in the agent's project any more
	Proposals     int // what was found in conversations and waits to be accepted or refused
}

// Add adds n memories of a state and a type.
func (c *Counts) Add(state memories.State, t memories.Type, n int) {
	if state != memories.Deleted {
		c.Total += n
	}
	switch state {
	case memories.Active:
		c.ByType[t] += n
	case memories.NeedsAttention:
		c.NeedsAttention += n
	case memories.Missing:
		c.Missing += n
		c.MissingByType[t] += n
	case memories.Deleted:
		c.Deleted += n
	}
}

// AgentStats are counts of an agent's directory, by the server that holds its lease.
type AgentStats struct {
	Files   int // memory files, by the last scans
	Pending int // paths that wait for a scan
}

// Session is one session of an agent, as far as its files tell.
type Session struct {
	Name       string
	Files      int // on disk now
	Ever       int // ever seen
	ModifiedAt time.Time
}

// SessionPage is one part of an agent's sessions, the newest first.
type SessionPage struct {
	Sessions   []Session
	NextCursor string // empty: this is the end
}

// LeaseHolder is the process id of the Postgres backend whose connection holds a lease. It is 0 if
// no server holds the lease.
type LeaseHolder uint32
