package ops

import (
	"context"
	"errors"
	"fmt"
	"path"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/events"
	"memoir/internal/sync/indexfile"
	"memoir/internal/sync/reconcile"
	"memoir/internal/sync/scan"
)

func (s *Service) RemoveBlocked(ctx context.Context, slug string, op RemoveBlockedOp) (memories.Blocked, error) {
	var removed memories.Blocked
	err := s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		blocked, err := tx.DB.Blocked(ctx, op.ID)
		if err != nil {
			return err
		}
		if tx.Root == nil {
			return tx.MissingError()
		}
		removed = blocked.Blocked
		if err = tx.Disk.RemoveIf(tx.Root, blocked.Path, blocked.Hash); err == nil {
			err = tx.Disk.SyncDirectory(tx.Root, path.Dir(blocked.Path))()
		}
		switch {
		case errors.Is(err, files.ErrChanged):
			tx.Rescan(blocked.Path)
			return agenttx.ChangedOnDisk(blocked.Path)
		case err != nil:
			return &memories.ConflictError{Reason: fmt.Sprintf("%s could not be removed: %v. It is still kept out.", blocked.Path, agenttx.FSCause(err))}
		}
		paths := []string{blocked.Path}
		left, listed := indexfile.RemoveFromIndexes(tx, paths, indexfile.IndexesFor(tx.Root, tx.Agent, paths))[blocked.Path]
		if err := tx.DB.DiscardBlocked(ctx, blocked, tx.Actor); err != nil {
			return err
		}
		tx.State.FileCounter.Removed(blocked.Path)
		scan.EmitChanges(tx, []reconcile.Change{{Kind: events.Deleted, Name: blocked.Name}})
		if listed {
			return &memories.ConflictError{Reason: fmt.Sprintf("%s is removed. %s Remove the entry by hand, or rebuild the index.", blocked.Path, left)}
		}
		return nil
	})
	return removed, err
}

type RemoveBlockedOp struct{ ID string }
