package sync

import (
	"context"
	"errors"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/ops"
)

// Move moves a memory between private and team memory; it keeps its ID, history and age. Between an
// agent and one whose memories all agents share, it saves a new memory, and the old one goes to the
// trash. It writes CLAUDE.md and returns the memory at its destination. It fails with
// memories.ErrNotFound, memories.ErrChanged unless etag is current, empty or "*",
// *memories.NameTakenError, *memories.InvalidError for a destination or a credential, and
// *memories.ConflictError.
func (e *Engine) Move(ctx context.Context, slug, id, etag string, to Destination) (Result, error) {
	if to.IsOtherAgent(slug) {
		return e.transferBetween(ctx, slug, ops.MemoryRef{ID: id, ETag: etag}, to, true)
	}
	return e.calls.transfer.Do(ctx, slug, ops.TransferOp{Ref: ops.MemoryRef{ID: id, ETag: etag}, To: to.Scope})
}

// Copy saves the content of a memory at the destination too, as a new memory without history, and
// returns that. It writes CLAUDE.md. It fails with memories.ErrNotFound, with memories.ErrChanged
// unless etag is current, empty or "*", and with *memories.NameTakenError. It fails with
// *memories.InvalidError for an impossible destination or a credential in team memory. It fails
// with *memories.ConflictError if the memory is deleted or unreadable, or a file cannot be written.
func (e *Engine) Copy(ctx context.Context, slug, id, etag string, to Destination) (Result, error) {
	if to.IsOtherAgent(slug) {
		return e.transferBetween(ctx, slug, ops.MemoryRef{ID: id, ETag: etag}, to, false)
	}
	result, err := e.calls.transfer.Do(ctx, slug, ops.TransferOp{Ref: ops.MemoryRef{ID: id, ETag: etag}, To: to.Scope, Copy: true})
	return e.withPhrasesOf(ctx, id, result, err)
}

// transferBetween moves or copies a memory between two agents, and returns the memory at the
// target. It saves it there; for a move, it then deletes the memory here. If a move is interrupted
// in between, both have the memory, and a repeated call finishes the move. If the deletion here is
// refused, it deletes a memory that this move created at the target, and returns the refusal.
func (e *Engine) transferBetween(ctx context.Context, slug string, ref ops.MemoryRef, to ops.Destination, move bool) (ops.Result, error) {
	offer, err := e.calls.offer.Do(ctx, slug, ops.OfferOp{Ref: ref})
	if err != nil {
		return ops.Result{}, err
	}
	if err := e.makeTeamDir(ctx, to); err != nil {
		return ops.Result{}, err
	}
	target, team, err := e.targetAgent(ctx, slug, to, move)
	if err != nil {
		return ops.Result{}, err
	}
	offer.Draft.Team = team
	accepted, err := e.calls.accept.Do(ctx, target, ops.AcceptOp{Offer: offer, MayExist: move})
	result, err := e.withPhrasesOf(ctx, ref.ID, accepted, err)
	if err != nil || !move {
		return result, err
	}
	deleted, err := e.Delete(ctx, slug, ref.ID, offer.ETag)
	if err != nil {
		if result.Created && ops.IsRefusal(err) {
			_, undo := e.Delete(ctx, target, result.Memory.ID, records.ETag(result.Memory))
			err = errors.Join(err, undo)
		}
		return ops.Result{}, err
	}
	if result.ClaudeMDProblem == "" {
		result.ClaudeMDProblem = deleted.ClaudeMDProblem
	}
	return result, nil
}

// CanShare reports whether a memory can be moved to all agents although no agent shares its memories
// yet: the directory is created then.
func (e *Engine) CanShare() bool { return e.options.Places.IsOwnTeamDir }

// makeTeamDir creates the default directory for all agents, if a memory is to be moved there and no
// present agent shares its memories. It fails with *memories.ConflictError if the directory had
// memories and is missing now, or cannot be created, and with the errors of a discovery.
func (e *Engine) makeTeamDir(ctx context.Context, to ops.Destination) error {
	places := e.options.Places
	if to.Scope != memories.SharedScope || to.Agent != "" || !places.IsOwnTeamDir {
		return nil
	}
	rows, err := e.store.Agents(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		switch {
		case row.SharesMemories() && row.Present:
			return nil
		case row.SharesMemories() && row.Dir == places.TeamDir && row.Counts.Total > 0:
			return &memories.ConflictError{Reason: "Directory " + row.Dir + " not found. Nothing was changed. Restore it and try again."}
		}
	}
	root, err := e.guard.MakeRoot(places.TeamDir)
	switch {
	case files.IsOwnership(err):
		return agenttx.OwnershipConflict(err)
	case err != nil:
		return &memories.ConflictError{Reason: "Directory " + places.TeamDir + " cannot be created: " + agenttx.FSCause(err).Error() + ". Nothing was changed. Check its permissions and try again."}
	}
	root.Close() //nolint:errcheck // nothing was written through it
	appeared, err := e.discoverer.Run(ctx)
	for _, slug := range appeared {
		e.queue.Add(slug, ".")
	}
	return err
}

// targetAgent returns the slug of the agent that the destination means, and whether the memory
// becomes team memory there. An empty to.Agent means the present agent, other than slug, that
// shares its memories. For SharedScope, the target must share its memories. For another scope, it
// must not; for a move, the agent slug must. Otherwise, and for an unknown target or scope, it
// fails with *memories.InvalidError; for an unknown slug, with memories.ErrNotFound.
func (e *Engine) targetAgent(ctx context.Context, slug string, to ops.Destination, move bool) (target string, team bool, err error) {
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
		case (to.Scope == memories.PrivateScope || to.Scope == memories.TeamScope) && !row.SharesMemories() && (!move || from.SharesMemories()):
			return row.Slug, to.Scope == memories.TeamScope, nil
		case to.Scope != memories.SharedScope && to.Scope != memories.PrivateScope && to.Scope != memories.TeamScope:
			return "", false, &memories.InvalidError{Field: "to", Reason: "must be private, team or shared"}
		}
		return "", false, &memories.InvalidError{Field: "agent", Reason: "is not a possible target from " + slug + ": one of the two must be the directory for all agents"}
	}
	if to.Agent != "" {
		return "", false, &memories.InvalidError{Field: "agent", Reason: "is unknown"}
	}
	return "", false, &memories.InvalidError{Field: "to", Reason: "is shared, but there is no directory for all agents: start Memoir with --team-dir"}
}
