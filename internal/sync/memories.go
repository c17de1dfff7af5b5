package sync

import (
	"context"
	"errors"

	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/ops"
)

// Save writes a memory under its name, whatever was there before: a new one, a new content of one that lives, or one
// that comes back from the trash. When it returns, its file and CLAUDE.md are on disk. Created says that it did not
// live before.
//
// It fails with memories.ErrNotFound for an unknown agent, *memories.InvalidError for a field that cannot be taken, and
// *memories.ConflictError when the memory's file has changed on disk since it was read.
func (e *Engine) Save(ctx context.Context, slug string, draft memories.Draft) (ops.Result, error) {
	return e.calls.save.Do(ctx, slug, ops.SaveOp{Draft: draft})
}

// Create is Save under a name that no living memory has. It fails with *memories.NameTakenError where one has it, and as
// Save does.
func (e *Engine) Create(ctx context.Context, slug string, draft memories.Draft) (ops.Result, error) {
	return e.calls.save.Do(ctx, slug, ops.SaveOp{Draft: draft, OnlyNew: true})
}

// Patch changes a part of a memory. A memory with a new name keeps its id and its history, and gets another file.
// match is the ETag of what the user saw; empty: whatever there is. It fails as Save and Delete do, and with
// *memories.NameTakenError where another memory lives under the new name.
func (e *Engine) Patch(ctx context.Context, slug, id, match string, patch memories.Patch) (ops.Result, error) {
	return e.calls.patch.Do(ctx, slug, ops.PatchOp{Ref: ops.MemoryRef{ID: id, ETag: match}, Patch: patch})
}

// Delete ends a memory everywhere: every file that carries it, its index lines, its part of CLAUDE.md. When it returns,
// all of that is on disk. match is the ETag of what the user saw; empty: whatever there is.
//
// It fails with memories.ErrNotFound, memories.ErrChanged when match is of another content, and *memories.ConflictError
// when a file has changed on disk since; then nothing has happened. Deleting a deleted memory changes nothing, except
// that what the disk had removed is blocked from then on.
func (e *Engine) Delete(ctx context.Context, slug, id, match string) (ops.Result, error) {
	return e.calls.change.Do(ctx, slug, ops.ChangeOp{Verb: ops.VerbDelete, Ref: ops.MemoryRef{ID: id, ETag: match}})
}

// Purge removes a memory and its history for good; what it said does not come back by itself. A memory that lives is
// deleted first. It fails as Delete does.
func (e *Engine) Purge(ctx context.Context, slug, id, match string) (ops.Result, error) {
	return e.calls.change.Do(ctx, slug, ops.ChangeOp{Verb: ops.VerbPurge, Ref: ops.MemoryRef{ID: id, ETag: match}})
}

// Restore brings a memory back from the trash, or writes back the file of one that is missing: the primary file, the
// row, the index lines and CLAUDE.md, all on disk when it returns. It fails with memories.ErrNotFound, with
// memories.ErrChanged when match is of another state, and with *memories.ConflictError when the name lives.
func (e *Engine) Restore(ctx context.Context, slug, id, match string) (ops.Result, error) {
	return e.calls.change.Do(ctx, slug, ops.ChangeOp{Verb: ops.VerbRestore, Ref: ops.MemoryRef{ID: id, ETag: match}})
}

// Allow lets in a content that was blocked: it becomes the memory's, which lives again. It fails with
// memories.ErrNotFound, also when the file is no longer there.
func (e *Engine) Allow(ctx context.Context, slug, id string) (ops.Result, error) {
	return e.calls.allow.Do(ctx, slug, ops.AllowOp{ID: id})
}

// Forget removes an agent whose directory is gone, with all that is known of it, and returns it as it was. It fails
// with memories.ErrNotFound, and with *memories.ConflictError while the directory is there.
func (e *Engine) Forget(ctx context.Context, slug string) (records.Agent, error) {
	return e.calls.forget.Do(ctx, slug, ops.ForgetOp{})
}

// ProposeFixes returns the files of a memory that have problems, and what can be done about each. Nothing is written. A
// memory in the trash has none. It fails with memories.ErrNotFound.
func (e *Engine) ProposeFixes(ctx context.Context, slug, id string) ([]ops.Flawed, error) {
	return e.calls.fixes.Read(ctx, slug, ops.FixesOp{ID: id})
}

// Fix mends one file of a memory as ProposeFixes has it. When it returns, the file and CLAUDE.md are on disk. The
// memory's age stays: what is mended is not newer for it. match is the ETag of what the user saw; empty: whatever there is.
//
// It fails with memories.ErrNotFound, memories.ErrChanged when match is of another content, *memories.InvalidError for a
// path or a fix that the memory does not have, and *memories.ConflictError when the file has changed on disk since it was
// read, or cannot be written; then nothing has happened.
func (e *Engine) Fix(ctx context.Context, slug, id, match, path, fix string) (ops.Result, error) {
	return e.calls.fix.Do(ctx, slug, ops.FixOp{Ref: ops.MemoryRef{ID: id, ETag: match}, Path: path, Fix: fix})
}

// UndoFix writes back the bytes that a file of the memory had before it was mended; hash is theirs. It fails as Fix does,
// and with *memories.ConflictError where those bytes are not kept: of a content that was only spelled otherwise the history
// has the newer spelling.
func (e *Engine) UndoFix(ctx context.Context, slug, id, match, path, hash string) (ops.Result, error) {
	return e.calls.fix.Do(ctx, slug, ops.FixOp{Ref: ops.MemoryRef{ID: id, ETag: match}, Path: path, Undo: true, Hash: hash})
}

// DeleteMany deletes each memory as Delete does. It returns one error for each, in their order, nil where the memory is
// deleted: what fails does not stop the others. Of one that fails with memories.ErrInterrupted nobody knows. When it returns,
// CLAUDE.md on disk has none of the deleted ones.
func (e *Engine) DeleteMany(ctx context.Context, slug string, all []ops.MemoryRef) []error {
	return e.bulk(ctx, slug, ops.BulkOp{Verb: ops.VerbDelete, Refs: all})
}

// PurgeMany removes each memory with its history as Purge does, and answers as DeleteMany.
func (e *Engine) PurgeMany(ctx context.Context, slug string, all []ops.MemoryRef) []error {
	return e.bulk(ctx, slug, ops.BulkOp{Verb: ops.VerbPurge, Refs: all})
}

// RestoreMany brings each memory back as Restore does, and answers as DeleteMany.
func (e *Engine) RestoreMany(ctx context.Context, slug string, all []ops.MemoryRef) []error {
	return e.bulk(ctx, slug, ops.BulkOp{Verb: ops.VerbRestore, Refs: all})
}

// VerifyMany reports of each memory that it is still true as Verify does, and answers as DeleteMany.
func (e *Engine) VerifyMany(ctx context.Context, slug string, all []ops.MemoryRef) []error {
	return e.bulk(ctx, slug, ops.BulkOp{Verb: ops.VerbVerify, Refs: all})
}

// bulk carries out an operation on many memories, and returns one error for each.
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

// Verify says that a memory is still true: its age starts anew. Every file that carries it gets the time of now as its
// modification time and, where it has one, as its metadata.modified. That is no new content: no revision, and no file
// with another content of the memory becomes the newest by it.
//
// It fails with memories.ErrNotFound, memories.ErrChanged when match is of another content, and *memories.ConflictError
// when the memory is in the trash, or a file cannot be read or has changed on disk since; then nothing has happened.
func (e *Engine) Verify(ctx context.Context, slug, id, match string) (ops.Result, error) {
	return e.calls.change.Do(ctx, slug, ops.ChangeOp{Verb: ops.VerbVerify, Ref: ops.MemoryRef{ID: id, ETag: match}})
}

// RemoveBlocked removes from the disk the file of a content that is blocked, with its entries in MEMORY.md, and returns
// what it said. That is kept in the trash, unless it was emptied. A memory that has been learned anew under the name stays.
//
// It fails with memories.ErrNotFound, and with *memories.ConflictError when the file is no longer what was blocked, or
// cannot be removed.
func (e *Engine) RemoveBlocked(ctx context.Context, slug, id string) (memories.Blocked, error) {
	return e.calls.removeBlocked.Do(ctx, slug, ops.RemoveBlockedOp{ID: id})
}

// Move moves a memory between the agent's private memory and its team's, in one step, as a rename does. It keeps its id, its history
// and its age. match is the ETag of what the user saw; empty: whatever there is. It answers the memory where it is now.
// Between an agent and what all share it takes two steps (transferBetween).
//
// It fails as Patch with another name does, and with *memories.InvalidError for a place that is none, and for a text that holds what
// looks like a credential and is to be the team's.
func (e *Engine) Move(ctx context.Context, slug, id, match string, to ops.Destination) (ops.Result, error) {
	if to.IsOtherAgent(slug) {
		return e.transferBetween(ctx, slug, ops.MemoryRef{ID: id, ETag: match}, to, true)
	}
	return e.calls.transfer.Do(ctx, slug, ops.TransferOp{Ref: ops.MemoryRef{ID: id, ETag: match}, To: to.Scope})
}

// Copy saves the content of a memory in the other place as well. It answers the copy, and fails as Move does.
func (e *Engine) Copy(ctx context.Context, slug, id, match string, to ops.Destination) (ops.Result, error) {
	if to.IsOtherAgent(slug) {
		return e.transferBetween(ctx, slug, ops.MemoryRef{ID: id, ETag: match}, to, false)
	}
	return e.calls.transfer.Do(ctx, slug, ops.TransferOp{Ref: ops.MemoryRef{ID: id, ETag: match}, To: to.Scope, Copy: true})
}

// transferBetween moves or copies a memory between an agent and what all share. These are two agents, maybe on two servers, so that it takes two
// steps: it is saved there, and then deleted here. Whatever ends a move in between leaves the memory in both, saying the same; asked
// for again, it goes on. If it cannot be deleted here, because it has changed meanwhile, say, the other one goes again.
func (e *Engine) transferBetween(ctx context.Context, slug string, ref ops.MemoryRef, to ops.Destination, move bool) (ops.Result, error) {
	target, team, err := e.targetAgent(ctx, slug, to)
	if err != nil {
		return ops.Result{}, err
	}
	offered, err := e.calls.offer.Do(ctx, slug, ops.OfferOp{Ref: ref})
	if err != nil {
		return ops.Result{}, err
	}
	offered.Draft.Team = team
	taken, err := e.calls.accept.Do(ctx, target, ops.AcceptOp{Offer: offered, Again: move})
	if err != nil || !move {
		return taken, err
	}
	ref.ETag = offered.ETag
	deleted, err := e.Delete(ctx, slug, ref.ID, ref.ETag)
	if err != nil {
		if taken.Created && ops.IsRefusal(err) {
			_, back := e.Delete(ctx, target, taken.Memory.ID, ops.ETag(taken.Memory))
			err = errors.Join(err, back)
		}
		return ops.Result{}, err
	}
	if taken.ClaudeMDProblem == "" {
		taken.ClaudeMDProblem = deleted.ClaudeMDProblem
	}
	return taken, nil
}

// targetAgent returns the agent that a memory is to go to, and whether it is team memory there.
func (e *Engine) targetAgent(ctx context.Context, slug string, to ops.Destination) (target string, team bool, err error) {
	from, err := e.store.AgentUncounted(ctx, slug)
	if err != nil {
		return "", false, err
	}
	all, err := e.store.AgentsUncounted(ctx)
	if err != nil {
		return "", false, err
	}
	for _, row := range all {
		wanted := row.Slug == to.Agent || to.Agent == "" && row.Slug != slug && row.SharesMemories() && row.Present
		if !wanted {
			continue
		}
		switch {
		case to.Scope == memories.SharedScope && row.SharesMemories() && row.Slug != slug:
			return row.Slug, true, nil
		case (to.Scope == memories.PrivateScope || to.Scope == memories.TeamScope) && !row.SharesMemories() && from.SharesMemories():
			return row.Slug, to.Scope == memories.TeamScope, nil
		case to.Scope != memories.SharedScope && to.Scope != memories.PrivateScope && to.Scope != memories.TeamScope:
			return "", false, &memories.InvalidError{Field: "to", Reason: "is neither private, team nor shared"}
		}
		return "", false, &memories.InvalidError{Field: "agent", Reason: "is none between which and " + slug + " a memory can be moved or copied: one of the two has to be what all agents share"}
	}
	if to.Agent != "" {
		return "", false, &memories.InvalidError{Field: "agent", Reason: "is not known"}
	}
	return "", false, &memories.InvalidError{Field: "to", Reason: "is shared, and there is no other directory that all agents share (--team-dir)"}
}

// Keep decides a conflict: it makes one of the contents that the files of a memory say the memory's own, in a primary file, and removes
// the primary files that say something else. What these said stays in the history. version is the content's fingerprint in hexadecimal;
// match is the ETag of what the user saw, and empty for any.
//
// It fails with memories.ErrNotFound for an unknown memory or version, with memories.ErrChanged when match is of another content, and
// with *memories.ConflictError when a file has changed on disk since it was read, or cannot be written or removed.
func (e *Engine) Keep(ctx context.Context, slug, id, match, version string) (ops.Result, error) {
	return e.calls.keep.Do(ctx, slug, ops.KeepOp{Ref: ops.MemoryRef{ID: id, ETag: match}, Version: version})
}

// AdoptFact makes a memory of a fact of an agent's index, and puts an entry for its file in the place of the fact. The memory is
// written first, so no failure loses text; after one, the same call does the rest. Created reports whether the memory is new.
//
// It fails with memories.ErrNotFound, *memories.InvalidError, *memories.NameTakenError, and *memories.ConflictError where the
// index has changed or cannot be written.
func (e *Engine) AdoptFact(ctx context.Context, slug string, adoption ops.Adoption) (ops.Result, error) {
	return e.calls.adoptFact.Do(ctx, slug, adoption)
}
