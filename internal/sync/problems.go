package sync

import (
	"context"

	"memoir/internal/memories"
	"memoir/internal/sync/ops"
)

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

// UndoFix writes back the bytes that a file had before a fix. hash is their hash. It fails like
// Fix, and with *memories.ConflictError if the history does not have the bytes. Of contents that
// differ only in form, the history keeps the newest bytes.
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
