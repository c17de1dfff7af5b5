// Package removal removes the files of deleted memories: it unlinks them, takes their lines out of
// the indexes, and records that once no power cut can bring them back. Each step is safe to repeat;
// Resume finishes what a crash has cut short. It does not decide which memories are deleted.
package removal

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"sync"

	"github.com/google/uuid"

	"memoir/internal/files"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/indexfile"
)

// finishDeletions removes what committed deletions have left on disk: the files, and their entries in MEMORY.md.
func Resume(ctx context.Context, tx *agenttx.Tx) error {
	pending, err := tx.DB.FilesToRemove(ctx)
	if err != nil {
		return err
	}
	if tx.Root == nil || len(pending) == 0 {
		return nil // the marks stay until its directory is back
	}
	indexes, err := indexesYetToChange(ctx, tx, pending)
	if err != nil {
		return err
	}
	removed, err := Unlink(ctx, tx, pending, indexes)
	if err != nil {
		return err
	}
	return Finish(ctx, tx, removed)
}

// indexesYetToChange returns the indexes that may list files which a deletion is to remove: those that the deletion has found to do so may
// be elsewhere than the files that are left.
func indexesYetToChange(ctx context.Context, tx *agenttx.Tx, pending []records.File) ([]string, error) {
	linesOut, err := tx.DB.IndexLinesOut(ctx)
	if err != nil {
		return nil, err
	}
	indexes := indexfile.IndexesFor(tx.Root, tx.Agent, PathsOf(pending))
	for _, f := range pending {
		for index := range linesOut[f.MemoryID] {
			indexes = append(indexes, index)
		}
	}
	slices.Sort(indexes)
	return slices.Compact(indexes), nil
}

func PathsOf(some []records.File) []string {
	paths := make([]string, len(some))
	for i, f := range some {
		paths[i] = f.Path
	}
	return paths
}

// removeFiles unlinks files that are marked for removal, and takes their lines out of the indexes. It
// returns the files that are unlinked. finishRemoval records them; if the server stops before that,
// the next scan does.
func Unlink(ctx context.Context, tx *agenttx.Tx, marked []records.File, indexes []string) (removed []records.File, err error) {
	if tx.Root == nil {
		return nil, nil
	}
	var unlinked []records.File
	for _, f := range marked {
		err := tx.Disk.RemoveIf(tx.Root, f.Path, f.Hash)
		switch {
		case errors.Is(err, files.ErrChanged):
			// The agent has written it again: file and lines stay, and the next scan reads it.
			tx.Rescan(f.Path)
			removed = append(removed, f)
		case err != nil && !foundGone(f):
			if err := tx.DB.FileNotRemoved(ctx, f.Path, notRemovedYet(f, err)); err != nil {
				return nil, err
			}
		default:
			unlinked = append(unlinked, f)
		}
	}
	// The new file of an unfinished rename has no line of Memoir's yet.
	listed := slices.DeleteFunc(slices.Clone(unlinked), func(f records.File) bool { return f.MemoryID == uuid.Nil })
	left := indexfile.RemoveFromIndexes(tx, PathsOf(listed), indexes)
	for _, f := range unlinked {
		if why, isListed := left[f.Path]; isListed {
			if err := tx.DB.FileNotRemoved(ctx, f.Path, notUnlistedYet(f, why)); err != nil {
				return nil, err
			}
			continue
		}
		removed = append(removed, f)
	}
	return removed, nil
}

// foundGone reports whether a scan has found the file gone. Then it need not be found gone again, as in a directory that cannot be
// opened any more. What a rename was about to write is no memory's, and was never seen.
func foundGone(f records.File) bool { return !f.Present && f.MemoryID != uuid.Nil }

func notRemovedYet(f records.File, err error) string {
	return fmt.Sprintf("%s could not be removed: %v. The memory is deleted all the same, and the removal is tried again at each scan.", f.Path, agenttx.FSCause(err))
}

func notUnlistedYet(f records.File, why indexfile.ListedReason) string {
	return fmt.Sprintf("%s is removed. %s The memory is deleted all the same, and that is tried again at each scan.", f.Path, why)
}

func notRemovedForGoodYet(f records.File, err error) string {
	return fmt.Sprintf("%s is removed, but a power cut may bring it back: its directory could not be synced (%v). The memory is deleted all the same, and that is tried again at each scan.", f.Path, agenttx.FSCause(err))
}

// finishRemoval syncs the directories of removed files, each once, and takes the marks off those
// files that no power cut can bring back.
func Finish(ctx context.Context, tx *agenttx.Tx, removed []records.File) error {
	if len(removed) == 0 {
		return nil
	}
	syncs := map[string]func() error{}
	for _, f := range removed {
		if dir := path.Dir(f.Path); syncs[dir] == nil && !foundGone(f) {
			syncs[dir] = sync.OnceValue(tx.Disk.SyncDirectory(tx.Root, dir))
		}
	}
	var final []string
	for _, f := range removed {
		if foundGone(f) {
			final = append(final, f.Path)
			continue
		}
		if err := syncs[path.Dir(f.Path)](); err != nil {
			if err := tx.DB.FileNotRemoved(ctx, f.Path, notRemovedForGoodYet(f, err)); err != nil {
				return err
			}
			continue
		}
		final = append(final, f.Path)
		if f.Present {
			tx.State.FileCounter.Removed(f.Path)
		}
	}
	return tx.DB.FilesRemoved(ctx, final)
}
