package sync

import (
	"context"

	"memoir/internal/memories"
	"memoir/internal/records"
)

type actorKey struct{}

// As says who asks for what is done in the context, for the journal. The API and the pages set it once, around all of their
// calls. What is found on disk was done by whoever wrote it, no matter who asked for the scan.
func As(ctx context.Context, actor memories.Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

// actorOf returns who asks; where nobody does, Memoir acts by itself.
func actorOf(ctx context.Context) memories.Actor {
	if actor, ok := ctx.Value(actorKey{}).(memories.Actor); ok {
		return actor
	}
	return memories.ByMemoir
}

// scanOrigin is why there is something new in a file that is scanned. The zero cause: the one who wrote it knows.
type scanOrigin struct {
	actor memories.Actor
	// rename is the memory that gets the key of the new file. It is nil if none does.
	rename *records.Rename
}

// actorFor returns who did what a file shows.
func (c scanOrigin) actorFor(s *scannedFile) memories.Actor {
	switch {
	case c.actor != "":
		return c.actor
	case s != nil && !s.isPrimary():
		return memories.BySession
	default:
		return memories.ByDisk
	}
}
