package records

import (
	"time"

	"memoir/internal/memories"
)

// Disagreement is a conflict between the files of a memory: a session's file is newer than all
// primary files and differs, or two primary files differ. A save ends the first kind. A change or
// removal of one file ends the second.
type Disagreement struct {
	ID         string // of the memory
	Name       string
	Versions   int       // different contents on disk
	Sessions   int       // with files of the memory
	HasPrimary bool      // a primary file has the memory too
	Primary    int       // different contents of primary files
	NewestAt   time.Time // when the newest of them became new
}

// Version is one content that files on disk carry now.
type Version struct {
	Fingerprint memories.Fingerprint
	Type        memories.Type
	Description string
	Body        string
	Current     bool // it is the memory's content
	Files       []VersionFile
}

// VersionFile is one file with the content.
type VersionFile struct {
	Path       string
	Session    string // empty: the agent's own
	Hash       string
	ModifiedAt time.Time
	ContentAt  time.Time // when it became new
}
