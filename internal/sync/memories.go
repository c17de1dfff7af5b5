package sync

import (
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

// Create is like Save, but fails with *memories.NameTakenError if a memory of that name exists and
// is not deleted.
func (e *Engine) Create(ctx context.Context, slug string, draft memories.Draft) (Result, error) {
	return e.calls.save.Do(ctx, slug, ops.SaveOp{Draft: draft, OnlyNew: true})
}

// Patch changes some fields of a memory. If the name changes, the memory keeps its ID and history,
// and gets another file. It fails like Save; with memories.ErrNotFound or memories.ErrChanged for
// the memory; with *memories.ConflictError if it is deleted or unreadable; with
// *memories.NameTakenError for a used name.
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

// Purge deletes a memory permanently, with its history. It first deletes a memory that is not in
// the trash. Its contents stay blocked. It fails like Delete, and with *memories.ConflictError if
// the memory was written again during the deletion.
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

// bulk runs an operation on many memories and returns one error for each, in their order. An error
// of the whole call is the error of each memory without one.
func (e *Engine) bulk(ctx context.Context, slug string, op ops.BulkOp) []error {
	errs := make([]error, len(op.Refs))
	failures, err := e.calls.bulk.Do(ctx, slug, op)
	for i, failed := range failures {
		errs[i] = failed.Err()
	}
	if err != nil {
		ops.FailAll(errs, err)
	}
	for i := range errs {
		errs[i] = postgres.Interrupted(errs[i])
	}
	return errs
}
