package sync

import (
	"context"
	"errors"
	"fmt"
	"path"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/sync/events"
)

// RemoveBlocked removes from the disk the file of a content that is blocked, with its entries in MEMORY.md, and returns
// what it said. That is kept in the trash, unless it was emptied. A memory that has been learned anew under the name stays.
//
// It fails with memories.ErrNotFound, and with *memories.ConflictError when the file is no longer what was blocked, or
// cannot be removed.
func (e *Engine) RemoveBlocked(ctx context.Context, slug, id string) (memories.Blocked, error) {
	return callRemoveBlocked.do(ctx, e, slug, removeBlockedOp{id})
}

func (e *Engine) removeBlockedLocal(ctx context.Context, slug string, op removeBlockedOp) (memories.Blocked, error) {
	var removed memories.Blocked
	err := e.withAgent(ctx, slug, func(h *hold) error {
		blocked, err := h.w.Blocked(ctx, op.ID)
		if err != nil {
			return err
		}
		if h.root == nil {
			return h.errNoDirectory()
		}
		removed = blocked.Blocked
		if err = h.disk.RemoveIf(h.root, blocked.Path, blocked.Hash); err == nil {
			err = h.disk.SyncDirectory(h.root, path.Dir(blocked.Path))()
		}
		switch {
		case errors.Is(err, files.ErrChanged):
			h.queue.Add(slug, blocked.Path)
			return changedOnDisk(blocked.Path)
		case err != nil:
			return &memories.ConflictError{Reason: fmt.Sprintf("%s could not be removed: %v. It is still kept out.", blocked.Path, fsCause(err))}
		}
		paths := []string{blocked.Path}
		left, listed := h.removeFromIndexes(paths, indexesFor(h.root, h.onDisk, paths))[blocked.Path]
		if err := h.w.DiscardBlocked(ctx, blocked, actorOf(ctx)); err != nil {
			return err
		}
		h.fileCounter.removed(blocked.Path)
		h.emitChanges([]change{{events.Deleted, blocked.Name}})
		if listed {
			return &memories.ConflictError{Reason: fmt.Sprintf("%s is removed. %s Remove the entry by hand, or rebuild the index.", blocked.Path, left)}
		}
		return nil
	})
	return removed, err
}
