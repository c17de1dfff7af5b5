package postgres

import (
	"context"

	"github.com/google/uuid"

	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// beginRenames leaves the old keys, before anything is saved under the new ones.
func (w *Writer) beginRenames(ctx context.Context, q *queries.Queries, renames []records.Rename) error {
	for _, r := range renames {
		if !r.ByFile {
			err := q.BuryName(ctx, queries.BuryNameParams{
				AgentID: w.agentID, Name: r.From.Name, Team: r.From.Team, MemoryID: r.ID, At: r.At,
			})
			if err != nil {
				return err
			}
		}
		err := q.UnburyName(ctx, queries.UnburyNameParams{AgentID: w.agentID, Name: r.To.Name, Team: r.To.Team, MemoryID: r.ID})
		if err != nil {
			return err
		}
		err = q.LetIn(ctx, queries.LetInParams{
			AgentID: w.agentID, Name: r.To.Name, Team: r.To.Team, Fingerprint: r.Content[:],
		})
		if err != nil {
			return err
		}
		if err := w.leaveFiles(ctx, q, r); err != nil {
			return err
		}
		if err := q.UnindexMemory(ctx, r.ID); err != nil {
			return err
		}
	}
	return nil
}

// leaveFiles marks the files that are to be removed, and takes the other files of the old key away from the memory.
func (w *Writer) leaveFiles(ctx context.Context, q *queries.Queries, r records.Rename) error {
	paths := make([]string, len(r.Files))
	for i, f := range r.Files {
		paths[i] = f.Path
	}
	if err := q.MarkFilesRemoving(ctx, queries.MarkFilesRemovingParams{AgentID: w.agentID, Paths: paths}); err != nil {
		return err
	}
	if err := q.LeaveName(ctx, r.ID); err != nil {
		return err
	}
	return q.ForgetIndexLines(ctx, r.ID)
}

// takeHistories gives renamed memories the histories of the deleted memories that had their new keys.
func (w *Writer) takeHistories(ctx context.Context, q *queries.Queries, renames []records.Rename) error {
	for _, r := range renames {
		if r.Deleted == uuid.Nil {
			continue
		}
		if err := q.TakeRevisions(ctx, queries.TakeRevisionsParams{MemoryID: r.ID, DeletedID: r.Deleted}); err != nil {
			return err
		}
		err := q.TakeFiles(ctx, queries.TakeFilesParams{MemoryID: r.ID, DeletedID: r.Deleted})
		if err != nil {
			return err
		}
		if err := q.DeleteHeads(ctx, []uuid.UUID{r.Deleted}); err != nil {
			return err
		}
	}
	return nil
}
