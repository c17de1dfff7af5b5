package sync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/records"
	"memoir/internal/sync/events"
)

// Result is a memory after an operation on it, with why CLAUDE.md could not follow, if it could not.
type Result struct {
	Memory          memories.Memory
	Created         bool
	ClaudeMDProblem string
}

// Delete ends a memory everywhere: every file that carries it, its index lines, its part of CLAUDE.md. When it returns,
// all of that is on disk. match is the ETag of what the user saw; empty: whatever there is.
//
// It fails with memories.ErrNotFound, memories.ErrChanged when match is of another content, and *memories.ConflictError
// when a file has changed on disk since; then nothing has happened. Deleting a deleted memory changes nothing, except
// that what the disk had removed is blocked from then on.
func (e *Engine) Delete(ctx context.Context, slug, id, etag string) (Result, error) {
	return callChange.do(ctx, e, slug, changeOp{verbDelete, MemoryRef{id, etag}})
}

func (e *Engine) deleteLocal(ctx context.Context, slug string, ref MemoryRef) (Result, error) {
	var result Result
	err := e.withAgent(ctx, slug, func(h *hold) error {
		changes, err := h.deleteRef(ctx, ref)
		if err != nil {
			return err
		}
		if err := h.publish(ctx); err != nil {
			return err
		}
		h.emitChanges(changes)
		result, err = h.result(ctx, ref.ID)
		return err
	})
	return result, err
}

// deleteRef deletes a memory up to CLAUDE.md, and returns what there is to tell of it once that is written. Whoever calls it
// publishes: that records which files are removed, too.
func (h *hold) deleteRef(ctx context.Context, ref MemoryRef) ([]change, error) {
	row, on, err := h.rowWithFiles(ctx, ref.ID, ref.ETag)
	if err != nil {
		return nil, err
	}
	if row.State == memories.Deleted {
		return nil, h.w.Bury(ctx, row.UUID, row.DeletedAt)
	}
	if err := h.delete(ctx, row, on); err != nil {
		return nil, err
	}
	return []change{{events.Deleted, row.Name}}, nil
}

// delete takes the steps of a deletion up to CLAUDE.md, with the files that the memory is on. Each is safe to repeat: after a
// crash, finishDeletions does.
func (h *hold) delete(ctx context.Context, row records.MemoryRow, on []records.File) error {
	deletion, indexes, err := h.deletionOf(ctx, row, on)
	if err != nil {
		return err
	}
	if err := h.keepRaw(ctx, row); err != nil {
		return err
	}
	if err := h.w.Delete(ctx, deletion); err != nil {
		return err
	}
	h.changedIDs = append(h.changedIDs, row.UUID)
	return h.removeFiles(ctx, deletion.Files, indexes)
}

// deletionOf returns what the deletion of a memory takes with it, and the indexes that may list it. It fails with a conflict
// when a file that carries the memory is not what the user saw.
func (h *hold) deletionOf(ctx context.Context, row records.MemoryRow, on []records.File) (deletion records.Deletion, indexes []string, err error) {
	if h.closed != nil {
		return records.Deletion{}, nil, h.errClosed()
	}
	if err := h.checkWrite(); err != nil {
		return records.Deletion{}, nil, err
	}
	removed := h.removedOf(on)
	mirrored, err := h.mirroredFiles(ctx, row, on)
	if err != nil {
		return records.Deletion{}, nil, err
	}
	for _, f := range mirrored {
		if err := errors.Join(h.checkRemove(f), h.checkUnchanged(f)); err != nil {
			return records.Deletion{}, nil, err
		}
	}
	mayBeListed := slices.Concat(mirrored, removed)
	indexes = h.indexesFor(pathsOf(mayBeListed))
	changes, listed := indexChanges(h.root, h.onDisk, indexes, pathsOf(mayBeListed))
	lines := map[string][]memorymd.RemovedLine{}
	for _, change := range changes {
		lines[change.Path] = change.Gone
	}
	for index, before := range row.IndexLines { // a restore, or a save, has not put them back
		if len(lines[index]) == 0 {
			lines[index] = before
		}
	}
	removed = slices.DeleteFunc(removed, func(f records.File) bool { return !listed[f.Path] }) // nothing is left to do about the others
	return records.Deletion{Head: row, Files: slices.Concat(mirrored, removed), IndexLines: lines, Actor: actorOf(ctx)}, indexes, nil
}

// removedOf returns those of the memory's files that are gone: removed already, but for their entries in indexes. Where something else is by
// now, the entries are about that.
func (h *hold) removedOf(on []records.File) (removed []records.File) {
	for _, f := range on {
		if !f.Present && f.Status == records.Mirrored && h.root != nil && h.isFree(f.Path) {
			removed = append(removed, f)
		}
	}
	return removed
}

// mirroredFiles returns those of the memory's files that carry it; for one that could not be read, the file that it stands for.
func (h *hold) mirroredFiles(ctx context.Context, row records.MemoryRow, on []records.File) ([]records.File, error) {
	if !row.Readable {
		at, err := h.w.FilesUnder(ctx, []string{row.Path})
		// A directory that cannot be read has files below it, and those are not what is deleted.
		return slices.DeleteFunc(at, func(f records.File) bool { return f.Path != row.Path }), err
	}
	return slices.DeleteFunc(on, func(f records.File) bool {
		return !f.Present || f.Status != records.Mirrored && f.Status != records.Removing
	}), nil
}

// checkUnchanged says with a conflict that a file is not what the user saw. One that is gone counts as removed already.
func (h *hold) checkUnchanged(f records.File) error {
	if h.root == nil {
		return nil
	}
	if err := h.errMisnamed(f.Path); err != nil {
		return err
	}
	hash, err := files.ReadHash(h.root, f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be read (%v), so it could not be kept in the trash. Nothing was deleted. Make the file readable, or remove it by hand.", f.Path, fsCause(err))}
	case hash != f.Hash:
		h.queue.Add(h.onDisk.Slug, f.Path)
		return &memories.ConflictError{Reason: f.Path + " has changed on disk since it was read. Nothing was deleted. Look at what it says now and decide again."}
	}
	return nil
}

// maxTrashFile is the largest file that the trash takes, in bytes.
const maxTrashFile = 32 << 20

// keepRaw keeps the bytes of a file that is too large to be a memory, which were left on disk until now.
func (h *hold) keepRaw(ctx context.Context, row records.MemoryRow) error {
	if row.Readable || h.root == nil {
		return nil
	}
	if raw, err := h.w.CurrentRaw(ctx, row.UUID); err != nil || raw != nil {
		return err
	}
	raw, err := readAll(h.root, row.Path, maxTrashFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, errTooLarge):
		return &memories.ConflictError{Reason: fmt.Sprintf("%s is larger than %d MiB, too large for the trash. Nothing was deleted. Remove the file by hand.", row.Path, maxTrashFile>>20)}
	case err != nil:
		return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be read (%v), so it could not be kept in the trash. Nothing was deleted. Remove it by hand.", row.Path, fsCause(err))}
	}
	return h.w.KeepRaw(ctx, row.RevisionID, raw, files.Hash(raw))
}

// Purge removes a memory and its history for good; what it said does not come back by itself. A memory that lives is
// deleted first. It fails as Delete does.
func (e *Engine) Purge(ctx context.Context, slug, id, etag string) (Result, error) {
	return callChange.do(ctx, e, slug, changeOp{verbPurge, MemoryRef{id, etag}})
}

func (e *Engine) purgeLocal(ctx context.Context, slug string, ref MemoryRef) (Result, error) {
	result, err := e.deleteLocal(ctx, slug, ref)
	if err != nil {
		return Result{}, err
	}
	return result, e.withAgent(ctx, slug, func(h *hold) error {
		changes, err := h.purge(ctx, ref.ID)
		h.emitChanges(changes)
		return err
	})
}

// purge empties a deleted memory from the trash.
func (h *hold) purge(ctx context.Context, id string) ([]change, error) {
	row, err := h.w.Head(ctx, id)
	if err != nil {
		return nil, err
	}
	if row.State != memories.Deleted {
		return nil, &memories.ConflictError{Reason: "The memory was learned anew while it was being deleted. It is kept; delete it again if it is to go."}
	}
	if err := h.w.Purge(ctx, row, actorOf(ctx)); err != nil {
		return nil, err
	}
	return []change{{events.Deleted, row.Name}}, nil
}

// memoryRow returns the memory and checks that it is what the user saw.
func (h *hold) memoryRow(ctx context.Context, id, etag string) (records.MemoryRow, error) {
	row, err := h.w.Head(ctx, id)
	if err != nil {
		return records.MemoryRow{}, err
	}
	return row, checkETag(row, etag)
}

// rowWithFiles is head, with the files that carry the memory or last did.
func (h *hold) rowWithFiles(ctx context.Context, id, etag string) (records.MemoryRow, []records.File, error) {
	row, on, err := h.w.HeadWithFiles(ctx, id)
	if err != nil {
		return records.MemoryRow{}, nil, err
	}
	return row, on, checkETag(row, etag)
}

// checkETag fails with memories.ErrChanged where a memory is not what the user saw.
func checkETag(row records.MemoryRow, etag string) error {
	if etag != "" && etag != "*" && etag != ETag(row.Memory) {
		return memories.ErrChanged
	}
	return nil
}

// result reads the memory back after an operation.
func (h *hold) result(ctx context.Context, id string) (Result, error) {
	if h.claudeMD == nil {
		row, err := h.w.Agent(ctx)
		if err != nil {
			return Result{}, err
		}
		h.claudeMD = &row.ClaudeMD
	}
	m, err := h.w.Memory(ctx, h.onDisk.Slug, id)
	return Result{Memory: m, ClaudeMDProblem: h.claudeMD.Problem}, err
}

// resultAt reads back the memory that a file carries.
func (h *hold) resultAt(ctx context.Context, path string) (Result, error) {
	at, err := h.w.FilesUnder(ctx, []string{path})
	if err != nil {
		return Result{}, err
	}
	for _, f := range at {
		if f.Path == path && f.Status == records.Mirrored {
			return h.result(ctx, f.MemoryID.String())
		}
	}
	unreadable, err := h.w.UnreadableByPath(ctx, []string{path})
	if err != nil || len(unreadable) == 0 {
		return Result{}, errors.Join(err, memories.ErrNotFound)
	}
	return h.result(ctx, unreadable[0].ID)
}

// fsCause takes the path and the operation off a file system error: the message that quotes it names them itself.
func fsCause(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err
	}
	var moved *os.LinkError
	if errors.As(err, &moved) {
		return moved.Err
	}
	return err
}
