package sync

import (
	"cmp"
	"context"

	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/sync/ops"
)

// Save creates the memory that the draft names, changes it, or brings it back from the trash. When
// it returns, the file and CLAUDE.md are written. Result.Created reports whether the memory was new
// or deleted. Errors: memories.ErrNotFound for an unknown agent; *memories.InvalidError for an
// invalid draft; *memories.ConflictError if the file has changed on disk or cannot be written.
func (e *Engine) Save(ctx context.Context, slug string, draft memories.Draft) (Result, error) {
	return e.calls.save.Do(ctx, slug, ops.SaveOp{Draft: draft})
}

// Create saves a new memory, or brings one back from the trash with the content of the draft. It
// fails with *memories.NameTakenError if a memory of that name exists and is not deleted, with
// memories.ErrNotFound for an unknown agent, *memories.InvalidError for an invalid draft, and
// *memories.ConflictError if the file cannot be written.
func (e *Engine) Create(ctx context.Context, slug string, draft memories.Draft) (Result, error) {
	return e.calls.save.Do(ctx, slug, ops.SaveOp{Draft: draft, OnlyNew: true})
}

// Patch changes the fields of a memory that patch sets. If the name changes, the memory gets
// another file; ID and history stay. Errors: memories.ErrNotFound for an unknown agent or memory;
// memories.ErrChanged; *memories.InvalidError for a field; *memories.NameTakenError for a used
// name; *memories.ConflictError if the memory is deleted or unreadable, or its file has changed on
// disk or cannot be written.
func (e *Engine) Patch(ctx context.Context, slug, id, etag string, patch memories.Patch) (Result, error) {
	return e.calls.patch.Do(ctx, slug, ops.PatchOp{Ref: ops.MemoryRef{ID: id, ETag: etag}, Patch: patch})
}

// Delete moves a memory to the trash. When it returns, its files and its parts of MEMORY.md and
// CLAUDE.md are removed. Each scan retries a file that cannot be removed. It fails with
// memories.ErrNotFound, memories.ErrChanged, and *memories.ConflictError if a file has changed on
// disk or cannot be read; nothing has changed then. Deleting a memory that was deleted on disk
// blocks its contents.
func (e *Engine) Delete(ctx context.Context, slug, id, etag string) (Result, error) {
	return e.calls.change.Do(ctx, slug, ops.ChangeOp{Verb: ops.VerbDelete, Ref: ops.MemoryRef{ID: id, ETag: etag}})
}

// Restore brings a memory back from the trash, or writes the file of a missing memory. When it
// returns, its primary file, its lines in MEMORY.md and CLAUDE.md are written. It fails with
// memories.ErrNotFound, memories.ErrChanged, and *memories.ConflictError if the memory is not
// deleted or missing, or its file cannot be written.
func (e *Engine) Restore(ctx context.Context, slug, id, etag string) (Result, error) {
	return e.calls.change.Do(ctx, slug, ops.ChangeOp{Verb: ops.VerbRestore, Ref: ops.MemoryRef{ID: id, ETag: etag}})
}

// Purge deletes a memory permanently, with its history. It first moves a memory that is not in the
// trash there. Its contents stay blocked. Errors: memories.ErrNotFound; memories.ErrChanged;
// *memories.ConflictError if a file has changed on disk or cannot be read, or the memory was
// written again during the deletion.
func (e *Engine) Purge(ctx context.Context, slug, id, etag string) (Result, error) {
	return e.calls.change.Do(ctx, slug, ops.ChangeOp{Verb: ops.VerbPurge, Ref: ops.MemoryRef{ID: id, ETag: etag}})
}

// Verify records that a memory is still true, so that its age restarts. It sets the modification
// time of each of its files, and metadata.modified where present, to now. That adds no revision. It
// fails with memories.ErrNotFound, memories.ErrChanged, and *memories.ConflictError if the memory
// is in the trash, or a file has changed on disk or cannot be read.
func (e *Engine) Verify(ctx context.Context, slug, id, etag string) (Result, error) {
	return e.calls.change.Do(ctx, slug, ops.ChangeOp{Verb: ops.VerbVerify, Ref: ops.MemoryRef{ID: id, ETag: etag}})
}

// ProposeFixes returns the files of a memory that have problems, each with the fixes that Fix can
// apply. It changes nothing. It returns none for a memory in the trash. It fails with
// memories.ErrNotFound.
func (e *Engine) ProposeFixes(ctx context.Context, slug, id string) ([]Flawed, error) {
	return e.calls.fixes.Read(ctx, slug, ops.FixesOp{ID: id})
}

// Fix applies a fix of ProposeFixes, by its ID, to the file of a memory at path. When it returns,
// the file and CLAUDE.md are written. The memory's age stays. Errors: memories.ErrNotFound;
// memories.ErrChanged; *memories.InvalidError for an unknown path or fix; *memories.ConflictError
// if the file has changed on disk or cannot be written. Unless the disk has failed, nothing has
// changed then.
func (e *Engine) Fix(ctx context.Context, slug, id, etag, path, fix string) (Result, error) {
	return e.calls.fix.Do(ctx, slug, ops.FixOp{Ref: ops.MemoryRef{ID: id, ETag: etag}, Path: path, Fix: fix})
}

// UndoFix writes back the bytes that a file had before a fix. hash is their hash. Errors:
// memories.ErrNotFound; memories.ErrChanged; *memories.InvalidError for an unknown path;
// *memories.ConflictError if the file has changed on disk or cannot be written, or the history does
// not have the bytes. Of contents that differ only in form, the history keeps the newest bytes.
func (e *Engine) UndoFix(ctx context.Context, slug, id, etag, path, hash string) (Result, error) {
	return e.calls.fix.Do(ctx, slug, ops.FixOp{Ref: ops.MemoryRef{ID: id, ETag: etag}, Path: path, Undo: true, Hash: hash})
}

// Keep resolves a conflict. It makes one version the memory's content, in a primary file. It
// removes the primary files with other contents, which stay in the history. version is the hex
// fingerprint of the content. Errors: memories.ErrNotFound for an unknown memory or version;
// memories.ErrChanged; *memories.ConflictError if a file has changed on disk, or cannot be written
// or removed.
func (e *Engine) Keep(ctx context.Context, slug, id, etag, version string) (Result, error) {
	return e.calls.keep.Do(ctx, slug, ops.KeepOp{Ref: ops.MemoryRef{ID: id, ETag: etag}, Version: version})
}

// Allow accepts a blocked content by its ID. It becomes the content of the memory of its name,
// which is created or restored if it is not active. It fails with memories.ErrNotFound, and with
// *memories.ConflictError if the file is absent, has changed on disk, or may not be team memory.
func (e *Engine) Allow(ctx context.Context, slug, id string) (Result, error) {
	return e.calls.allow.Do(ctx, slug, ops.AllowOp{ID: id})
}

// RemoveBlocked removes the file of a blocked content and its lines in MEMORY.md, and returns the
// content. An active memory of the same name stays. It fails with memories.ErrNotFound, and with
// *memories.ConflictError if the file has changed on disk, or the file or its line cannot be
// removed.
func (e *Engine) RemoveBlocked(ctx context.Context, slug, id string) (memories.Blocked, error) {
	return e.calls.removeBlocked.Do(ctx, slug, ops.RemoveBlockedOp{ID: id})
}

// DeleteMany deletes each memory like Delete. It returns one error for each, in their order; nil
// means success. A failure does not stop the others. memories.ErrInterrupted means that the outcome
// for that memory is unknown. When it returns, CLAUDE.md is written.
func (e *Engine) DeleteMany(ctx context.Context, slug string, all []MemoryRef) []error {
	return e.bulk(ctx, slug, ops.BulkOp{Verb: ops.VerbDelete, Refs: all})
}

// RestoreMany restores each memory like Restore. It returns errors like DeleteMany.
func (e *Engine) RestoreMany(ctx context.Context, slug string, all []MemoryRef) []error {
	return e.bulk(ctx, slug, ops.BulkOp{Verb: ops.VerbRestore, Refs: all})
}

// PurgeMany deletes each memory permanently, like Purge. It returns errors like DeleteMany.
func (e *Engine) PurgeMany(ctx context.Context, slug string, all []MemoryRef) []error {
	return e.bulk(ctx, slug, ops.BulkOp{Verb: ops.VerbPurge, Refs: all})
}

// VerifyMany records that each memory is still true, like Verify. It returns errors like
// DeleteMany.
func (e *Engine) VerifyMany(ctx context.Context, slug string, all []MemoryRef) []error {
	return e.bulk(ctx, slug, ops.BulkOp{Verb: ops.VerbVerify, Refs: all})
}

// bulk runs an operation on many memories and returns one error for each, in their order; nil means
// success. An error of the whole call becomes the error of each memory without one. It turns
// memories.ErrUnavailable, after which a change may have been made, into memories.ErrInterrupted.
func (e *Engine) bulk(ctx context.Context, slug string, op ops.BulkOp) []error {
	errs := make([]error, len(op.Refs))
	failures, err := e.calls.bulk.Do(ctx, slug, op)
	for i := range errs {
		if i < len(failures) {
			errs[i] = failures[i].Err()
		}
		errs[i] = postgres.Interrupted(cmp.Or(errs[i], err))
	}
	return errs
}
