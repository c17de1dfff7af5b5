package reconcile

import (
	"memoir/internal/memories"
	"memoir/internal/records"
)

// scanOrigin is why there is something new in a file that is scanned. The zero cause: the one who wrote it knows.
type Origin struct {
	Actor memories.Actor
	// rename is the memory that gets the key of the new file. It is nil if none does.
	Rename *records.Rename
}

// actorFor returns who did what a file shows.
func (c Origin) actorFor(s *ScannedFile) memories.Actor {
	switch {
	case c.Actor != "":
		return c.Actor
	case s != nil && !s.isPrimary():
		return memories.BySession
	default:
		return memories.ByDisk
	}
}
