package sync

import (
	"context"
	"errors"
	"time"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/records"
)

// isOtherAgent reports whether a place is with another agent than the memory's own.
func (p Destination) isOtherAgent(slug string) bool {
	return p.Scope == memories.SharedScope || p.Agent != "" && p.Agent != slug
}

// transferBetween moves or copies a memory between an agent and what all share. These are two agents, maybe on two servers, so that it takes two
// steps: it is saved there, and then deleted here. Whatever ends a move in between leaves the memory in both, saying the same; asked
// for again, it goes on. If it cannot be deleted here, because it has changed meanwhile, say, the other one goes again.
func (e *Engine) transferBetween(ctx context.Context, slug string, ref MemoryRef, to Destination, move bool) (Result, error) {
	target, team, err := e.targetAgent(ctx, slug, to)
	if err != nil {
		return Result{}, err
	}
	offered, err := callOffer.do(ctx, e, slug, offerOp{ref})
	if err != nil {
		return Result{}, err
	}
	offered.Draft.Team = team
	taken, err := callAccept.do(ctx, e, target, acceptOp{offered, move})
	if err != nil || !move {
		return taken, err
	}
	ref.ETag = offered.ETag
	deleted, err := e.Delete(ctx, slug, ref.ID, ref.ETag)
	if err != nil {
		if taken.Created && isRefusal(err) {
			_, back := e.Delete(ctx, target, taken.Memory.ID, ETag(taken.Memory))
			err = errors.Join(err, back)
		}
		return Result{}, err
	}
	if taken.ClaudeMDProblem == "" {
		taken.ClaudeMDProblem = deleted.ClaudeMDProblem
	}
	return taken, nil
}

// isRefusal reports whether the error means that nothing was changed, because of the present state.
func isRefusal(err error) bool {
	var conflict *memories.ConflictError
	return errors.Is(err, memories.ErrNotFound) || errors.Is(err, memories.ErrChanged) || errors.As(err, &conflict) ||
		errors.Is(err, ErrNoFile) || errors.Is(err, ErrFileExists)
}

// targetAgent returns the agent that a memory is to go to, and whether it is team memory there.
func (e *Engine) targetAgent(ctx context.Context, slug string, to Destination) (target string, team bool, err error) {
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

// offer is a memory that another agent is to have.
type offer struct {
	Draft   Draft
	ETag    string
	Raw     []byte // of its file; nil: it is not known
	ModTime time.Time
}

func (e *Engine) offerLocal(ctx context.Context, slug string, op offerOp) (offer, error) {
	var offered offer
	err := e.withAgent(ctx, slug, func(h *hold) error {
		row, err := h.memoryRow(ctx, op.Ref.ID, op.Ref.ETag)
		if err != nil {
			return err
		}
		offered.ETag, offered.ModTime = ETag(row.Memory), row.ModifiedAt
		if offered.Draft, err = h.patchedDraft(ctx, row, Patch{}); err != nil {
			return err
		}
		offered.Raw, err = h.w.CurrentRaw(ctx, row.UUID)
		return err
	})
	return offered, err
}

func (e *Engine) acceptLocal(ctx context.Context, slug string, op acceptOp) (Result, error) {
	var result Result
	err := e.withAgent(ctx, slug, func(h *hold) error {
		draft := op.Offer.Draft
		if err := h.canWrite(ctx); err != nil {
			return err
		}
		next, err := h.acceptedFile(ctx, op.Offer)
		if err != nil {
			return err
		}
		row, err := h.w.HeadOf(ctx, draft.key())
		switch {
		case err != nil:
			return err
		case row == nil || row.State == memories.Deleted:
			result, err = h.add(ctx, draft, next)
			return err
		case op.Again && row.Fingerprint == next.fingerprint():
			if err := h.publish(ctx); err != nil {
				return err
			}
			result, err = h.result(ctx, row.ID)
			return err
		}
		return &memories.NameTakenError{Name: row.Name, ID: row.ID}
	})
	return result, err
}

// acceptedFile returns the file that a memory of another agent gets here.
func (h *hold) acceptedFile(ctx context.Context, offered offer) (memoryFile, error) {
	relPath, err := h.unrecordedTarget(ctx, offered.Draft)
	if err != nil {
		return memoryFile{}, err
	}
	next := memoryFile{path: relPath, modTime: offered.ModTime}
	if offered.Raw != nil {
		next.data = withName(offered.Raw, records.MemoryRow{Memory: memories.Memory{Name: offered.Draft.Name, ModifiedAt: offered.ModTime}}, relPath)
	} else if next.data, err = encodeDraft(nil, offered.Draft); err != nil {
		return memoryFile{}, err
	}
	return next, h.checkTeamContent(offered.Draft, relPath, next.data)
}

// ownScope puts a draft where all of an agent's memory is that has only one scope.
func (h *hold) ownScope(draft Draft) Draft {
	draft.Team = draft.Team || h.onDisk.Layout == agents.Shared
	return draft
}
