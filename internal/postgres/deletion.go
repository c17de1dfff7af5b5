package postgres

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
)

// Delete commits a deletion: the memory goes to the trash, each content that it has had leaves a tombstone, and the
// given files are marked for removal, so that a crash before they are gone is made good at the next look.
func (w *Writer) Delete(ctx context.Context, id uuid.UUID, paths []string, indexLines map[string][]memories.IndexLine) error {
	lines, err := json.Marshal(indexLines)
	if err != nil {
		return err
	}
	at := Now()
	return w.inTx(ctx, "delete", func(q *queries.Queries) error {
		if err := q.MarkDeleted(ctx, queries.MarkDeletedParams{ID: id, At: at, IndexLines: lines}); err != nil {
			return err
		}
		if err := q.BuryMemory(ctx, queries.BuryMemoryParams{MemoryID: id, At: at}); err != nil {
			return err
		}
		return q.MarkFilesRemoving(ctx, queries.MarkFilesRemovingParams{AgentID: w.agentID, Paths: paths})
	})
}

// KeepRaw keeps the exact bytes of a file that was too large to be kept while it was on disk.
func (w *Writer) KeepRaw(ctx context.Context, revision uuid.UUID, raw []byte, hash string) error {
	return wrap("keep the file's bytes", w.q.KeepRaw(ctx, queries.KeepRawParams{ID: revision, Raw: raw, Hash: hash}))
}

// FileRemoved records that a file is gone from the disk.
func (w *Writer) FileRemoved(ctx context.Context, path string) error {
	return wrap("record the removal", w.q.MarkFileRemoved(ctx, queries.MarkFileRemovedParams{AgentID: w.agentID, Path: path}))
}

// FileNotRemoved records why a file could not be removed; it is tried again.
func (w *Writer) FileNotRemoved(ctx context.Context, path, problem string) error {
	return wrap("record the removal", w.q.MarkFileNotRemoved(ctx, queries.MarkFileNotRemovedParams{
		AgentID: w.agentID, Path: path, Problem: &problem,
	}))
}

// BeginRestore lifts the memory's tombstones, leaves alone what its deletion could not remove, and notes that it is to
// be restored, before any file is written.
func (w *Writer) BeginRestore(ctx context.Context, h Head) error {
	return w.inTx(ctx, "begin to restore", func(q *queries.Queries) error {
		if err := q.Unbury(ctx, queries.UnburyParams{AgentID: w.agentID, Name: h.Name}); err != nil {
			return err
		}
		if err := q.LeaveFiles(ctx, queries.LeaveFilesParams{AgentID: w.agentID, MemoryID: h.UUID}); err != nil {
			return err
		}
		return q.SetRestoring(ctx, queries.SetRestoringParams{ID: h.UUID, Restoring: true})
	})
}

// EndRestore notes that the memory is back with all that belongs to it.
func (w *Writer) EndRestore(ctx context.Context, id uuid.UUID) error {
	return w.inTx(ctx, "end the restore", func(q *queries.Queries) error {
		if err := q.ForgetIndexLines(ctx, id); err != nil {
			return err
		}
		return q.SetRestoring(ctx, queries.SetRestoringParams{ID: id, Restoring: false})
	})
}

// Allow lifts the tombstone of one content.
func (w *Writer) Allow(ctx context.Context, name string, f memories.Fingerprint) error {
	return wrap("lift the tombstone", w.q.UnburyContent(ctx, queries.UnburyContentParams{
		AgentID: w.agentID, Name: name, Fingerprint: f[:],
	}))
}

// Purge removes a memory and its history for good. Its tombstones stay, and are set where its removal had left none.
func (w *Writer) Purge(ctx context.Context, id uuid.UUID) error {
	return w.inTx(ctx, "purge", func(q *queries.Queries) error {
		if err := q.BuryMemory(ctx, queries.BuryMemoryParams{MemoryID: id, At: Now()}); err != nil {
			return err
		}
		return q.DeleteHeads(ctx, []uuid.UUID{id})
	})
}

// Bury leaves tombstones for a memory that the disk had put into the trash and that a person now deletes.
func (w *Writer) Bury(ctx context.Context, id uuid.UUID, at time.Time) error {
	return wrap("bury", w.q.BuryMemory(ctx, queries.BuryMemoryParams{MemoryID: id, At: at}))
}

// ForgetContent makes the next look take the file for changed.
func (w *Writer) ForgetContent(ctx context.Context, path string) error {
	return wrap("forget the file's content", w.q.ForgetContent(ctx, queries.ForgetContentParams{AgentID: w.agentID, Path: path}))
}
