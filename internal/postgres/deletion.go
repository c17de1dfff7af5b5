package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Delete commits a deletion: the memory goes to the trash, each content that it has had leaves a tombstone, and the
// files are marked for removal, so that a crash before they are gone is made good at the next look.
func (w *Writer) Delete(ctx context.Context, d records.Deletion) error {
	return w.inKeyedTx(ctx, "delete", func(q *queries.Queries) error { return w.delete(ctx, q, d) })
}

func (w *Writer) delete(ctx context.Context, q *queries.Queries, d records.Deletion) error {
	lines, err := json.Marshal(d.IndexLines)
	if err != nil {
		return err
	}
	paths := make([]string, len(d.Files))
	for i, f := range d.Files {
		paths[i] = f.Path
	}
	at := d.Head.After(records.Now())
	deleted := records.NewJournalEntry(d.Head, d.Head.CountKey(), at, memories.ActivityDeleted, d.Actor)
	deleted.State = memories.Deleted
	err = q.MarkDeleted(ctx, queries.MarkDeletedParams{ID: d.Head.UUID, At: at, IndexLines: lines, Actor: string(d.Actor)})
	if err != nil {
		return err
	}
	if err := q.MarkFilesRemoving(ctx, queries.MarkFilesRemovingParams{AgentID: w.agentID, Paths: paths}); err != nil {
		return err
	}
	if err := w.outOfStep(ctx, q, d.Head.UUID); err != nil {
		return err
	}
	return journal(ctx, q, w.agentID, deleted)
}

// PromiseFile notes the file that is about to be written for a memory that gets another key: unless that is taken in, it goes again, and
// the memory has kept its old key.
func (w *Writer) PromiseFile(ctx context.Context, path, hash string, f memories.Fingerprint) error {
	return wrap("note the file that is to be written", w.q.PromiseFile(ctx, queries.PromiseFileParams{AgentID: w.agentID, Path: path, Fingerprint: f[:], Hash: hash, At: records.Now()}))
}

// KeepRaw keeps the exact bytes of a file that was too large to be kept while it was on disk.
func (w *Writer) KeepRaw(ctx context.Context, revision uuid.UUID, raw []byte, hash string) error {
	return wrap("keep the file's bytes", w.q.KeepRaw(ctx, queries.KeepRawParams{ID: revision, Raw: raw, Hash: hash}))
}

// FilesRemoved records that files are gone from the disk. After a power cut that this does not survive they are still
// marked for removal, and the next look finds them gone.
func (w *Writer) FilesRemoved(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	return w.withoutWaiting(ctx, "record the removal", func(q *queries.Queries) error {
		return q.MarkFilesRemoved(ctx, queries.MarkFilesRemovedParams{AgentID: w.agentID, Paths: paths})
	})
}

// FileNotRemoved records why a file could not be removed; it is tried again.
func (w *Writer) FileNotRemoved(ctx context.Context, path, problem string) error {
	return wrap("record the removal", w.q.MarkFileNotRemoved(ctx, queries.MarkFileNotRemovedParams{
		AgentID: w.agentID, Path: path, Problem: &problem,
	}))
}

// BeginRestore lifts the tombstones that the memory's last deletion left, and that of what it says, leaves alone what its deletion could
// not remove, and notes that it is to be restored, before any file is written.
func (w *Writer) BeginRestore(ctx context.Context, h records.MemoryRow) error {
	return w.inKeyedTx(ctx, "begin to restore", func(q *queries.Queries) error {
		if err := q.UnburyMemory(ctx, h.UUID); err != nil {
			return err
		}
		if err := q.LeaveFiles(ctx, queries.LeaveFilesParams{AgentID: w.agentID, MemoryID: h.UUID}); err != nil {
			return err
		}
		return q.BeginRestoring(ctx, h.UUID)
	})
}

// GiveUpRestore takes back BeginRestore: nothing was written, and the memory, as it was in the trash, stays there.
func (w *Writer) GiveUpRestore(ctx context.Context, h records.MemoryRow, left []records.File) error {
	return w.inKeyedTx(ctx, "give up the restore", func(q *queries.Queries) error {
		if err := w.updateFiles(ctx, q, left); err != nil {
			return err
		}
		if h.DeletedBy == records.ByPerson {
			if err := q.BuryMemory(ctx, queries.BuryMemoryParams{MemoryID: h.UUID, At: h.DeletedAt}); err != nil {
				return err
			}
		}
		return q.StopRestoring(ctx, h.UUID)
	})
}

// IndexLinesOut returns, by memory, what has been taken out of each index and is not back.
func (w *Writer) IndexLinesOut(ctx context.Context) (map[uuid.UUID]map[string][]memorymd.RemovedLine, error) {
	rows, err := w.q.IndexLinesOut(ctx, w.agentID)
	if err != nil {
		return nil, wrap("read the index lines", err)
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

// EndRestore records that the memory is back with its index lines. It does not wait for the disk:
// after a power cut the restore is repeated, and finds everything done.
func (w *Writer) EndRestore(ctx context.Context, id uuid.UUID) error {
	return w.withoutWaiting(ctx, "end the restore", func(q *queries.Queries) error {
		return q.EndRestoring(ctx, id)
	})
}

// AllowBlocked lifts the tombstone of a content that is kept out, and makes the next look take its file for changed.
func (w *Writer) AllowBlocked(ctx context.Context, b records.BlockedFile, actor memories.Actor) error {
	return w.inTx(ctx, "let the content in", func(q *queries.Queries) error {
		if err := q.LetIn(ctx, queries.LetInParams{AgentID: w.agentID, Name: b.Name, Team: b.Team, Fingerprint: b.Fingerprint[:]}); err != nil {
			return err
		}
		if err := q.ForgetContent(ctx, queries.ForgetContentParams{AgentID: w.agentID, Path: b.Path}); err != nil {
			return err
		}
		return w.journalBlocked(ctx, q, b, memories.ActivityAllowed, actor)
	})
}

// DiscardBlocked records that the file of a content that was kept out has been removed. It carried nothing, so nothing is
// taken from a memory of that name.
func (w *Writer) DiscardBlocked(ctx context.Context, b records.BlockedFile, actor memories.Actor) error {
	return w.inTx(ctx, "record the removal", func(q *queries.Queries) error {
		if err := q.MarkFileRemoved(ctx, queries.MarkFileRemovedParams{AgentID: w.agentID, Path: b.Path}); err != nil {
			return err
		}
		if err := q.DropBlocked(ctx, queries.DropBlockedParams{AgentID: w.agentID, Paths: []string{b.Path}}); err != nil {
			return err
		}
		return w.journalBlocked(ctx, q, b, memories.ActivityDiscarded, actor)
	})
}

// journalBlocked writes what became of a content that was kept out, beside the memory of that name where there is one.
func (w *Writer) journalBlocked(ctx context.Context, q *queries.Queries, b records.BlockedFile, kind memories.ActivityKind, actor memories.Actor) error {
	h := records.JournalEntry{At: records.Now(), Kind: kind, Actor: actor, Name: b.Name, Path: b.Path, Session: b.Session, Type: b.Type}
	named, err := q.HeadsByName(ctx, queries.HeadsByNameParams{AgentID: w.agentID, Names: []string{b.Name}})
	if err != nil {
		return err
	}
	for _, row := range named {
		if row.Memory.Team == b.Team {
			h.MemoryID = row.Memory.ID
		}
	}
	return journal(ctx, q, w.agentID, h)
}

// Allow lifts the tombstone of one content, which somebody is about to save. It returns when that was deleted; the zero time where it was
// not kept out.
func (w *Writer) Allow(ctx context.Context, of memories.Key, f memories.Fingerprint) (deletedAt time.Time, err error) {
	lifted, err := w.q.LiftTombstone(ctx, queries.LiftTombstoneParams{AgentID: w.agentID, Name: of.Name, Team: of.Team, Fingerprint: f[:]})
	if err != nil || len(lifted) == 0 {
		return time.Time{}, wrap("lift the tombstone", err)
	}
	return lifted[0], nil
}

// KeepOut takes back Allow, of a content that was deleted then.
func (w *Writer) KeepOut(ctx context.Context, of memories.Key, f memories.Fingerprint, deletedAt time.Time) error {
	if deletedAt.IsZero() {
		return nil
	}
	return wrap("leave the tombstone", w.q.LeaveTombstone(ctx, queries.LeaveTombstoneParams{
		AgentID: w.agentID, Name: of.Name, Team: of.Team, Fingerprint: f[:], DeletedAt: deletedAt,
	}))
}

// Purge removes a memory and its history for good. Its tombstones stay, and are set where its removal had left none.
func (w *Writer) Purge(ctx context.Context, h records.MemoryRow, actor memories.Actor) error {
	at := h.After(records.Now())
	return w.inTx(ctx, "purge", func(q *queries.Queries) error {
		if err := q.BuryMemory(ctx, queries.BuryMemoryParams{MemoryID: h.UUID, At: at}); err != nil {
			return err
		}
		texts, err := q.TextsOf(ctx, queries.TextsOfParams{Ids: []uuid.UUID{h.UUID}})
		if err != nil {
			return err
		}
		if err := q.DeleteHeads(ctx, []uuid.UUID{h.UUID}); err != nil {
			return err
		}
		if err := q.ForgetProposalsOf(ctx, queries.ForgetProposalsOfParams{AgentID: w.agentID, MemoryID: &h.UUID}); err != nil {
			return err
		}
		if err := forgetWords(ctx, q, texts); err != nil {
			return err
		}
		return journal(ctx, q, w.agentID, records.LastJournalEntry(h, at, memories.ActivityPurged, actor))
	})
}

// Bury leaves tombstones for a memory that the disk had put into the trash and that a person now deletes.
func (w *Writer) Bury(ctx context.Context, id uuid.UUID, at time.Time) error {
	return w.inKeyedTx(ctx, "bury", func(q *queries.Queries) error {
		if err := q.BuryMemory(ctx, queries.BuryMemoryParams{MemoryID: id, At: at}); err != nil {
			return err
		}
		return q.DeletedByPerson(ctx, id)
	})
}
