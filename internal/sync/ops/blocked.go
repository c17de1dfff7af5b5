package ops

import (
	"context"
	"errors"
	"fmt"
	"path"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/events"
	"memoir/internal/sync/indexfile"
	"memoir/internal/sync/reconcile"
	"memoir/internal/sync/scan"
)

// RemoveBlockedOp configures RemoveBlocked. ID is the id of the blocked content.
type RemoveBlockedOp struct{ ID string }

// RemoveBlocked removes the file of a blocked content and its lines in MEMORY.md. It returns the
// blocked content. The tombstone stays. It does not write CLAUDE.md. A missing file is not an
// error. It returns memories.ErrNotFound for an unknown ID. It returns *memories.ConflictError if
// the agent's directory is missing, or the file has changed or cannot be removed. It also returns
// one if the file is removed but a MEMORY.md cannot be edited.
func (s *Service) RemoveBlocked(ctx context.Context, slug string, op RemoveBlockedOp) (memories.Blocked, error) {
	return agenttx.Do(ctx, s.Agents, slug, func(tx *agenttx.Tx) (memories.Blocked, error) {
		blocked, err := tx.Rows.Blocked(ctx, op.ID)
		if err != nil {
			return memories.Blocked{}, err
		}
		if tx.Root == nil {
			return memories.Blocked{}, tx.MissingError()
		}
		if err = tx.Disk.RemoveIf(tx.Root, blocked.Path, blocked.Hash); err == nil {
			err = tx.Disk.SyncDirectory(tx.Root, path.Dir(blocked.Path))()
		}
		switch {
		case errors.Is(err, files.ErrChanged):
			tx.Rescan(blocked.Path)
			return blocked.Blocked, agenttx.ChangedOnDisk(blocked.Path)
		case err != nil:
			return blocked.Blocked, &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be removed: %v. Its content stays blocked. Remove the file by hand.", blocked.Path, agenttx.FSCause(err))}
		}
		paths := []string{blocked.Path}
		reason, listed := indexfile.RemoveFromIndexes(tx, indexfile.OfMemory("", paths...), indexfile.IndexesFor(tx.Root, tx.Agent, paths))[blocked.Path]
		if err := tx.DB.DiscardBlocked(ctx, blocked, tx.Actor); err != nil {
			return blocked.Blocked, err
		}
		tx.State.FileCounter.Removed(blocked.Path)
		scan.EmitChanges(tx, []reconcile.Change{{Kind: events.Deleted, Name: blocked.Name}})
		if listed {
			return blocked.Blocked, &memories.ConflictError{Reason: fmt.Sprintf("%s was removed. %s Remove the entry by hand, or update the index.", blocked.Path, reason)}
		}
		return blocked.Blocked, nil
	})
}

// AllowOp configures Allow. ID is the id of the blocked content.
type AllowOp struct{ ID string }

// Allow accepts a blocked content: it deletes the tombstone that blocks it, scans its file, and
// writes CLAUDE.md. It returns the memory of the file; Result.ClaudeMDProblem is the reason if
// CLAUDE.md could not be written. Errors to test for: memories.ErrNotFound for an unknown ID, and
// *memories.ConflictError. A conflict means that the agent's directory is missing, the file has
// changed, or it is team memory with a credential.
func (s *Service) Allow(ctx context.Context, slug string, op AllowOp) (Result, error) {
	return agenttx.Do(ctx, s.Agents, slug, func(tx *agenttx.Tx) (Result, error) {
		blocked, err := tx.Rows.Blocked(ctx, op.ID)
		if err != nil {
			return Result{}, err
		}
		if tx.Root == nil {
			return Result{}, tx.MissingError()
		}
		if !tx.HasHash(blocked.Path, blocked.Hash) {
			tx.Rescan(blocked.Path)
			return Result{}, agenttx.ChangedOnDisk(blocked.Path)
		}
		if err := checkAllow(tx, blocked); err != nil {
			return Result{}, err
		}
		if err := tx.DB.AllowBlocked(ctx, blocked, tx.Actor); err != nil {
			return Result{}, err
		}
		var c changes
		if err := s.scan(ctx, tx, &c, written(tx, blocked.Path)); err != nil {
			return Result{}, err
		}
		if err := rescanBlocked(ctx, s.Store, tx, blocked.Key()); err != nil {
			return Result{}, err
		}
		return s.publishAt(ctx, tx, &c, blocked.Path)
	})
}

// checkAllow returns a *memories.ConflictError if the blocked file is team memory and has a
// credential or cannot be read. It returns nil for private memory, and changes nothing.
func checkAllow(tx *agenttx.Tx, blocked records.BlockedFile) error {
	if !blocked.Team {
		return nil
	}
	raw, err := agenttx.ReadAll(tx.Root, blocked.Path, memories.MaxFileSize)
	if err != nil {
		return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be checked for credentials (%v). Its content stays blocked. Make the file readable and try again.", blocked.Path, agenttx.FSCause(err))}
	}
	return CheckCredentials(true, blocked.Path, raw)
}

// rescanBlocked requests scans of the agent's blocked files with the key (name and scope). The
// caller has deleted a tombstone of that key, so a file may no longer be blocked. It returns only
// errors of the database.
func rescanBlocked(ctx context.Context, store *postgres.Store, tx *agenttx.Tx, key memories.Key) error {
	blocked, err := store.Blocked(ctx, tx.State.ID)
	for _, b := range blocked {
		if b.Key() == key {
			tx.Rescan(b.Path)
		}
	}
	return err
}
