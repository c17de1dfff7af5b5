package ops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/google/uuid"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/events"
	"memoir/internal/sync/indexfile"
	"memoir/internal/sync/notes"
	"memoir/internal/sync/removal"
	"memoir/internal/sync/scan"
)

// deleteRef moves a memory to the trash and removes its files. For a memory that is in the trash it
// only adds missing tombstones, so that a content that was removed on disk is blocked too. The
// caller must publish c. It returns memories.ErrNotFound, memories.ErrChanged if the ETag differs,
// and *memories.ConflictError if a file has changed or may not be removed.
func (s *Service) deleteRef(ctx context.Context, tx *agenttx.Tx, c *changes, ref MemoryRef) error {
	head, recorded, err := rowWithFiles(ctx, tx, ref.ID, ref.ETag)
	if err != nil {
		return err
	}
	if head.State == memories.Deleted {
		return tx.DB.AddTombstones(ctx, head.UUID, head.DeletedAt)
	}
	asked, err := notes.Forget(ctx, tx, head, recorded)
	if err != nil {
		return err
	}
	if len(asked) > 0 {
		return s.scan(ctx, tx, c, written(tx, asked...))
	}
	if err := deleteMemory(ctx, tx, c, head, recorded); err != nil {
		return err
	}
	c.add(events.Deleted, head.Name)
	if head.Readable {
		return nil
	}
	// A readable memory may have the file too. It then gets its content from another file.
	return s.scan(ctx, tx, c, written(tx, head.Path))
}

// refuseDeletion keeps a memory that another machine has deleted. The caller must publish c. It
// returns memories.ErrNotFound, memories.ErrChanged if the ETag differs or no other machine has
// deleted the memory, and ErrInTrash.
func refuseDeletion(ctx context.Context, tx *agenttx.Tx, c *changes, ref MemoryRef) error {
	head, err := memoryRow(ctx, tx, ref.ID, ref.ETag)
	if err != nil {
		return err
	}
	if head.State == memories.Deleted {
		return ErrInTrash
	}
	if err := postgres.RefuseDeletion(ctx, tx.DB, head, tx.Actor); err != nil {
		return err
	}
	c.add(events.Saved, head.Name)
	return nil
}

// deleteMemory commits the deletion of a memory with a tombstone for each of its contents. Then it
// removes its files and their lines in MEMORY.md. recorded are the rows of its present and former
// files. The caller must publish c. It returns a *memories.ConflictError, and changes nothing, if a
// file has changed or may not be removed. After the commit, a file that cannot be removed is not an
// error: the next full scan tries again.
func deleteMemory(ctx context.Context, tx *agenttx.Tx, c *changes, head records.MemoryRow, recorded []records.File) error {
	deletion, indexes, names, err := deletionOf(ctx, tx, head, recorded)
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
	removed, err := removal.Unlink(ctx, tx, deletion.Files, indexes, names)
	c.removed = append(c.removed, removed...)
	return err
}

// deletionOf returns the deletion of a memory, with its files and the index lines to remove.
// indexes are the paths of the indexes that may list it, and names has its name if a wiki link may
// lead to it by that. It writes nothing. It returns a *memories.ConflictError if a file has other
// bytes than recorded, cannot be read, or may not be removed.
func deletionOf(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, recorded []records.File) (deletion records.Deletion, indexes []string, names map[uuid.UUID]string, err error) {
	if tx.Closed != nil {
		return records.Deletion{}, nil, nil, tx.ClosedError()
	}
	if err := tx.CheckWrite(); err != nil {
		return records.Deletion{}, nil, nil, err
	}
	// Indexes may still list files that are missing since a scan. If another file has the path now,
	// the lines are about that file.
	var absent []records.File
	for _, f := range recorded {
		if !f.Present && f.Status == records.Mirrored && tx.Root != nil && tx.IsFree(f.Path) {
			absent = append(absent, f)
		}
	}
	mirrored, err := mirroredFiles(ctx, tx, head, recorded)
	if err != nil {
		return records.Deletion{}, nil, nil, err
	}
	for _, f := range mirrored {
		if err := errors.Join(tx.CheckRemove(f), checkUnchanged(tx, f)); err != nil {
			return records.Deletion{}, nil, nil, err
		}
	}
	mayBeListed := slices.Concat(mirrored, absent)
	indexes = indexfile.IndexesFor(tx.Root, tx.Agent, removal.PathsOf(mayBeListed))
	if head.Readable && len(indexes) > 0 {
		if names, err = indexfile.FreeNames(ctx, tx, map[uuid.UUID]memories.Key{head.UUID: head.Key()}); err != nil {
			return records.Deletion{}, nil, nil, err
		}
	}
	changes, listed := indexfile.IndexChanges(tx.Root, tx.Agent, indexes, indexfile.OfMemory(names[head.UUID], removal.PathsOf(mayBeListed)...))
	lines := map[string][]memorymd.RemovedLine{}
	for _, change := range changes {
		lines[change.Path] = change.Gone
	}
	// An earlier deletion removed these lines, and no restore or save has put them back.
	for index, before := range head.IndexLines {
		if len(lines[index]) == 0 {
			lines[index] = before
		}
	}
	// An absent file that no index lists needs no removal.
	absent = slices.DeleteFunc(absent, func(f records.File) bool { return !listed[f.Path] })
	return records.Deletion{Head: head, Files: slices.Concat(mirrored, absent), IndexLines: lines, Actor: tx.Actor}, indexes, names, nil
}

// mirroredFiles returns the files that the database has as present on disk for the memory. It
// includes files that a deletion has yet to remove. For an unreadable memory it returns only the
// file at the memory's path. It may reuse the slice recorded. It does not read the disk.
func mirroredFiles(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, recorded []records.File) ([]records.File, error) {
	if !head.Readable {
		at, err := tx.Rows.FilesUnder(ctx, []string{head.Path})
		// An unreadable directory has files below it, and those are not deleted with it.
		return slices.DeleteFunc(at, func(f records.File) bool { return f.Path != head.Path }), err
	}
	return slices.DeleteFunc(recorded, func(f records.File) bool {
		return !f.Present || f.Status != records.Mirrored && f.Status != records.Removing
	}), nil
}

// checkUnchanged returns a *memories.ConflictError if the file on disk has another hash than f,
// cannot be read, or has a name that is not UTF-8. If the hash differs, it also requests a scan. A
// link to nothing has no hash. It returns nil if the file or the agent's directory is missing.
func checkUnchanged(tx *agenttx.Tx, f records.File) error {
	if tx.Root == nil {
		return nil
	}
	if err := tx.MisnamedError(f.Path); err != nil {
		return err
	}
	hash, err := files.ReadHash(tx.Root, f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && tx.IsFree(f.Path):
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be read (%v), so the trash cannot keep it. Nothing was deleted. Make the file readable, or remove it by hand.", f.Path, agenttx.FSCause(err))}
	case hash != f.Hash:
		tx.Rescan(f.Path)
		return &memories.ConflictError{Reason: f.Path + " has changed on disk. Nothing was deleted. Check the new version and try again."}
	}
	return nil
}

// maxTrashFile is the size of the largest file that a deletion copies into the trash, in bytes.
// Arbitrary; files.ReadHash hashes every byte of a file up to this size.
const maxTrashFile = 32 << 20

// keepRaw reads the file of an unreadable memory and stores its bytes in the database, so that they
// can be restored. It does nothing for a readable memory, for stored bytes, and for a missing file
// or directory. It returns a *memories.ConflictError if the file cannot be read or is larger than
// maxTrashFile.
func keepRaw(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow) error {
	if head.Readable || tx.Root == nil {
		return nil
	}
	if raw, err := tx.Rows.CurrentRaw(ctx, head.UUID); err != nil || raw != nil {
		return err
	}
	raw, err := agenttx.ReadAll(tx.Root, head.Path, maxTrashFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, agenttx.ErrTooLarge):
		return &memories.ConflictError{Reason: fmt.Sprintf("%s is larger than %d MiB, too large for the trash. Nothing was deleted. Remove the file by hand.", head.Path, maxTrashFile>>20)}
	case err != nil:
		return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be read (%v), so the trash cannot keep it. Nothing was deleted. Remove it by hand.", head.Path, agenttx.FSCause(err))}
	}
	return tx.DB.KeepRaw(ctx, head.RevisionID, raw, files.Hash(raw))
}

// purge moves a memory to the trash and writes CLAUDE.md. Then it removes the memory with its
// history from the database, in a second agent transaction. It returns the memory as it was in the
// trash. It returns memories.ErrNotFound, memories.ErrChanged if the ETag differs, or a
// *memories.ConflictError. After an error the memory may be in the trash.
func (s *Service) purge(ctx context.Context, slug string, ref MemoryRef) (Result, error) {
	result, err := s.Change(ctx, slug, ChangeOp{Verb: VerbDelete, Ref: ref})
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

// purgeMemory removes a memory in the trash with its history from the database, and adds an event
// to c. Its tombstones stay. It returns memories.ErrNotFound for an unknown id, and a
// *memories.ConflictError if the memory is not in the trash.
func purgeMemory(ctx context.Context, tx *agenttx.Tx, c *changes, id string) error {
	head, err := tx.Rows.Row(ctx, id)
	if err != nil {
		return err
	}
	if head.State != memories.Deleted {
		if notes.IsForgotten(head) {
			return &memories.ConflictError{Reason: "A note asks " + tx.Agent.Rules().Client + " to forget the memory. Purge the memory when it is in the trash."}
		}
		return &memories.ConflictError{Reason: "The memory was saved again during the deletion. It is kept. Delete it again."}
	}
	if err := tx.DB.Purge(ctx, head, tx.Actor); err != nil {
		return err
	}
	c.add(events.Deleted, head.Name)
	return nil
}
