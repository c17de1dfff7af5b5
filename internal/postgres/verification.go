package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"

	"memoir/internal/postgres/internal/queries"
)

// RecordBytes notes that a file has other bytes now that say the same as before.
func (w *Writer) RecordBytes(ctx context.Context, path, hash string) error {
	return wrap("record the file's bytes", w.q.RecordBytes(ctx, queries.RecordBytesParams{AgentID: w.agentID, Path: path, Hash: hash}))
}

// SetModified sets what the memory's age counts from.
func (w *Writer) SetModified(ctx context.Context, id uuid.UUID, at time.Time) error {
	return wrap("set the memory's age", w.q.SetModified(ctx, queries.SetModifiedParams{ID: id, ModifiedAt: at}))
}
