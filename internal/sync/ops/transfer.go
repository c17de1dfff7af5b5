package ops

import (
	"context"
	"errors"
	"time"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
)

// isOtherAgent reports whether a place is with another agent than the memory's own.
func (p Destination) IsOtherAgent(slug string) bool {
	return p.Scope == memories.SharedScope || p.Agent != "" && p.Agent != slug
}

// isRefusal reports whether the error means that nothing was changed, because of the present state.
func IsRefusal(err error) bool {
	var conflict *memories.ConflictError
	return errors.Is(err, memories.ErrNotFound) || errors.Is(err, memories.ErrChanged) || errors.As(err, &conflict) ||
		errors.Is(err, agenttx.ErrNoFile) || errors.Is(err, agenttx.ErrFileExists)
}

// offer is a memory that another agent is to have.
type Offer struct {
	Draft   memories.Draft
	ETag    string
	Raw     []byte // of its file; nil: it is not known
	ModTime time.Time
}

func (s *Service) Offer(ctx context.Context, slug string, op OfferOp) (Offer, error) {
	var of Offer
	err := s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		head, err := memoryRow(ctx, tx, op.Ref.ID, op.Ref.ETag)
		if err != nil {
			return err
		}
		of.ETag, of.ModTime = ETag(head.Memory), head.ModifiedAt
		if of.Draft, err = patchedDraft(ctx, tx, head, memories.Patch{}); err != nil {
			return err
		}
		of.Raw, err = tx.DB.CurrentRaw(ctx, head.UUID)
		return err
	})
	return of, err
}

func (s *Service) Accept(ctx context.Context, slug string, op AcceptOp) (Result, error) {
	var result Result
	err := s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		draft := op.Offer.Draft
		if err := tx.CanWrite(ctx); err != nil {
			return err
		}
		next, err := acceptedFile(ctx, tx, op.Offer)
		if err != nil {
			return err
		}
		head, err := tx.DB.HeadOf(ctx, draft.Key())
		switch {
		case err != nil:
			return err
		case head == nil || head.State == memories.Deleted:
			result, err = s.addMemory(ctx, tx, draft, next)
			return err
		case op.Again && head.Fingerprint == next.fingerprint():
			state, err := s.publish(ctx, tx, &changes{})
			if err != nil {
				return err
			}
			result, err = readResult(ctx, tx, head.ID, state)
			return err
		}
		return &memories.NameTakenError{Name: head.Name, ID: head.ID}
	})
	return result, err
}

// acceptedFile returns the file that a memory of another agent gets here.
func acceptedFile(ctx context.Context, tx *agenttx.Tx, of Offer) (memoryFile, error) {
	place, err := unrecordedTarget(ctx, tx, of.Draft)
	if err != nil {
		return memoryFile{}, err
	}
	next := memoryFile{path: place, modTime: of.ModTime}
	if of.Raw != nil {
		next.data = withName(of.Raw, records.MemoryRow{Memory: memories.Memory{Name: of.Draft.Name, ModifiedAt: of.ModTime}}, place)
	} else if next.data, err = encodeDraft(nil, of.Draft); err != nil {
		return memoryFile{}, err
	}
	return next, checkTeamContent(tx, of.Draft, place, next.data)
}

// ownScope puts a draft where all of an agent's memory is that has only one scope.
func ownScope(tx *agenttx.Tx, draft memories.Draft) memories.Draft {
	draft.Team = draft.Team || tx.Agent.Layout == agents.Shared
	return draft
}

type OfferOp struct {
	Ref MemoryRef `json:"Seen"`
}

type AcceptOp struct {
	Offer Offer
	Again bool // the agent may have it already, because the other one gives it away
}
