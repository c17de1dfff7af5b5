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
	IndexLines      map[string][]memorymd.RemovedLine // the lines that a deletion removed, by index path
	Restoring       bool
	Conflict        memories.Conflict
}

// CountKey returns the memory's state and type, by which memories are counted.
func (h MemoryRow) CountKey() CountKey { return CountKey{h.State, h.Type} }

// After returns the time to record for a change of the memory. That is at, if it is later than h's
// UpdatedAt and ContentAt. Otherwise it is a microsecond after the later of these two, because a
// clock was wrong.
func (h MemoryRow) After(at time.Time) time.Time {
	for _, before := range []time.Time{h.UpdatedAt, h.ContentAt} {
		if !at.After(before) {
			at = before.Add(time.Microsecond) // the resolution of Postgres
		}
	}
	return at
}

// DeletedBy is who moved a memory to the trash.
type DeletedBy string

// A person's deletion adds tombstones. A memory removed on disk returns with its file.
const (
	ByPerson DeletedBy = "person"
	ByDisk   DeletedBy = "disk"
)

// File is one memory file as of its last scan. The row of an absent file is kept, so that the file
// is not new if it returns.
type File struct {
	Path         string
	Session      string    // empty: of the primary directory
	MemoryID     uuid.UUID // uuid.Nil if none
	Status       FileStatus
	Present      bool
	Fingerprint  memories.Fingerprint
	Hash         string
	Size         int64
	ModTime      int64 // nanoseconds since 1970
	ModifiedAt   time.Time
	ContentAt    time.Time
	Problem      string
	Signature    int64  // of its path and metadata; 0 makes the next scan read it
	ExpectedHash string // hash of bytes that do not make the content newer; empty if none
	// Flaws are those of the accepted content.
	Flaws memories.Flaw
	// Unfinished are the flaws for which the file does not count. Fingerprint, ContentAt and
	// ModifiedAt are then those of its last good content, and Fingerprint is zero if that is unknown.
	// It is 0 if the file counts as it is.
	Unfinished memories.Flaw
}

// IsPrimary reports whether the file is in the primary directory, not in a session.
func (f File) IsPrimary() bool { return f.Session == "" }

// FileStatus is the relation of a file to its memory.
type FileStatus string

// The statuses of a file.
const (
	Mirrored   FileStatus = "mirrored"   // a file of its memory
	Blocked    FileStatus = "blocked"    // its content was deleted before
	Unreadable FileStatus = "unreadable" // its memory is from the last time it could be read
	Removing   FileStatus = "removing"   // a deletion must remove it
)

// PrimaryFile is a file of the primary directory that carries a memory, or last did.
type PrimaryFile struct {
	Path     string
	Present  bool
	Readable bool // as of the last scan
	Hash     string
	// Unfinished reports whether the file does not count as it is.
	Unfinished bool
}

// Revision is a content of a memory.
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
	// Current means that it becomes the memory's content. Otherwise a known revision does not change.
	Current bool
}

// BlockedFile is a file with a blocked content.
type BlockedFile struct {
	memories.Blocked
	Fingerprint memories.Fingerprint
}

// BlockedPage is one page of an agent's blocked contents, newest first.
type BlockedPage struct {
	Blocked    []memories.Blocked
	NextCursor string // empty at the end
}

// Tombstone is a deleted content, which is blocked if it returns.
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
// which a large scan does later.
type SearchText struct {
	AgentID                 int64 // set by Apply
	MemoryID, RevisionID    uuid.UUID
	Name, Description, Body string
	// Masked means that the memory is in quarantine: the index gets its text without secrets.
	Masked bool
}
