package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
)

// Rename is a memory that gets another key. It keeps its id, and with that its history.
type Rename struct {
	ID       uuid.UUID
	From, To memories.Key
	// At is the time of the memory's entry DidRename in the journal.
	At time.Time
	// Content is what the memory says under its new key. It is allowed there, also if it was deleted under that key.
	Content memories.Fingerprint
	// Deleted is the deleted memory that had the new key. Its history becomes the renamed memory's. It is uuid.Nil if there is none.
	Deleted uuid.UUID
	// ByFile says that the memory's files state the new name. Nothing was deleted, so nothing is kept out under the old key.
	ByFile bool
	// Files are to be removed, because they carry the memory under its old key.
	Files []File
}

// beginRenames leaves the old keys, before anything is saved under the new ones.
func (w *Writer) beginRenames(ctx context.Context, q *queries.Queries, renames []Rename) error {
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
func (w *Writer) leaveFiles(ctx context.Context, q *queries.Queries, r Rename) error {
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
func (w *Writer) takeHistories(ctx context.Context, q *queries.Queries, renames []Rename) error {
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
