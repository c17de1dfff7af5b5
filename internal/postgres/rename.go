package postgres

import (
	"context"

	"github.com/google/uuid"

	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// startRenames removes the old keys before the new ones are saved.
func startRenames(ctx context.Context, q *queries.Queries, agentID int64, renames []records.Rename) error {
	for _, r := range renames {
		if !r.ByFile {
			err := q.AddNameTombstones(ctx, queries.AddNameTombstonesParams{
				AgentID: agentID, Name: r.From.Name, Team: r.From.Team, MemoryID: r.ID, At: r.At,
			})
			if err != nil {
				return err
			}
		}
		err := q.RemoveNameTombstones(ctx, queries.RemoveNameTombstonesParams{AgentID: agentID, Name: r.To.Name, Team: r.To.Team, MemoryID: r.ID})
		if err != nil {
			return err
		}
		err = q.DeleteTombstone(ctx, queries.DeleteTombstoneParams{
			AgentID: agentID, Name: r.To.Name, Team: r.To.Team, Fingerprint: r.Content[:],
		})
		if err != nil {
			return err
		}
		if err := detachFiles(ctx, q, agentID, r); err != nil {
			return err
		}
		if err := q.UnindexMemory(ctx, r.ID); err != nil {
			return err
		}
	}
	return nil
}

// detachFiles marks files for removal, and detaches the memory's other files of the old key.
func detachFiles(ctx context.Context, q *queries.Queries, agentID int64, r records.Rename) error {
	if err := q.MarkFilesRemoving(ctx, queries.MarkFilesRemovingParams{AgentID: agentID, Paths: pathsOf(r.Files)}); err != nil {
		return err
	}
	if err := q.DetachFiles(ctx, r.ID); err != nil {
		return err
	}
	return q.ClearIndexLines(ctx, r.ID)
}

// moveHistories moves the histories of deleted memories to the renamed ones that got their keys.
func moveHistories(ctx context.Context, q *queries.Queries, agentID int64, renames []records.Rename) error {
	for _, r := range renames {
		if r.Deleted == uuid.Nil {
			continue
		}
		if err := q.MoveRevisions(ctx, queries.MoveRevisionsParams{MemoryID: r.ID, DeletedID: r.Deleted}); err != nil {
			return err
		}
		err := q.MoveFiles(ctx, queries.MoveFilesParams{MemoryID: r.ID, DeletedID: r.Deleted})
		if err != nil {
			return err
		}
		if err := q.DeleteMemories(ctx, []uuid.UUID{r.Deleted}); err != nil {
			return err
		}
	}
	return nil
}
