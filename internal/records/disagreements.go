package records

import (
	"time"

	"memoir/internal/memories"
)

// Disagreement is a memory under whose name files on disk say different things, the newest of them
// a session's. It is settled as soon as the newest is the agent's own file, which is what a save
// makes, until a session says something new. Two primary files that say different things disagree
// until one of them is changed or removed.
type Disagreement struct {
	ID         string // of the memory
	Name       string
	Versions   int       // different contents on disk
	Sessions   int       // that carry one of them
	HasPrimary bool      // the agent's own file carries one too
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

// VersionFile is one file that says it.
type VersionFile struct {
	Path       string
	Session    string // empty: the agent's own
	Hash       string
	ModifiedAt time.Time
	ContentAt  time.Time // when it became new
}
