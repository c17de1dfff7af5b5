package sync

import (
	"context"
	"errors"
	"path"
	gosync "sync"

	"github.com/google/uuid"

	"memoir/internal/files"
	"memoir/internal/postgres"
)

// finishDeletions removes what committed deletions have left on disk: the files, and their entries in MEMORY.md.
func (h *hold) finishDeletions(ctx context.Context) error {
	pending, err := h.w.FilesToRemove(ctx)
	if err != nil {
		return err
	}
	if h.root == nil {
		return nil // the marks stay until its directory is back
	}
	paths := make([]string, len(pending))
	for i, f := range pending {
		paths[i] = f.Path
	}
	if err := h.removeFiles(ctx, pending, indexesAbove(h.root, h.onDisk, paths)); err != nil {
		return err
	}
	return h.recordRemoved(ctx)
}

// removeFiles removes files that are marked for it, with their entries in these indexes. What is removed is yet to be recorded, by
// recordRemoved or together with a publication; if it never is, the next look finds it gone.
func (h *hold) removeFiles(ctx context.Context, marked []postgres.File, indexes []string) error {
	if h.root == nil {
		return nil
	}
	for _, f := range marked {
		if err := h.removeFile(f, indexes); err != nil {
			if err := h.recordNotRemoved(ctx, f, err); err != nil {
				return err
			}
			continue
		}
		h.removed = append(h.removed, f)
	}
	return nil
}

// removeFile removes a file and its entries in the indexes. One that has changed stays: the agent learns anew, and the next
// look takes the file for what it says now.
func (h *hold) removeFile(f postgres.File, indexes []string) error {
	err := h.disk.RemoveIf(h.root, f.Path, f.Hash)
	if errors.Is(err, files.ErrChanged) {
		h.queue.add(h.onDisk.Slug, f.Path)
		return nil
	}
	if err != nil && !foundGone(f) {
		return err
	}
	return h.removeFromIndexes(f.Path, indexes)
}

// foundGone says whether a look has found the file gone. Then it need not be found gone again, as in a directory that cannot be
// opened any more. What a rename was about to write is no memory's, and was never seen.
func foundGone(f postgres.File) bool { return !f.Present && f.MemoryID != uuid.Nil }

// recordNotRemoved notes why a file could not be removed for good.
func (h *hold) recordNotRemoved(ctx context.Context, f postgres.File, why error) error {
	return h.w.FileNotRemoved(ctx, f.Path, f.Path+" could not be removed: "+plain(why).Error()+". The memory is deleted all the same, and the removal is tried again at each scan.")
}

// recordRemoved takes the marks off the files that have been removed.
func (h *hold) recordRemoved(ctx context.Context) error {
	h.syncRemoved()
	removed, err := h.removedForGood(ctx)
	if err != nil {
		return err
	}
	return h.w.FilesRemoved(ctx, removed)
}

// syncRemoved begins to sync the directories of the files that have been removed, each once: while CLAUDE.md is written, which waits
// for the same disk.
func (h *hold) syncRemoved() {
	h.syncing = map[string]func() error{}
	for _, f := range h.removed {
		if dir := path.Dir(f.Path); h.syncing[dir] == nil && !foundGone(f) {
			h.syncing[dir] = gosync.OnceValue(h.disk.SyncDirectory(h.root, dir))
		}
	}
}

// removalsSynced waits until no power cut brings back any of the files that have been removed.
func (h *hold) removalsSynced() error {
	for _, wait := range h.syncing {
		if err := wait(); err != nil {
			return err
		}
	}
	return nil
}

// removedForGood returns the files that have been removed and are still marked for it, once no power cut brings them back.
// syncRemoved has begun to see to that.
func (h *hold) removedForGood(ctx context.Context) ([]string, error) {
	var removed []string
	for _, f := range h.removed {
		if foundGone(f) {
			removed = append(removed, f.Path)
			continue
		}
		if err := h.syncing[path.Dir(f.Path)](); err != nil {
			if err := h.recordNotRemoved(ctx, f, err); err != nil {
				return nil, err
			}
			continue
		}
		removed = append(removed, f.Path)
		if f.Present {
			h.tally.removed(f.Path)
		}
	}
	h.removed = nil
	return removed, nil
}
