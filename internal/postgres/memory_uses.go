package postgres

import (
	"context"
	"time"

	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
)

// RecordMemoryRead counts that an agent has read the file at path, relative to its directory, for the
// memory of that file. It does nothing for another file.
func (s *Store) RecordMemoryRead(ctx context.Context, agentID int64, path string, at time.Time) error {
	return dberr.Wrap("record a read", s.q.RecordMemoryRead(ctx, queries.RecordMemoryReadParams{AgentID: agentID, Path: path, At: at}))
}

// RecordIndexLoaded counts that a conversation has loaded the agent's MEMORY.md, for each memory whose
// line is within the limits. A second call with the same session counts nothing.
func (s *Store) RecordIndexLoaded(ctx context.Context, agentID int64, session string, at time.Time) error {
	params := queries.RecordIndexLoadedParams{AgentID: agentID, Session: session, At: at}
	return dberr.Wrap("record a loaded index", s.q.RecordIndexLoaded(ctx, params))
}
