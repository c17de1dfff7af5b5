package postgres

import (
	"context"
	"time"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// PromiseBytes notes the bytes that a file is about to get, by their hash. They make its content no newer, whatever ends this before
// RecordBytes. Empty: it is not to get them after all.
func (w *Writer) PromiseBytes(ctx context.Context, path, hash string) error {
	return wrap("note the bytes that are to be written", w.q.PromiseBytes(ctx, queries.PromiseBytesParams{AgentID: w.agentID, Path: path, Hash: optional(hash)}))
}

// RecordBytes notes that a file has the bytes that it was promised.
func (w *Writer) RecordBytes(ctx context.Context, path, hash string) error {
	return wrap("record the file's bytes", w.q.RecordBytes(ctx, queries.RecordBytesParams{AgentID: w.agentID, Path: path, Hash: hash}))
}

// Verify commits that the memory is still true: its age counts from then on.
func (w *Writer) Verify(ctx context.Context, h records.MemoryRow, at time.Time, actor memories.Actor) error {
	h.ModifiedAt = at
	return w.inTx(ctx, "set the memory's age", func(q *queries.Queries) error {
		if err := q.SetModified(ctx, queries.SetModifiedParams{ID: h.UUID, ModifiedAt: at}); err != nil {
			return err
		}
		if err := w.outOfStep(ctx, q, h.UUID); err != nil { // CLAUDE.md may say how old it is
			return err
		}
		return journal(ctx, q, w.agentID, records.NewJournalEntry(h, h.CountKey(), at, memories.ActivityVerified, actor))
	})
}
