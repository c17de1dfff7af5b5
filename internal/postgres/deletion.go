package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Delete commits a deletion in one transaction. It moves the memory to the trash, adds a tombstone
// for each content it has had, and marks d.Files for removal. It saves d.IndexLines for a restore,
// marks CLAUDE.md as out of date, and adds a journal entry. It changes no file on disk: the caller
// must remove the files; after a crash, the next scan does.
func (w *Writer) Delete(ctx context.Context, d records.Deletion) error {
	return w.inKeyedTx(ctx, "delete", func(q *queries.Queries) error {
		lines, err := json.Marshal(d.IndexLines)
		if err != nil {
			return err
		}
		at := d.Head.After(records.Now())
		action := records.ActionOf(ctx)
		err = q.MarkDeleted(ctx, queries.MarkDeletedParams{ID: d.Head.UUID, At: at, IndexLines: lines, Actor: string(d.Actor), Browser: dbconv.Optional(action.Browser), Person: dbconv.Optional(action.Person)})
		if err != nil {
			return err
		}
		if _, err := q.EndDeletionConflict(ctx, d.Head.UUID); err != nil {
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
	return dbconv.All(files, func(f records.File) string { return f.Path })
}

// ExpectFile registers a file that the caller will write for a memory that gets another name or
// scope. The file's row is marked for removal until a scan accepts the file, so that it does not
// stay if the change fails. It replaces a known row at the path. It writes no file.
func (w *Writer) ExpectFile(ctx context.Context, path, hash string, f memories.Fingerprint) error {
	return dberr.Wrap("note the file that is to be written", w.q.ExpectFile(ctx, queries.ExpectFileParams{AgentID: w.agentID, Path: path, Fingerprint: f[:], Hash: hash, At: records.Now()}))
}

// KeepRaw saves the bytes and the hash of the content with the id revision. Its file was too large
// to be saved while it was on disk. It does nothing if the id is unknown.
func (w *Writer) KeepRaw(ctx context.Context, revision uuid.UUID, raw []byte, hash string) error {
	return dberr.Wrap("keep the file's bytes", w.q.KeepRaw(ctx, queries.KeepRawParams{ID: revision, Raw: raw, Hash: hash}))
}

// FilesRemoved records that the files at the paths were removed from disk, and clears their removal
// marks. It returns the paths of those that were recorded as present until now. It does nothing for an
// empty list. It does not wait for the disk: a power cut may undo it, and the next scan then finds the
// files absent.
func (w *Writer) FilesRemoved(ctx context.Context, paths []string) (present []string, err error) {
	if len(paths) == 0 {
		return nil, nil
	}
	err = w.withoutWaiting(ctx, "record the removal", func(q *queries.Queries) error {
		rows, err := q.MarkFilesRemoved(ctx, queries.MarkFilesRemovedParams{AgentID: w.agentID, Paths: paths})
		for _, row := range rows {
			if row.Present {
				present = append(present, row.Path)
			}
		}
		return err
	})
	return present, err
}

// FileNotRemoved records problem as the reason why the file at path could not be removed. The file
// stays marked for removal.
func (w *Writer) FileNotRemoved(ctx context.Context, path, problem string) error {
	return dberr.Wrap("record the removal", w.q.MarkFileNotRemoved(ctx, queries.MarkFileNotRemovedParams{
		AgentID: w.agentID, Path: path, Problem: &problem,
	}))
}

// BeginRestore records that the restore of a memory from the trash has begun, before any file is
// written. It removes the tombstones of its last deletion and of its current content. Files that
// were marked for removal lose the mark and count as absent. The memory is still in the trash.
// EndRestore or CancelRestore must follow; after a crash, a scan completes the restore.
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

// CancelRestore ends a restore and leaves the memory in the trash. It saves the rows of files in
// left. If h.DeletedBy is records.ByPerson, it adds the missing tombstones of all contents again,
// except of one that waits for a decision.
// No file on disk changes.
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
		if err := q.AllowConflicting(ctx, h.UUID); err != nil {
			return err
		}
		return q.CancelRestoring(ctx, h.UUID)
	})
}

// RemovedIndexLines returns, by memory and by path of the index, the lines that deletions of the
// agent's memories removed from indexes. It omits memories whose restore is complete, and those
// without such lines.
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

// EndRestore records that the restore of a memory is complete, and deletes its saved index lines. It
// also decides about a change on another machine.
// It does not wait for the disk: a power cut may undo it, and the next scan then repeats the
// restore.
func (w *Writer) EndRestore(ctx context.Context, id uuid.UUID) error {
	return w.withoutWaiting(ctx, "end the restore", func(q *queries.Queries) error {
		if _, err := q.EndDeletionConflict(ctx, id); err != nil {
			return err
		}
		return q.EndRestoring(ctx, id)
	})
}

// AllowBlocked removes the tombstone of a blocked content, and adds a journal entry. It makes the
// next scan read the file as changed, which turns it into a memory. The file itself and the row of
// the blocked content do not change.
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
// file's row as absent, deletes the row of the blocked content, and adds a journal entry. The
// tombstone stays.
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

// journalBlocked adds a journal entry about a blocked content. The entry has the id of the memory
// with its name and scope, also of a deleted one, or uuid.Nil if there is none.
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
// deletion. If there is no such tombstone, it changes nothing and returns the zero time and no
// error. AddTombstone undoes it.
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

// Purge deletes a memory in the trash with its history, and adds a tombstone for each content
// without one. It does not check that the memory is in the trash. It adds a last journal entry. It
// also deletes the proposals that became the memory, and its vectors and words for fuzzy search that
// no other memory has. No file on disk changes.
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
		if err := q.DeleteEmbeddingsOf(ctx, []uuid.UUID{h.UUID}); err != nil {
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

// AddTombstones records that a user has deleted a memory that was in the trash only because its
// files were removed on disk. It adds a tombstone with the time at for each content without one,
// and ends a running restore. The memory stays in the trash. If another machine has changed the
// memory, all tombstones get a time after that, so that the deletion wins.
func (w *Writer) AddTombstones(ctx context.Context, id uuid.UUID, at time.Time) error {
	return w.inKeyedTx(ctx, "bury", func(q *queries.Queries) error {
		changed, err := q.EndDeletionConflict(ctx, id)
		if err != nil {
			return err
		}
		if len(changed) > 0 {
			if err := q.RenewTombstones(ctx, queries.RenewTombstonesParams{MemoryID: id, At: later(records.Now(), changed[0])}); err != nil {
				return err
			}
		}
		if err := q.AddTombstones(ctx, queries.AddTombstonesParams{MemoryID: id, At: at}); err != nil {
			return err
		}
		return q.SetDeletedByPerson(ctx, id)
	})
}

// RefuseDeletion records that a user keeps a memory that another machine has deleted, in the journal
// and at a time after that deletion. It fails with memories.ErrChanged if that deletion is unknown.
func RefuseDeletion(ctx context.Context, w *Writer, h records.MemoryRow, actor memories.Actor) error {
	return w.inKeyedTx(ctx, "keep", func(q *queries.Queries) error {
		deleted, err := q.EndDeletionConflict(ctx, h.UUID)
		if err != nil {
			return err
		}
		if len(deleted) == 0 {
			return memories.ErrChanged
		}
		at := h.After(later(records.Now(), deleted[0].Add(time.Microsecond)))
		if err := q.SetUpdated(ctx, queries.SetUpdatedParams{ID: h.UUID, At: at}); err != nil {
			return err
		}
		return journal(ctx, q, w.agentID, records.NewJournalEntry(h, h.CountKey(), at, memories.ActivityKept, actor))
	})
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
