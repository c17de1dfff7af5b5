package postgres

import (
	"context"

	"github.com/google/uuid"

	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// startRenames removes the rows of old names that would conflict with the new ones. It adds
// tombstones for the old names, unless the files state the new one, and removes those of the new
// names. It marks r.Files for removal and detaches other files. It deletes the saved index lines,
// and removes the memories from the search index.
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
		if err := q.MarkFilesRemoving(ctx, queries.MarkFilesRemovingParams{AgentID: agentID, Paths: pathsOf(r.Files)}); err != nil {
			return err
		}
		if err := q.DetachFiles(ctx, r.ID); err != nil {
			return err
		}
		if err := q.ClearIndexLines(ctx, r.ID); err != nil {
			return err
		}
		if err := q.UnindexMemory(ctx, r.ID); err != nil {
			return err
		}
	}
	return nil
}

// moveHistories moves the contents and files of deleted memories to the renamed memories that have
// got their names, then deletes the deleted memories. Contents that a renamed memory has already
// are deleted with them. Renames without a deleted memory are skipped.
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
