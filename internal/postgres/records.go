package postgres

import (
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
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
	// Durable is the durable directory as it was when everything was last looked at; nil: it was not there.
	Durable  *DirectoryID
	ClaudeMD ClaudeMD
	// MemoryOff says that somebody has switched its memory off: CLAUDE.md does not ask it to save, and nothing is extracted or
	// consolidated. What it remembers stays, and stays published.
	MemoryOff bool
	// Shared is another text whenever something else may be shared with the agent; empty: nothing is. Only a Writer reads it.
	Shared string
	// JoinedTo is the slug of the agent whose directory this one's is, by a link; empty: it has its own.
	JoinedTo  string
	Counts    Counts
	CreatedAt time.Time
	UpdatedAt time.Time
}

// ClaudeMD is how an agent's CLAUDE.md stands.
type ClaudeMD struct {
	Path        string // relative to the agent's directory; empty: the layout has none
	PublishedAt time.Time
	Chars       int // of the whole file, in Unicode characters
	Problem     string
	// InStep is by what the publisher knows the file that says what the memories say; empty: something has changed since.
	InStep string
	// Version is raised by whatever changes what it is compiled of.
	Version int64
}

// Counts is how many memories an agent has. The four types count active ones, Total all that are not deleted. The last
// four are what else waits for somebody to decide.
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

// FileStatus says what a file on disk is to its memory.
type FileStatus string

// The statuses of a file.
const (
	Carries    FileStatus = "carries"    // it carries the memory
	Blocked    FileStatus = "blocked"    // it carries a content that was deleted
	Unreadable FileStatus = "unreadable" // its memory is the one that it carried when it could last be read
	Removing   FileStatus = "removing"   // a deletion is to remove it
)

// File is one memory file as it was last looked at. One that is not present stays known: it is not new when it comes back.
type File struct {
	Path        string
	Session     string    // empty: of the durable directory
	MemoryID    uuid.UUID // zero: none
	Status      FileStatus
	Present     bool
	Fingerprint memories.Fingerprint
	Hash        string
	Size        int64
	ModTime     int64 // nanoseconds since 1970
	ModifiedAt  time.Time
	ContentAt   time.Time
	Problem     string
	Signature   int64  // of its path and metadata when it was read; 0: the next look reads it
	Promised    string // the hash of bytes that make its content no newer, if those are what it has by now; empty: none
	// Flaws are those with which its content was taken.
	Flaws memories.Flaw
	// Unfinished are the flaws for which the file does not count. Fingerprint, ContentAt and ModifiedAt are then those of its last
	// good content, and Fingerprint is zero if that is unknown. It is 0 if the file counts as it is.
	Unfinished memories.Flaw
}

// Durable says whether the file belongs to the agent's own memory/ and not to a session.
func (f File) Durable() bool { return f.Session == "" }

// DeletedBy says who put a memory into the trash.
type DeletedBy string

// A person's deletion leaves tombstones; what was removed on disk comes back with its file.
const (
	ByPerson DeletedBy = "person"
	ByDisk   DeletedBy = "disk"
)

// Head is a memory without its text, with what the writer needs to know of it.
type Head struct {
	memories.Memory // Body and Files are empty
	UUID            uuid.UUID
	RevisionID      uuid.UUID
	DeletedBy       DeletedBy
	IndexLines      map[string][]memorymd.RemovedLine // what a deletion took out of each index, by its path
	Restoring       bool
	Conflict        memories.Conflict
}

// After returns the moment of what happens to the memory at a time by the system's clock. It is after all that has happened
// to the memory before, also when the clock has been set back since, or that of another server was ahead.
func (h Head) After(at time.Time) time.Time {
	for _, before := range []time.Time{h.UpdatedAt, h.ContentAt} {
		if !at.After(before) {
			at = before.Add(time.Microsecond) // what Postgres can tell apart
		}
	}
	return at
}

// Revision is a content of a memory to be kept.
type Revision struct {
	ID          uuid.UUID
	MemoryID    uuid.UUID
	Fingerprint memories.Fingerprint
	Hash        string
	Type        memories.Type
	Description string
	Body        string
	Raw         []byte
	Path        string
	Session     string
	SeenAt      time.Time
	// Current says that it is the memory's content from now on. One that is not leaves a known revision as it is.
	Current bool
}

// BlockedFile is a file whose content is kept out.
type BlockedFile struct {
	memories.Blocked
	Fingerprint memories.Fingerprint
}

// Words is a memory's text for the search index, which splits it only when it is saved: a large look leaves that to later.
type Words struct {
	AgentID                 int64 // set by Apply
	MemoryID, RevisionID    uuid.UUID
	Name, Description, Body string
}
