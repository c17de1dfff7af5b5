package postgres

import (
	"context"

	"github.com/google/uuid"

	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// startRenames does the first part of each rename; updateRows saves the new names. It adds
// tombstones for the contents under the old name, unless r.ByFile is set. It removes those under
// the new name that an earlier rename or a deletion of r.Content has added. It marks r.Files for
// removal and detaches the memory's other files. It deletes the saved index lines, which ends a
// restore, and the memory's search vector.
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

// moveHistories moves the contents and files of each memory r.Deleted to the renamed memory, which
// has got its name. Then it deletes the memory r.Deleted, with the contents that the renamed one
// had already. It skips renames with r.Deleted uuid.Nil.
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
