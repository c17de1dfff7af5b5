package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Delete commits a deletion in one transaction: it moves the memory to the trash, adds a tombstone
// for each content it has had, and marks its files for removal. It also saves the removed index
// lines, marks CLAUDE.md as out of date, and adds a journal entry. It changes no file on disk; the
// next scan does after a crash.
func (w *Writer) Delete(ctx context.Context, d records.Deletion) error {
	return w.inKeyedTx(ctx, "delete", func(q *queries.Queries) error {
		lines, err := json.Marshal(d.IndexLines)
		if err != nil {
			return err
		}
		at := d.Head.After(records.Now())
		err = q.MarkDeleted(ctx, queries.MarkDeletedParams{ID: d.Head.UUID, At: at, IndexLines: lines, Actor: string(d.Actor)})
		if err != nil {
			return err
		}
		if err := q.MarkFilesRemoving(ctx, queries.MarkFilesRemovingParams{AgentID: w.agentID, Paths: pathsOf(d.Files)}); err != nil {
			return err
		}
		if err := invalidatePublished(ctx, q, w.agentID, d.Head.UUID); err != nil {
			return err
		}
		deleted := records.NewJournalEntry(d.Head, d.Head.CountKey(), at, memories.ActivityDeleted, d.Actor)
		deleted.State = memories.Deleted
		return journal(ctx, q, w.agentID, deleted)
	})
}

func pathsOf(files []records.File) []string {
	return mapAll(files, func(f records.File) string { return f.Path })
}

// ExpectFile registers a file, before it is written, for a memory that gets another name or scope.
// The row marks the file for removal until a scan accepts it, so that it does not stay if the
// change fails. It replaces the row of a file at the path.
func (w *Writer) ExpectFile(ctx context.Context, path, hash string, f memories.Fingerprint) error {
	return dberr.Wrap("note the file that is to be written", w.q.ExpectFile(ctx, queries.ExpectFileParams{AgentID: w.agentID, Path: path, Fingerprint: f[:], Hash: hash, At: records.Now()}))
}

// KeepRaw saves the bytes and the hash of a known content, whose file was too large to be saved
// while it was on disk.
func (w *Writer) KeepRaw(ctx context.Context, revision uuid.UUID, raw []byte, hash string) error {
	return dberr.Wrap("keep the file's bytes", w.q.KeepRaw(ctx, queries.KeepRawParams{ID: revision, Raw: raw, Hash: hash}))
}

// FilesRemoved records that the files at the paths were removed from disk, and clears their removal
// marks. It does nothing for an empty list. It does not wait for the disk: after a power cut, the
// next scan finds the files absent.
func (w *Writer) FilesRemoved(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	return w.withoutWaiting(ctx, "record the removal", func(q *queries.Queries) error {
		return q.MarkFilesRemoved(ctx, queries.MarkFilesRemovedParams{AgentID: w.agentID, Paths: paths})
	})
}

// FileNotRemoved records why a file could not be removed. The file stays marked for removal.
func (w *Writer) FileNotRemoved(ctx context.Context, path, problem string) error {
	return dberr.Wrap("record the removal", w.q.MarkFileNotRemoved(ctx, queries.MarkFileNotRemovedParams{
		AgentID: w.agentID, Path: path, Problem: &problem,
	}))
}

// BeginRestore records that the restore of a memory from the trash has begun, before any file is
// written. It removes the tombstones of its last deletion and of its current content, and cancels
// pending removals of its files. EndRestore or CancelRestore must follow; after a crash, a scan
// completes the restore.
func (w *Writer) BeginRestore(ctx context.Context, h records.MemoryRow) error {
	return w.inKeyedTx(ctx, "begin to restore", func(q *queries.Queries) error {
		if err := q.RemoveTombstones(ctx, h.UUID); err != nil {
			return err
		}
		if err := q.UnmarkFiles(ctx, queries.UnmarkFilesParams{AgentID: w.agentID, MemoryID: h.UUID}); err != nil {
			return err
		}
		return q.BeginRestoring(ctx, h.UUID)
	})
}

// CancelRestore ends a restore and leaves the memory in the trash. It saves the rows in left. If a
// user deleted the memory, it adds the tombstones for all its contents again.
func (w *Writer) CancelRestore(ctx context.Context, h records.MemoryRow, left []records.File) error {
	return w.inKeyedTx(ctx, "give up the restore", func(q *queries.Queries) error {
		if err := updateFiles(ctx, q, w.agentID, left); err != nil {
			return err
		}
		if h.DeletedBy == records.ByPerson {
			if err := q.AddTombstones(ctx, queries.AddTombstonesParams{MemoryID: h.UUID, At: h.DeletedAt}); err != nil {
				return err
			}
		}
		return q.CancelRestoring(ctx, h.UUID)
	})
}

// RemovedIndexLines returns by memory and index path the lines that deletions removed from indexes
// and no restore has put back. It omits memories without such lines.
func (a *AgentRows) RemovedIndexLines(ctx context.Context) (map[uuid.UUID]map[string][]memorymd.RemovedLine, error) {
	rows, err := a.q.RemovedIndexLines(ctx, a.agentID)
	if err != nil {
		return nil, dberr.Wrap("read the index lines", err)
	}
	out := make(map[uuid.UUID]map[string][]memorymd.RemovedLine, len(rows))
	for _, row := range rows {
		var lines map[string][]memorymd.RemovedLine
		if err := json.Unmarshal(row.IndexLines, &lines); err != nil {
			return nil, fmt.Errorf("read the index lines of memory %s: %w", row.ID, err)
		}
		out[row.ID] = lines
	}
	return out, nil
}

// EndRestore records that the restore of a memory is complete, and deletes its saved index lines.
// It does not wait for the disk: after a power cut, the restore is repeated.
func (w *Writer) EndRestore(ctx context.Context, id uuid.UUID) error {
	return w.withoutWaiting(ctx, "end the restore", func(q *queries.Queries) error {
		return q.EndRestoring(ctx, id)
	})
}

// AllowBlocked removes the tombstone of a blocked content, makes the next scan read its file as
// changed, and adds a journal entry. It does nothing about the file itself.
func (w *Writer) AllowBlocked(ctx context.Context, b records.BlockedFile, actor memories.Actor) error {
	return w.inTx(ctx, "let the content in", func(q *queries.Queries) error {
		if err := q.DeleteTombstone(ctx, queries.DeleteTombstoneParams{AgentID: w.agentID, Name: b.Name, Team: b.Team, Fingerprint: b.Fingerprint[:]}); err != nil {
			return err
		}
		if err := q.InvalidateFile(ctx, queries.InvalidateFileParams{AgentID: w.agentID, Path: b.Path}); err != nil {
			return err
		}
		return journalBlocked(ctx, q, w.agentID, b, memories.ActivityAllowed, actor)
	})
}

// DiscardBlocked records that the caller has removed the file of a blocked content. It marks the
// file as absent, deletes the blocked content, and adds a journal entry. The tombstone stays.
func (w *Writer) DiscardBlocked(ctx context.Context, b records.BlockedFile, actor memories.Actor) error {
	return w.inTx(ctx, "record the removal", func(q *queries.Queries) error {
		if err := q.MarkFileRemoved(ctx, queries.MarkFileRemovedParams{AgentID: w.agentID, Path: b.Path}); err != nil {
			return err
		}
		if err := q.DeleteBlocked(ctx, queries.DeleteBlockedParams{AgentID: w.agentID, Paths: []string{b.Path}}); err != nil {
			return err
		}
		return journalBlocked(ctx, q, w.agentID, b, memories.ActivityDiscarded, actor)
	})
}

// journalBlocked adds a journal entry about a blocked content, with the id of the memory that has
// its name and scope, if there is one.
func journalBlocked(ctx context.Context, q *queries.Queries, agentID int64, b records.BlockedFile, kind memories.ActivityKind, actor memories.Actor) error {
	h := records.JournalEntry{At: records.Now(), Kind: kind, Actor: actor, Name: b.Name, Path: b.Path, Session: b.Session, Type: b.Type}
	named, err := q.RowsByName(ctx, queries.RowsByNameParams{AgentID: agentID, Names: []string{b.Name}})
	if err != nil {
		return err
	}
	for _, row := range named {
		if row.Memory.Team == b.Team {
			h.MemoryID = row.Memory.ID
		}
	}
	return journal(ctx, q, agentID, h)
}

// Allow removes the tombstone of one content under a name and scope, and returns the time of the
// deletion. If there is no such tombstone, it changes nothing and returns the zero time.
// AddTombstone undoes it.
func (w *Writer) Allow(ctx context.Context, of memories.Key, f memories.Fingerprint) (deletedAt time.Time, err error) {
	lifted, err := w.q.LiftTombstone(ctx, queries.LiftTombstoneParams{AgentID: w.agentID, Name: of.Name, Team: of.Team, Fingerprint: f[:]})
	if err != nil || len(lifted) == 0 {
		return time.Time{}, dberr.Wrap("lift the tombstone", err)
	}
	return lifted[0], nil
}

// AddTombstone adds the tombstone of one content under a name and scope, with the time of the
// deletion. It does nothing if the time is zero or the tombstone exists.
func (w *Writer) AddTombstone(ctx context.Context, of memories.Key, f memories.Fingerprint, deletedAt time.Time) error {
	if deletedAt.IsZero() {
		return nil
	}
	return dberr.Wrap("leave the tombstone", w.q.InsertTombstone(ctx, queries.InsertTombstoneParams{
		AgentID: w.agentID, Name: of.Name, Team: of.Team, Fingerprint: f[:], DeletedAt: deletedAt,
	}))
}

// Purge deletes a memory with its history, adds a tombstone for each content without one, and adds
// a last journal entry. It also deletes proposals that became the memory, and words for fuzzy
// search that are no longer used. No file on disk changes.
func (w *Writer) Purge(ctx context.Context, h records.MemoryRow, actor memories.Actor) error {
	at := h.After(records.Now())
	return w.inTx(ctx, "purge", func(q *queries.Queries) error {
		if err := q.AddTombstones(ctx, queries.AddTombstonesParams{MemoryID: h.UUID, At: at}); err != nil {
			return err
		}
		texts, err := q.TextsOf(ctx, queries.TextsOfParams{Ids: []uuid.UUID{h.UUID}})
		if err != nil {
			return err
		}
		if err := q.DeleteMemories(ctx, []uuid.UUID{h.UUID}); err != nil {
			return err
		}
		if err := q.DeleteProposalsOf(ctx, queries.DeleteProposalsOfParams{AgentID: w.agentID, MemoryID: &h.UUID}); err != nil {
			return err
		}
		if err := deleteUnusedWords(ctx, q, texts); err != nil {
			return err
		}
		return journal(ctx, q, w.agentID, records.LastJournalEntry(h, at, memories.ActivityPurged, actor))
	})
}

// AddTombstones adds a tombstone for each content of a memory in the trash, and records that a user
// deleted it. It ends a running restore. Before, the memory was in the trash only because its files
// were removed on disk.
func (w *Writer) AddTombstones(ctx context.Context, id uuid.UUID, at time.Time) error {
	return w.inKeyedTx(ctx, "bury", func(q *queries.Queries) error {
		if err := q.AddTombstones(ctx, queries.AddTombstonesParams{MemoryID: id, At: at}); err != nil {
			return err
		}
		return q.SetDeletedByPerson(ctx, id)
	})
}
