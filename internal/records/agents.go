package records

import (
	"slices"
	"time"

	"memoir/internal/memories"
)

// DirectoryID identifies a directory. Another directory at its path has another DirectoryID.
type DirectoryID struct {
	Device uint64
	Inode  uint64 // 0 if unknown
}

// Agent is the stored data of one agent.
type Agent struct {
	ID          int64
	Slug        string
	Layout      string
	Dir         string // absolute
	DisplayName string
	Present     bool // its directory exists
	Sessions    int
	// PrimaryDir is the primary directory at the last full scan. It is nil if it was absent.
	PrimaryDir *DirectoryID
	ClaudeMD   ClaudeMD
	// MemoryOff means that a person has switched the memory off. CLAUDE.md does not ask the agent to
	// save, and extraction and consolidation skip it. Existing memories stay published.
	MemoryOff bool
	// Shared changes whenever the memories shared with the agent may have changed. It is empty
	// without such memories. Only a Writer reads it.
	Shared string
	// HasTargets means that the agent has Targets. Only a Writer reads it.
	HasTargets bool
	// Examined is the version of the rules by which all memories were examined for secrets and
	// injections.
	Examined int
	// JoinedTo is the slug of the agent that owns the directory, if it is a link. Else it is empty.
	JoinedTo  string
	Counts    Counts
	CreatedAt time.Time
	UpdatedAt time.Time
}

// SharesMemories reports whether the agent has the layout "shared", so that its memories are given
// to all other agents. It ignores MemoryOff, with which such an agent shares nothing.
func (a Agent) SharesMemories() bool { return a.Layout == sharedLayout }

// IsGivenShared reports whether the agent may receive the memories of agents that share theirs. It
// returns false if MemoryOff is set or SharesMemories returns true.
func (a Agent) IsGivenShared() bool { return !a.SharesMemories() && !a.MemoryOff }

// sharedLayout is the layout of agents that share their memories.
const sharedLayout = "shared"

// ClaudeMD is the state of an agent's CLAUDE.md.
type ClaudeMD struct {
	Path        string // relative to the agent's directory; empty if the layout has none
	PublishedAt time.Time
	Chars       int // of the whole file, in Unicode characters
	Problem     string
	// PublishKey identifies the file with the current memories. It is empty if they have changed.
	PublishKey string
	// Version is raised by each change of its input.
	Version int64
}

// Counts are the numbers of an agent's memories. ByType counts active ones, Total all that are not
// deleted. The last six count other decisions to make.
type Counts struct {
	ByType         map[memories.Type]int
	MissingByType  map[memories.Type]int // of Missing
	NeedsAttention int
	Missing        int
	Deleted        int
	Total          int
	Team           int // of those, the ones in team memory

	Blocked       int // blocked contents
	NotRemoved    int // deleted memories with a remaining file or index entry
	Disagreements int // memories with a conflict
	CitesGone     int // memories with dead citations
	Proposals     int // proposals to accept or refuse
	Review        int // items of the review, the ones above among them
}

// Add adds n to the count of the state, and to Total unless the state is Deleted. For Active, that
// count is ByType[t]. For Missing, it adds n to Missing and to MissingByType[t]. Both maps must not
// be nil. Add ignores t for other states, and never changes Team or the last six counts.
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

// Session is one session of an agent, from its files.
type Session struct {
	Name       string
	Files      int       // on disk now
	Ever       int       // ever seen
	ModifiedAt time.Time // of the newest one ever seen: metadata.modified, else the file's time
}

// SessionPage is one part of an agent's sessions, the newest first.
type SessionPage struct {
	Sessions   []Session
	NextCursor string // empty at the end
}

// LeaseHolder is the process id of the Postgres backend whose connection holds a lease. It is 0 if
// no server holds the lease.
type LeaseHolder uint32

// AgentsOf returns the agents of all with that layout and that slug. An empty layout or slug is any.
func AgentsOf(all []Agent, layout, slug string) []Agent {
	return slices.DeleteFunc(slices.Clone(all), func(a Agent) bool {
		return layout != "" && a.Layout != layout || slug != "" && a.Slug != slug
	})
}
