package sync

import (
	"context"
	"errors"
	"time"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/records"
)

// isElsewhere says whether a place is with another agent than the memory's own.
func (p Place) isElsewhere(slug string) bool {
	return p.Scope == memories.SharedScope || p.Agent != "" && p.Agent != slug
}

// handOver moves or copies a memory between an agent and what all share. These are two agents, maybe on two servers, so that it takes two
// steps: it is saved there, and then deleted here. Whatever ends a move in between leaves the memory in both, saying the same; asked
// for again, it goes on. If it cannot be deleted here, because it has changed meanwhile, say, the other one goes again.
func (e *Engine) handOver(ctx context.Context, slug string, seen Seen, to Place, move bool) (Result, error) {
	taker, team, err := e.takerOf(ctx, slug, to)
	if err != nil {
		return Result{}, err
	}
	offered, err := callOffer.do(ctx, e, slug, offerOp{seen})
	if err != nil {
		return Result{}, err
	}
	offered.Draft.Team = team
	taken, err := callAccept.do(ctx, e, taker, acceptOp{offered, move})
	if err != nil || !move {
		return taken, err
	}
	seen.Match = offered.ETag
	deleted, err := e.Delete(ctx, slug, seen.ID, seen.Match)
	if err != nil {
		if taken.Created && refuses(err) {
			_, back := e.Delete(ctx, taker, taken.Memory.ID, ETag(taken.Memory))
			err = errors.Join(err, back)
		}
		return Result{}, err
	}
	if taken.ClaudeMDProblem == "" {
		taken.ClaudeMDProblem = deleted.ClaudeMDProblem
	}
	return taken, nil
}

// refuses reports whether the error means that nothing was changed, because of the present state.
func refuses(err error) bool {
	var conflict *memories.ConflictError
	return errors.Is(err, memories.ErrNotFound) || errors.Is(err, memories.ErrChanged) || errors.As(err, &conflict) ||
		errors.Is(err, ErrNoFile) || errors.Is(err, ErrFileExists)
}

// takerOf returns the agent that a memory is to go to, and whether it is team memory there.
func (e *Engine) takerOf(ctx context.Context, slug string, to Place) (taker string, team bool, err error) {
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

func (e *Engine) offerHere(ctx context.Context, slug string, op offerOp) (offer, error) {
	var of offer
	err := e.withAgent(ctx, slug, func(h *hold) error {
		head, err := h.head(ctx, op.Seen.ID, op.Seen.Match)
		if err != nil {
			return err
		}
		of.ETag, of.ModTime = ETag(head.Memory), head.ModifiedAt
		if of.Draft, err = h.patched(ctx, head, Patch{}); err != nil {
			return err
		}
		of.Raw, err = h.w.CurrentRaw(ctx, head.UUID)
		return err
	})
	return of, err
}

func (e *Engine) acceptHere(ctx context.Context, slug string, op acceptOp) (Result, error) {
	var result Result
	err := e.withAgent(ctx, slug, func(h *hold) error {
		draft := op.Offer.Draft
		if err := h.canWrite(ctx); err != nil {
			return err
		}
		next, err := h.takenOver(ctx, op.Offer)
		if err != nil {
			return err
		}
		head, err := h.w.HeadOf(ctx, draft.key())
		switch {
		case err != nil:
			return err
		case head == nil || head.State == memories.Deleted:
			result, err = h.add(ctx, draft, next)
			return err
		case op.Again && head.Fingerprint == next.fingerprint():
			if err := h.publish(ctx); err != nil {
				return err
			}
			result, err = h.result(ctx, head.ID)
			return err
		}
		return &memories.NameTakenError{Name: head.Name, ID: head.ID}
	})
	return result, err
}

// takenOver returns the file that a memory of another agent gets here.
func (h *hold) takenOver(ctx context.Context, of offer) (successor, error) {
	place, err := h.unknownTarget(ctx, of.Draft)
	if err != nil {
		return successor{}, err
	}
	next := successor{place: place, modTime: of.ModTime}
	if of.Raw != nil {
		next.data = named(of.Raw, records.MemoryRow{Memory: memories.Memory{Name: of.Draft.Name, ModifiedAt: of.ModTime}}, place)
	} else if next.data, err = written(nil, of.Draft); err != nil {
		return successor{}, err
	}
	return next, h.mayBeWritten(of.Draft, place, next.data)
}

// ownScope puts a draft where all of an agent's memory is that has only one scope.
func (h *hold) ownScope(draft Draft) Draft {
	draft.Team = draft.Team || h.onDisk.Layout == agents.Shared
	return draft
}
