package agenttx

import (
	"context"

	"memoir/internal/memories"
)

type actorKey struct{}

// As says who asks for what is done in the context, for the journal. The API and the pages set it once, around all of their
// calls. What is found on disk was done by whoever wrote it, no matter who asked for the scan.
func As(ctx context.Context, actor memories.Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

// ActorOf returns who asks; where nobody does, Memoir acts by itself.
func ActorOf(ctx context.Context) memories.Actor {
	if actor, ok := ctx.Value(actorKey{}).(memories.Actor); ok {
		return actor
	}
	return memories.ByMemoir
}
