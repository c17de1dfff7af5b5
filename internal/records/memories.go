package records

import (
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
)

// MemoryRow is a memory without its text, with the columns that only a writer needs.
type MemoryRow struct {
	memories.Memory // Body and Files are empty
	UUID            uuid.UUID
	RevisionID      uuid.UUID
	DeletedBy       DeletedBy
	IndexLines      map[string][]memorymd.RemovedLine // what a deletion took out of each index, by its path
	Restoring       bool
	Conflict        memories.Conflict
}

// CountKey returns the state and type by which the memory is counted.
func (h MemoryRow) CountKey() CountKey { return CountKey{h.State, h.Type} }

// After returns the moment of what happens to the memory at a time by the system's clock. It is
// after all that has happened to the memory before, also when the clock has been set back since, or
// that of another server was ahead.
func (h MemoryRow) After(at time.Time) time.Time {
	for _, before := range []time.Time{h.UpdatedAt, h.ContentAt} {
		if !at.After(before) {
			at = before.Add(time.Microsecond) // what Postgres can tell apart
		}
	}
	return at
}

// DeletedBy says who put a memory into the trash.
type DeletedBy string

// A person's deletion leaves tombstones; what was removed on disk comes back with its file.
const (
	ByPerson DeletedBy = "person"
	ByDisk   DeletedBy = "disk"
)

// File is one memory file as it was last looked at. One that is not present stays known: it is not
// new when it comes back.
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
	// Unfinished are the flaws for which the file does not count. Fingerprint, ContentAt and
	// ModifiedAt are then those of its last good content, and Fingerprint is zero if that is unknown.
	// It is 0 if the file counts as it is.
	Unfinished memories.Flaw
}

// IsPrimary says whether the file belongs to the agent's own memory/ and not to a session.
func (f File) IsPrimary() bool { return f.Session == "" }

// FileStatus says what a file on disk is to its memory.
type FileStatus string

// The statuses of a file.
const (
	Mirrored   FileStatus = "carries"    // it carries the memory
	Blocked    FileStatus = "blocked"    // it carries a content that was deleted
	Unreadable FileStatus = "unreadable" // its memory is the one that it carried when it could last be read
	Removing   FileStatus = "removing"   // a deletion is to remove it
)

// PrimaryFile is a file of the durable directory that carries a memory, or last did.
type PrimaryFile struct {
	Path     string
	Present  bool
	Readable bool // as of when it was last looked at
	Hash     string
	// Unfinished reports whether the file does not count as it is.
	Unfinished bool
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
	// Current says that it is the memory's content from now on. One that is not leaves a known
	// revision as it is.
	Current bool
}

// BlockedFile is a file whose content is kept out.
type BlockedFile struct {
	memories.Blocked
	Fingerprint memories.Fingerprint
}

// BlockedPage is one part of an agent's contents that are kept out, the newest first.
type BlockedPage struct {
	Blocked    []memories.Blocked
	NextCursor string // empty: this is the end
}

// Tombstone names a content that does not come back by itself.
type Tombstone struct {
	memories.Key
	Fingerprint memories.Fingerprint
}

// MemoryVersion is the state and content of a memory. Equal versions mean that the memory has not
// changed.
type MemoryVersion struct {
	State       memories.State
	Fingerprint memories.Fingerprint
}

// SearchText is a memory's text for the search index. It is split into words when it is saved,
// which a large scan leaves for later.
type SearchText struct {
	AgentID                 int64 // set by Apply
	MemoryID, RevisionID    uuid.UUID
	Name, Description, Body string
}
