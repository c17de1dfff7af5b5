package sync

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	gosync "sync"

	"github.com/google/uuid"

	"memoir/internal/files"
	"memoir/internal/records"
)

// finishDeletions removes what committed deletions have left on disk: the files, and their entries in MEMORY.md.
func (h *hold) finishDeletions(ctx context.Context) error {
	pending, err := h.w.FilesToRemove(ctx)
	if err != nil {
		return err
	}
	if h.root == nil || len(pending) == 0 {
		return nil // the marks stay until its directory is back
	}
	indexes, err := h.indexesYetToChange(ctx, pending)
	if err != nil {
		return err
	}
	if err := h.removeFiles(ctx, pending, indexes); err != nil {
		return err
	}
	return h.recordRemoved(ctx)
}

// indexesYetToChange returns the indexes that may list files which a deletion is to remove: those that the deletion has found to do so may
// be elsewhere than the files that are left.
func (h *hold) indexesYetToChange(ctx context.Context, pending []records.File) ([]string, error) {
	linesOut, err := h.w.IndexLinesOut(ctx)
	if err != nil {
		return nil, err
	}
	indexes := indexesFor(h.root, h.onDisk, pathsOf(pending))
	for _, f := range pending {
		for index := range linesOut[f.MemoryID] {
			indexes = append(indexes, index)
		}
	}
	slices.Sort(indexes)
	return slices.Compact(indexes), nil
}

func pathsOf(some []records.File) []string {
	paths := make([]string, len(some))
	for i, f := range some {
		paths[i] = f.Path
	}
	return paths
}

// removeFiles removes files that are marked for it, and then their entries in these indexes. What is removed is yet to be recorded, by
// recordRemoved or together with a publication; if it never is, the next scan finds it gone.
func (h *hold) removeFiles(ctx context.Context, marked []records.File, indexes []string) error {
	if h.root == nil {
		return nil
	}
	var removed []records.File
	for _, f := range marked {
		err := h.disk.RemoveIf(h.root, f.Path, f.Hash)
		switch {
		case errors.Is(err, files.ErrChanged):
			// The agent learns anew: the file stays, with its entries, and the next scan takes it for what it says now.
			h.queue.Add(h.onDisk.Slug, f.Path)
			h.removed = append(h.removed, f)
		case err != nil && !foundGone(f):
			if err := h.w.FileNotRemoved(ctx, f.Path, notRemovedYet(f, err)); err != nil {
				return err
			}
		default:
			removed = append(removed, f)
		}
	}
	// What a rename was about to write has no entry yet: one that leads there is somebody's own.
	unlisted := slices.DeleteFunc(slices.Clone(removed), func(f records.File) bool { return f.MemoryID == uuid.Nil })
	left := h.removeFromIndexes(pathsOf(unlisted), indexes)
	for _, f := range removed {
		if why, listed := left[f.Path]; listed {
			if err := h.w.FileNotRemoved(ctx, f.Path, notUnlistedYet(f, why)); err != nil {
				return err
			}
			continue
		}
		h.removed = append(h.removed, f)
	}
	return nil
}

// foundGone reports whether a scan has found the file gone. Then it need not be found gone again, as in a directory that cannot be
// opened any more. What a rename was about to write is no memory's, and was never seen.
func foundGone(f records.File) bool { return !f.Present && f.MemoryID != uuid.Nil }

func notRemovedYet(f records.File, err error) string {
	return fmt.Sprintf("%s could not be removed: %v. The memory is deleted all the same, and the removal is tried again at each scan.", f.Path, fsCause(err))
}

func notUnlistedYet(f records.File, why listedReason) string {
	return fmt.Sprintf("%s is removed. %s The memory is deleted all the same, and that is tried again at each scan.", f.Path, why)
}

func notRemovedForGoodYet(f records.File, err error) string {
	return fmt.Sprintf("%s is removed, but a power cut may bring it back: its directory could not be synced (%v). The memory is deleted all the same, and that is tried again at each scan.", f.Path, fsCause(err))
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
			if err := h.w.FileNotRemoved(ctx, f.Path, notRemovedForGoodYet(f, err)); err != nil {
				return nil, err
			}
			continue
		}
		removed = append(removed, f.Path)
		if f.Present {
			h.fileCounter.removed(f.Path)
		}
	}
	h.removed = nil
	return removed, nil
}
