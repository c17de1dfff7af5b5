// Package removal removes the files of deleted memories: it unlinks them and removes their entries
// from the indexes. It records the removal once no power cut can undo it. Each step is safe to
// repeat. Resume finishes the work after a crash. The package does not decide which memories are
// deleted.
package removal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"sync"

	"github.com/google/uuid"

	"memoir/internal/files"
	"memoir/internal/memories/memorymd"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/indexfile"
)

// Resume finishes the removal of all files of the agent that are marked for removal. It removes the
// files and their lines in MEMORY.md, syncs the directories, and removes the marks. A file that
// cannot be removed keeps its mark, without an error. Without an open directory it does nothing. It
// returns only errors of the database.
func Resume(ctx context.Context, tx *agenttx.Tx) error {
	pending, err := tx.Rows.FilesToRemove(ctx)
	if err != nil {
		return err
	}
	if tx.Root == nil || len(pending) == 0 {
		return nil
	}
	removed, err := tx.Rows.RemovedIndexLines(ctx)
	if err != nil {
		return err
	}
	if err := relistMoved(ctx, tx, pending, removed); err != nil {
		return err
	}
	indexes := indexesToEdit(tx, pending, removed)
	names, err := deletedNames(ctx, tx, removed)
	if err != nil {
		return err
	}
	unlinked, err := Unlink(ctx, tx, pending, indexes, names)
	if err != nil {
		return err
	}
	return Finish(ctx, tx, unlinked)
}

// relistMoved makes the entries of pending files lead to the present file of their memory, where a
// rename has moved it. The rename has done so already, unless a crash has interrupted it. It does
// nothing for memories with removed lines, because those were deleted. It logs an index that cannot
// be written.
func relistMoved(ctx context.Context, tx *agenttx.Tx, pending []records.File, removed removedLines) error {
	for _, f := range pending {
		if isUnscanned(f) || !f.IsPrimary() || len(removed[f.MemoryID]) > 0 {
			continue
		}
		at, err := tx.Rows.FilesToIndexOf(ctx, []uuid.UUID{f.MemoryID})
		if err != nil {
			return err
		}
		if len(at) == 0 {
			continue
		}
		before := at[0]
		before.Path = f.Path
		if _, err := indexfile.Relist(tx, before, at[0]); err != nil {
			tx.Log.Warn("MEMORY.md not updated, file is renamed", "agent", tx.Agent.Slug, "memory", at[0].Name, "error", agenttx.FSCause(err))
		}
	}
	return nil
}

// indexesToEdit returns the sorted paths of the indexes that may list the pending files. It
// includes the indexes that their deletions have recorded, because some of them are not near the
// files.
func indexesToEdit(tx *agenttx.Tx, pending []records.File, removed removedLines) []string {
	indexes := indexfile.IndexesFor(tx.Root, tx.Agent, PathsOf(pending))
	for _, f := range pending {
		for index := range removed[f.MemoryID] {
			indexes = append(indexes, index)
		}
	}
	slices.Sort(indexes)
	return slices.Compact(indexes)
}

// deletedNames returns the free names of the memories whose deletion has removed lines.
func deletedNames(ctx context.Context, tx *agenttx.Tx, removed removedLines) (map[uuid.UUID]string, error) {
	if len(removed) == 0 {
		return nil, nil
	}
	keys, err := tx.Rows.KeysOf(ctx, slices.Collect(maps.Keys(removed)))
	if err != nil {
		return nil, err
	}
	return indexfile.FreeNames(ctx, tx, keys)
}

// removedLines are the lines that deletions have removed, by memory and index.
type removedLines = map[uuid.UUID]map[string][]memorymd.RemovedLine

// PathsOf returns the paths of the files, in the same order.
func PathsOf(list []records.File) []string {
	paths := make([]string, len(list))
	for i, f := range list {
		paths[i] = f.Path
	}
	return paths
}

// Unlink removes files that are marked for removal, and their entries from the indexes. names are free
// names of deleted memories, by their ids; wiki links with these are entries too. It returns the files for
// Finish: the removed ones without an entry, and files that another program has
// written again. The latter stay on disk, and Unlink requests their scan. For each other file it
// records the problem on its row, without an error; its mark stays, and the next Resume tries
// again. Without an open directory it returns nil. err is an error of the database.
func Unlink(ctx context.Context, tx *agenttx.Tx, marked []records.File, indexes []string, names map[uuid.UUID]string) (removed []records.File, err error) {
	if tx.Root == nil {
		return nil, nil
	}
	var unlinked []records.File
	isNew := map[uuid.UUID]bool{} // the memory has a new file
	for _, f := range marked {
		err := tx.Disk.RemoveIf(tx.Root, f.Path, f.Hash)
		switch {
		case errors.Is(err, files.ErrChanged):
			// The file is a new one: it and its entries stay.
			isNew[f.MemoryID] = true
			tx.Rescan(f.Path)
			removed = append(removed, f)
		case err != nil && !wasMissing(f):
			problem := fmt.Sprintf("%s cannot be removed: %v. The memory is deleted. Memoir tries again at each scan.", f.Path, agenttx.FSCause(err))
			if err := tx.DB.FileNotRemoved(ctx, f.Path, problem); err != nil {
				return nil, err
			}
		default:
			unlinked = append(unlinked, f)
		}
	}
	// The new file of an unfinished rename has no entry yet. A user may have written a line for its
	// path.
	var listed []memorymd.IndexedFile
	for _, f := range unlinked {
		name := names[f.MemoryID]
		if isNew[f.MemoryID] {
			name = ""
		}
		if !isUnscanned(f) {
			listed = append(listed, indexfile.OfMemory(name, f.Path)...)
		}
	}
	left := indexfile.RemoveFromIndexes(tx, listed, indexes)
	for _, f := range unlinked {
		if reason, isListed := left[f.Path]; isListed {
			problem := fmt.Sprintf("%s was removed. %s The memory is deleted. Memoir tries again at each scan.", f.Path, reason)
			if err := tx.DB.FileNotRemoved(ctx, f.Path, problem); err != nil {
				return nil, err
			}
			continue
		}
		removed = append(removed, f)
	}
	return removed, nil
}

// wasMissing reports whether the database has the file of a memory as absent, so a scan has found
// it missing. Such a file counts as removed even if its directory cannot be opened. It is false for
// the new file of an unfinished rename, which has no memory.
func wasMissing(f records.File) bool { return !f.Present && !isUnscanned(f) }

// isUnscanned reports whether f is the new file of an unfinished rename: it belongs to no memory,
// and no scan has found it.
func isUnscanned(f records.File) bool { return !f.Present && f.MemoryID == uuid.Nil }

// Finish syncs the directories of the files that Unlink returned, and then records the files as
// removed, without their marks. It does not sync for files that a scan has found missing. If a
// directory cannot be synced, a power cut could undo the removal. Finish then records that problem
// on the rows of its files, and their marks stay. It returns only errors of the database.
func Finish(ctx context.Context, tx *agenttx.Tx, removed []records.File) error {
	if len(removed) == 0 {
		return nil
	}
	syncs := map[string]func() error{}
	for _, f := range removed {
		if dir := path.Dir(f.Path); syncs[dir] == nil && !wasMissing(f) {
			syncs[dir] = sync.OnceValue(tx.Disk.SyncDirectory(tx.Root, dir))
		}
	}
	var final []string
	for _, f := range removed {
		if wasMissing(f) {
			final = append(final, f.Path)
			continue
		}
		if err := syncs[path.Dir(f.Path)](); err != nil {
			problem := fmt.Sprintf("%s was removed, but may return after a power cut: its directory cannot be synced (%v). The memory is deleted. Memoir tries again at each scan.", f.Path, agenttx.FSCause(err))
			if err := tx.DB.FileNotRemoved(ctx, f.Path, problem); err != nil {
				return err
			}
			continue
		}
		final = append(final, f.Path)
	}
	present, err := tx.DB.FilesRemoved(ctx, final)
	for _, p := range present { // a scan has subtracted the others
		tx.State.FileCounter.Removed(p)
	}
	return err
}
