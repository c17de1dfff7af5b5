package sync

import (
	"cmp"
	"context"
	"time"

	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/sync/ops"
)

// Save creates the memory that the draft names, changes its content, or brings it back from the
// trash. Result.Created reports whether it was new or in the trash. Save writes CLAUDE.md, or sets
// Result.ClaudeMDProblem if it cannot. It fails with memories.ErrNotFound for an unknown agent, and
// with *memories.InvalidError for an invalid draft or a credential in team memory. It fails with
// *memories.ConflictError if the file has changed on disk or cannot be written.
func (e *Engine) Save(ctx context.Context, slug string, draft memories.Draft) (Result, error) {
	return e.asking(ctx, draft.AskedAs, func() (Result, error) { return e.calls.save.Do(ctx, slug, ops.SaveOp{Draft: draft}) })
}

// Create saves a new memory, or brings one back from the trash with the content of the draft. It
// writes CLAUDE.md, or sets Result.ClaudeMDProblem if it cannot. It fails with
// *memories.NameTakenError if a memory of that name exists and is not deleted. It fails with
// memories.ErrNotFound for an unknown agent, *memories.InvalidError for an invalid draft, and
// *memories.ConflictError if the file cannot be written.
func (e *Engine) Create(ctx context.Context, slug string, draft memories.Draft) (Result, error) {
	return e.asking(ctx, draft.AskedAs, func() (Result, error) {
		return e.calls.save.Do(ctx, slug, ops.SaveOp{Draft: draft, OnlyNew: true})
	})
}

// Replace saves a memory as Save does, if a memory of that name has one of the ETags; "*" is any ETag.
// Otherwise it fails with memories.ErrChanged, and changes nothing.
func (e *Engine) Replace(ctx context.Context, slug string, etags []string, draft memories.Draft) (Result, error) {
	return e.asking(ctx, draft.AskedAs, func() (Result, error) {
		return e.calls.save.Do(ctx, slug, ops.SaveOp{Draft: draft, Match: etags})
	})
}

// Patch changes the fields of a memory that patch sets; ID and history stay. With another name, the
// memory gets another file. A patch of the phrases alone writes no file. It writes CLAUDE.md, or sets Result.ClaudeMDProblem if it cannot. It
// fails with memories.ErrNotFound, memories.ErrChanged unless etag is current, empty or "*",
// *memories.InvalidError for a field, and *memories.NameTakenError. It fails with
// *memories.ConflictError if the memory is deleted or unreadable, or its file has changed on disk
// or cannot be written.
func (e *Engine) Patch(ctx context.Context, slug, id, etag string, patch memories.Patch) (Result, error) {
	write := func() (Result, error) {
		return e.calls.patch.Do(ctx, slug, ops.PatchOp{Ref: ops.MemoryRef{ID: id, ETag: etag}, Patch: patch})
	}
	switch {
	case patch.AskedAs == nil:
		return write()
	case patch.OnlyAsks():
		write = func() (Result, error) { return e.toAsk(ctx, slug, id, etag) }
	}
	return e.asking(ctx, append([]string{}, *patch.AskedAs...), write)
}

// Delete moves a memory to the trash, and removes its files and its parts of MEMORY.md and
// CLAUDE.md. Full scans retry a file that could not be removed; that is no error. For a memory in
// the trash, it only blocks contents that were deleted on disk. It fails with memories.ErrNotFound,
// and with memories.ErrChanged unless etag is current, empty or "*". It fails with
// *memories.ConflictError, and changes nothing, if a file has changed on disk, is unreadable or may
// not be removed.
func (e *Engine) Delete(ctx context.Context, slug, id, etag string) (Result, error) {
	return e.calls.change.Do(ctx, slug, ops.ChangeOp{Verb: ops.VerbDelete, Ref: ops.MemoryRef{ID: id, ETag: etag}})
}

// Restore brings a memory back from the trash, or writes the file of a missing memory. It writes a
// primary file, its lines in MEMORY.md, and CLAUDE.md, or sets Result.ClaudeMDProblem. It fails
// with memories.ErrNotFound, and with memories.ErrChanged unless etag is current, empty or "*". It
// fails with *memories.ConflictError if the memory is not deleted or missing, or its file cannot be
// written. It also does so if MEMORY.md cannot be written, but the memory is back then.
func (e *Engine) Restore(ctx context.Context, slug, id, etag string) (Result, error) {
	return e.calls.change.Do(ctx, slug, ops.ChangeOp{Verb: ops.VerbRestore, Ref: ops.MemoryRef{ID: id, ETag: etag}})
}

// Purge deletes a memory permanently, with its history, and returns it as it was in the trash. It
// first moves a memory that is not in the trash there, with its files. Its contents stay blocked.
// It fails with memories.ErrNotFound, and with memories.ErrChanged unless etag is current, empty or
// "*". It fails with *memories.ConflictError, and does not purge, if a file has changed on disk, is
// unreadable, or was written again during the call.
func (e *Engine) Purge(ctx context.Context, slug, id, etag string) (Result, error) {
	return e.calls.change.Do(ctx, slug, ops.ChangeOp{Verb: ops.VerbPurge, Ref: ops.MemoryRef{ID: id, ETag: etag}})
}

// Verify records that a memory is still true, so that its age restarts. It sets the modification
// time of each of its files, and metadata.modified where present, to now; that adds no revision. It
// writes CLAUDE.md, or sets Result.ClaudeMDProblem. It fails with memories.ErrNotFound, and with
// memories.ErrChanged unless etag is current, empty or "*". It fails with *memories.ConflictError
// if the memory is in the trash, or a file has changed on disk, is unreadable or cannot be written.
func (e *Engine) Verify(ctx context.Context, slug, id, etag string) (Result, error) {
	return e.calls.change.Do(ctx, slug, ops.ChangeOp{Verb: ops.VerbVerify, Ref: ops.MemoryRef{ID: id, ETag: etag}})
}

// Unverify takes a Verify back: modified is the memory's modification time from before. The rest is
// as for Verify.
func (e *Engine) Unverify(ctx context.Context, slug, id, etag string, modified time.Time) (Result, error) {
	return e.calls.change.Do(ctx, slug, ops.ChangeOp{Verb: ops.VerbVerify, Ref: ops.MemoryRef{ID: id, ETag: etag}, Modified: modified})
}

// LetIn lets a memory out of quarantine: agents receive its content until that changes. With codes
// of problems, it only decides about these. It writes CLAUDE.md, or sets Result.ClaudeMDProblem. It
// fails with memories.ErrNotFound, with memories.ErrChanged unless etag is current, empty or "*",
// and with *memories.ConflictError if the memory is in the trash.
func (e *Engine) LetIn(ctx context.Context, slug, id, etag string, codes ...string) (Result, error) {
	return e.calls.change.Do(ctx, slug, ops.ChangeOp{Verb: ops.VerbLetIn, Ref: ops.MemoryRef{ID: id, ETag: etag}, Codes: codes})
}

// Hold takes a LetIn back: the memory is in quarantine again if the rules say so. The rest is as for
// LetIn.
func (e *Engine) Hold(ctx context.Context, slug, id, etag string, codes ...string) (Result, error) {
	return e.calls.change.Do(ctx, slug, ops.ChangeOp{Verb: ops.VerbHold, Ref: ops.MemoryRef{ID: id, ETag: etag}, Codes: codes})
}

// RemoveValue replaces each secret of a memory by "[removed]" in its files and in MEMORY.md, and
// deletes the earlier contents that have one. That cannot be undone. It writes CLAUDE.md, or sets
// Result.ClaudeMDProblem. It fails with memories.ErrNotFound, and with memories.ErrChanged unless
// etag is current, empty or "*". It fails with *memories.ConflictError if the memory is in the trash
// or has no secret, or a file has changed on disk, is unfinished or cannot be written.
func (e *Engine) RemoveValue(ctx context.Context, slug, id, etag string) (Result, error) {
	return e.calls.change.Do(ctx, slug, ops.ChangeOp{Verb: ops.VerbRemove, Ref: ops.MemoryRef{ID: id, ETag: etag}})
}

// ProposeFixes returns the files of a memory that have problems, each with the fixes that Fix can
// apply, possibly none. It changes nothing. It returns nil for a memory in the trash, and if the
// agent's directory is missing. It leaves out unreadable files of a readable memory. It fails with
// memories.ErrNotFound for an unknown agent or memory.
func (e *Engine) ProposeFixes(ctx context.Context, slug, id string) ([]Flawed, error) {
	return e.calls.fixes.Read(ctx, slug, ops.FixesOp{ID: id})
}

// Fix applies a fix of ProposeFixes, by its ID, to the file of a memory at path, and returns the
// memory of that file. The file's modification time stays. It writes CLAUDE.md, or sets
// Result.ClaudeMDProblem. It fails with memories.ErrNotFound, memories.ErrChanged unless etag is
// current, empty or "*", and *memories.InvalidError for an unknown path or fix. It fails with
// *memories.ConflictError if the memory is deleted, or the file has changed on disk or cannot be
// written.
func (e *Engine) Fix(ctx context.Context, slug, id, etag, path, fix string) (Result, error) {
	return e.calls.fix.Do(ctx, slug, ops.FixOp{Ref: ops.MemoryRef{ID: id, ETag: etag}, Path: path, Fix: fix})
}

// UndoFix replaces the bytes of a memory's file at path by those with the given hash, from before a
// fix. It writes CLAUDE.md, or sets Result.ClaudeMDProblem. It fails with memories.ErrNotFound,
// memories.ErrChanged unless etag is current, empty or "*", and *memories.InvalidError for an
// unknown path. It fails with *memories.ConflictError if the file has changed on disk or cannot be
// written, or if the history lacks the bytes. Of contents that differ only in form, the history
// keeps one.
func (e *Engine) UndoFix(ctx context.Context, slug, id, etag, path, hash string) (Result, error) {
	return e.calls.fix.Do(ctx, slug, ops.FixOp{Ref: ops.MemoryRef{ID: id, ETag: etag}, Path: path, Undo: true, Hash: hash})
}

// Revert is UndoFix for any earlier content of the memory. The file at path also gets the modification
// time modified.
func (e *Engine) Revert(ctx context.Context, slug, id, etag, path, hash string, modified time.Time) (Result, error) {
	return e.calls.fix.Do(ctx, slug, ops.FixOp{Ref: ops.MemoryRef{ID: id, ETag: etag}, Path: path, Undo: true, Hash: hash, Modified: modified})
}

// Keep resolves a conflict between the files of a memory. version is the hex fingerprint of one of
// their contents. Keep makes it the memory's content in a primary file, removes the primary files
// with other contents, which stay in the history, and writes CLAUDE.md. It fails with
// memories.ErrNotFound, also for an unknown version, and with memories.ErrChanged unless etag is
// current, empty or "*". It fails with *memories.ConflictError if a file has changed on disk, or
// cannot be written or removed.
func (e *Engine) Keep(ctx context.Context, slug, id, etag, version string) (Result, error) {
	return e.calls.keep.Do(ctx, slug, ops.KeepOp{Ref: ops.MemoryRef{ID: id, ETag: etag}, Version: version})
}

// Allow accepts a blocked content by its ID: it lifts the block, scans the file, writes CLAUDE.md,
// and returns the file's memory. The memory of its name is created or restored; an active one gets
// the content if that is newer. It fails with memories.ErrNotFound for an unknown agent or ID. It
// fails with *memories.ConflictError if the file is absent, has changed on disk, or is team memory
// with a credential.
func (e *Engine) Allow(ctx context.Context, slug, id string) (Result, error) {
	return e.calls.allow.Do(ctx, slug, ops.AllowOp{ID: id})
}

// RemoveBlocked removes the file of a blocked content and its lines in MEMORY.md, and returns the
// content, which stays blocked. An active memory of the same name stays. It fails with
// memories.ErrNotFound for an unknown agent or ID. It fails with *memories.ConflictError if the
// file has changed on disk or cannot be removed. It also does so if MEMORY.md cannot be written,
// but the file is removed then.
func (e *Engine) RemoveBlocked(ctx context.Context, slug, id string) (memories.Blocked, error) {
	return e.calls.removeBlocked.Do(ctx, slug, ops.RemoveBlockedOp{ID: id})
}

// DeleteMany moves each memory to the trash, as Delete does, and writes CLAUDE.md. It returns one
// error for each memory, in their order: nil, memories.ErrNotFound, memories.ErrChanged,
// *memories.ConflictError, or memories.ErrInterrupted if it is unknown whether that memory has
// changed. A failure does not stop the others. An error of the whole call, for example for an
// unknown agent, is the error of each memory.
func (e *Engine) DeleteMany(ctx context.Context, slug string, all []MemoryRef) []error {
	return e.bulk(ctx, slug, ops.BulkOp{Verb: ops.VerbDelete, Refs: all})
}

// RestoreMany restores each memory, as Restore does, and writes CLAUDE.md. It returns one error for
// each memory, in their order: nil, memories.ErrNotFound, memories.ErrChanged,
// *memories.ConflictError, or memories.ErrInterrupted if it is unknown whether that memory has
// changed. A failure does not stop the others. An error of the whole call, for example for an
// unknown agent, is the error of each memory.
func (e *Engine) RestoreMany(ctx context.Context, slug string, all []MemoryRef) []error {
	return e.bulk(ctx, slug, ops.BulkOp{Verb: ops.VerbRestore, Refs: all})
}

// PurgeMany deletes each memory permanently, as Purge does, and writes CLAUDE.md. It returns one
// error for each memory, in their order: nil, memories.ErrNotFound, memories.ErrChanged,
// *memories.ConflictError, or memories.ErrInterrupted if it is unknown whether that memory has
// changed. A failure does not stop the others. An error of the whole call, for example for an
// unknown agent, is the error of each memory.
func (e *Engine) PurgeMany(ctx context.Context, slug string, all []MemoryRef) []error {
	return e.bulk(ctx, slug, ops.BulkOp{Verb: ops.VerbPurge, Refs: all})
}

// VerifyMany records that each memory is still true, as Verify does, and writes CLAUDE.md. It
// returns one error for each memory, in their order: nil, memories.ErrNotFound,
// memories.ErrChanged, *memories.ConflictError, or memories.ErrInterrupted if it is unknown whether
// that memory has changed. A failure does not stop the others. An error of the whole call, for
// example for an unknown agent, is the error of each memory.
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
