package ops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/events"
	"memoir/internal/sync/indexfile"
	"memoir/internal/sync/removal"
	"memoir/internal/sync/scan"
)

// Result is a memory after an operation on it, with why CLAUDE.md could not follow, if it could not.
type Result struct {
	Memory          memories.Memory
	Created         bool
	ClaudeMDProblem string
}

// deleteRef deletes a memory up to CLAUDE.md, and returns what there is to tell of it once that is written. Whoever calls it
// publishes: that records which files are removed, too.
func deleteRef(ctx context.Context, tx *agenttx.Tx, c *changes, ref MemoryRef) error {
	head, on, err := rowWithFiles(ctx, tx, ref.ID, ref.ETag)
	if err != nil {
		return err
	}
	if head.State == memories.Deleted {
		return tx.DB.Bury(ctx, head.UUID, head.DeletedAt)
	}
	if err := deleteMemory(ctx, tx, c, head, on); err != nil {
		return err
	}
	c.add(events.Deleted, head.Name)
	return nil
}

// delete takes the steps of a deletion up to CLAUDE.md, with the files that the memory is on. Each is safe to repeat: after a
// crash, finishDeletions does.
func deleteMemory(ctx context.Context, tx *agenttx.Tx, c *changes, head records.MemoryRow, on []records.File) error {
	deletion, indexes, err := deletionOf(ctx, tx, head, on)
	if err != nil {
		return err
	}
	if err := keepRaw(ctx, tx, head); err != nil {
		return err
	}
	if err := tx.DB.Delete(ctx, deletion); err != nil {
		return err
	}
	c.memories = append(c.memories, head.UUID)
	removed, err := removal.Unlink(ctx, tx, deletion.Files, indexes)
	c.removed = append(c.removed, removed...)
	return err
}

// deletionOf returns what the deletion of a memory takes with it, and the indexes that may list it. It fails with a conflict
// when a file that carries the memory is not what the user saw.
func deletionOf(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, on []records.File) (deletion records.Deletion, indexes []string, err error) {
	if tx.Closed != nil {
		return records.Deletion{}, nil, tx.ClosedError()
	}
	if err := tx.CheckWrite(); err != nil {
		return records.Deletion{}, nil, err
	}
	removed := removedOf(tx, on)
	mirrored, err := mirroredFiles(ctx, tx, head, on)
	if err != nil {
		return records.Deletion{}, nil, err
	}
	for _, f := range mirrored {
		if err := errors.Join(tx.CheckRemove(f), checkUnchanged(tx, f)); err != nil {
			return records.Deletion{}, nil, err
		}
	}
	mayBeListed := slices.Concat(mirrored, removed)
	indexes = indexfile.KnownIndexesFor(tx, removal.PathsOf(mayBeListed))
	changes, listed := indexfile.IndexChanges(tx.Root, tx.Agent, indexes, removal.PathsOf(mayBeListed))
	lines := map[string][]memorymd.RemovedLine{}
	for _, change := range changes {
		lines[change.Path] = change.Gone
	}
	for index, before := range head.IndexLines { // a restore, or a save, has not put them back
		if len(lines[index]) == 0 {
			lines[index] = before
		}
	}
	removed = slices.DeleteFunc(removed, func(f records.File) bool { return !listed[f.Path] }) // nothing is left to do about the others
	return records.Deletion{Head: head, Files: slices.Concat(mirrored, removed), IndexLines: lines, Actor: tx.Actor}, indexes, nil
}

// removedOf returns those of the memory's files that are gone: removed already, but for their entries in indexes. Where something else is by
// now, the entries are about that.
func removedOf(tx *agenttx.Tx, on []records.File) (removed []records.File) {
	for _, f := range on {
		if !f.Present && f.Status == records.Mirrored && tx.Root != nil && tx.IsFree(f.Path) {
			removed = append(removed, f)
		}
	}
	return removed
}

// mirroredFiles returns those of the memory's files that carry it; for one that could not be read, the file that it stands for.
func mirroredFiles(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, on []records.File) ([]records.File, error) {
	if !head.Readable {
		at, err := tx.DB.FilesUnder(ctx, []string{head.Path})
		// A directory that cannot be read has files below it, and those are not what is deleted.
		return slices.DeleteFunc(at, func(f records.File) bool { return f.Path != head.Path }), err
	}
	return slices.DeleteFunc(on, func(f records.File) bool {
		return !f.Present || f.Status != records.Mirrored && f.Status != records.Removing
	}), nil
}

// checkUnchanged says with a conflict that a file is not what the user saw. One that is gone counts as removed already.
func checkUnchanged(tx *agenttx.Tx, f records.File) error {
	if tx.Root == nil {
		return nil
	}
	if err := tx.MisnamedError(f.Path); err != nil {
		return err
	}
	hash, err := files.ReadHash(tx.Root, f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be read (%v), so it could not be kept in the trash. Nothing was deleted. Make the file readable, or remove it by hand.", f.Path, agenttx.FSCause(err))}
	case hash != f.Hash:
		tx.Rescan(f.Path)
		return &memories.ConflictError{Reason: f.Path + " has changed on disk since it was read. Nothing was deleted. Look at what it says now and decide again."}
	}
	return nil
}

// maxTrashFile is the largest file that the trash takes, in bytes.
const maxTrashFile = 32 << 20

// keepRaw keeps the bytes of a file that is too large to be a memory, which were left on disk until now.
func keepRaw(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow) error {
	if head.Readable || tx.Root == nil {
		return nil
	}
	if raw, err := tx.DB.CurrentRaw(ctx, head.UUID); err != nil || raw != nil {
		return err
	}
	raw, err := agenttx.ReadAll(tx.Root, head.Path, maxTrashFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, agenttx.ErrTooLarge):
		return &memories.ConflictError{Reason: fmt.Sprintf("%s is larger than %d MiB, too large for the trash. Nothing was deleted. Remove the file by hand.", head.Path, maxTrashFile>>20)}
	case err != nil:
		return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be read (%v), so it could not be kept in the trash. Nothing was deleted. Remove it by hand.", head.Path, agenttx.FSCause(err))}
	}
	return tx.DB.KeepRaw(ctx, head.RevisionID, raw, files.Hash(raw))
}

func (s *Service) purge(ctx context.Context, slug string, ref MemoryRef) (Result, error) {
	result, err := s.Change(ctx, slug, ChangeOp{VerbDelete, ref})
	if err != nil {
		return Result{}, err
	}
	return result, s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		var c changes
		err := purgeMemory(ctx, tx, &c, ref.ID)
		scan.EmitChanges(tx, c.events)
		return err
	})
}

// purge empties a deleted memory from the trash.
func purgeMemory(ctx context.Context, tx *agenttx.Tx, c *changes, id string) error {
	head, err := tx.DB.Head(ctx, id)
	if err != nil {
		return err
	}
	if head.State != memories.Deleted {
		return &memories.ConflictError{Reason: "The memory was learned anew while it was being deleted. It is kept; delete it again if it is to go."}
	}
	if err := tx.DB.Purge(ctx, head, tx.Actor); err != nil {
		return err
	}
	c.add(events.Deleted, head.Name)
	return nil
}

// head returns the memory and checks that it is what the user saw.
func memoryRow(ctx context.Context, tx *agenttx.Tx, id, match string) (records.MemoryRow, error) {
	head, err := tx.DB.Head(ctx, id)
	if err != nil {
		return records.MemoryRow{}, err
	}
	return head, checkETag(head, match)
}

// rowWithFiles is head, with the files that carry the memory or last did.
func rowWithFiles(ctx context.Context, tx *agenttx.Tx, id, match string) (records.MemoryRow, []records.File, error) {
	head, on, err := tx.DB.HeadWithFiles(ctx, id)
	if err != nil {
		return records.MemoryRow{}, nil, err
	}
	return head, on, checkETag(head, match)
}

// checkETag fails with memories.ErrChanged where a memory is not what the user saw.
func checkETag(head records.MemoryRow, match string) error {
	if match != "" && match != "*" && match != ETag(head.Memory) {
		return memories.ErrChanged
	}
	return nil
}

// result reads the memory back after an operation.
func readResult(ctx context.Context, tx *agenttx.Tx, id string, state records.ClaudeMD) (Result, error) {
	m, err := tx.DB.Memory(ctx, tx.Agent.Slug, id)
	return Result{Memory: m, ClaudeMDProblem: state.Problem}, err
}

// resultAt reads back the memory that a file carries.
func resultAt(ctx context.Context, tx *agenttx.Tx, path string, state records.ClaudeMD) (Result, error) {
	at, err := tx.DB.FilesUnder(ctx, []string{path})
	if err != nil {
		return Result{}, err
	}
	for _, f := range at {
		if f.Path == path && f.Status == records.Mirrored {
			return readResult(ctx, tx, f.MemoryID.String(), state)
		}
	}
	unreadable, err := tx.DB.UnreadableByPath(ctx, []string{path})
	if err != nil || len(unreadable) == 0 {
		return Result{}, errors.Join(err, memories.ErrNotFound)
	}
	return readResult(ctx, tx, unreadable[0].ID, state)
}
