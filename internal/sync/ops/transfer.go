package ops

import (
	"context"
	"errors"
	"fmt"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
)

// Destination is where a memory is moved or copied.
type Destination struct {
	Scope memories.Scope
	// Agent is the slug of another agent; that agent or the memory's own is shared. If it is empty,
	// the destination is the memory's own agent, or the shared agent if Scope is SharedScope.
	Agent string
}

// IsOtherAgent reports whether the destination is another agent than the one with the slug.
// SharedScope always counts as another agent.
func (p Destination) IsOtherAgent(slug string) bool {
	return p.Scope == memories.SharedScope || p.Agent != "" && p.Agent != slug
}

// TransferOp configures Transfer.
type TransferOp struct {
	Ref  MemoryRef `json:"Seen"`
	To   memories.Scope
	Copy bool // otherwise the memory is moved
}

// Transfer moves or copies a memory to the other scope of its agent. A moved memory keeps its id
// and history. It returns the moved memory or the copy. Errors to test for: those of Patch, and
// *memories.InvalidError for a wrong scope or a credential that would become team memory.
func (s *Service) Transfer(ctx context.Context, slug string, op TransferOp) (Result, error) {
	var result Result
	err := s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		head, err := memoryRow(ctx, tx, op.Ref.ID, op.Ref.ETag)
		if err != nil {
			return err
		}
		draft, err := patchedDraft(ctx, tx, head, memories.Patch{})
		if err != nil {
			return err
		}
		if draft.Team, err = otherScope(tx, head, op.To); err != nil {
			return err
		}
		if op.Copy {
			result, err = s.copyMemory(ctx, tx, head, draft)
		} else {
			result, err = s.renameMemory(ctx, tx, head, draft)
		}
		return err
	})
	return result, err
}

// otherScope reports whether to is team memory. It returns an error if to is not private or team,
// or is the memory's own scope, or if the agent is shared.
func otherScope(tx *agenttx.Tx, head records.MemoryRow, to memories.Scope) (team bool, err error) {
	switch {
	case tx.Agent.Layout == agents.Shared:
		return false, &memories.InvalidError{Field: "agent", Reason: "is missing: all that is in " + tx.Agent.Slug + " is shared by all agents, so it can be moved or copied to another agent alone"}
	case to != memories.PrivateScope && to != memories.TeamScope:
		return false, &memories.InvalidError{Field: "to", Reason: "is neither private nor team"}
	case head.Scope() == to:
		return false, &memories.ConflictError{Reason: fmt.Sprintf("The memory is in %s memory already. Nothing was changed.", to)}
	}
	return to == memories.TeamScope, nil
}

// copyMemory saves the memory also under the draft's key. It returns *memories.NameTakenError if a
// memory with that key lives.
func (s *Service) copyMemory(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, draft memories.Draft) (Result, error) {
	if err := tx.CanWrite(ctx); err != nil {
		return Result{}, err
	}
	if err := checkFreeKey(ctx, tx, draft); err != nil {
		return Result{}, err
	}
	newFile, err := fileUnderKey(ctx, tx, head, draft)
	if err != nil {
		return Result{}, err
	}
	return s.addMemory(ctx, tx, draft, newFile)
}

// addMemory writes the first file of a memory, scans it, and publishes. No memory with the draft's
// key may live. Result.Created is true.
func (s *Service) addMemory(ctx context.Context, tx *agenttx.Tx, draft memories.Draft, newFile memoryFile) (Result, error) {
	err := writeAllowed(ctx, tx, draft.Key(), newFile.fingerprint(), newFile.path, newFile.data, func() error {
		return tx.Disk.Write(tx.Root, newFile.path, newFile.data, files.Options{New: true, ModTime: newFile.modTime})
	})
	if err != nil {
		return Result{}, err
	}
	var c changes
	if err := s.scan(ctx, tx, &c, saved(tx, newFile.path)); err != nil {
		return Result{}, err
	}
	if err := rescanBlocked(ctx, s.Store, tx, draft.Key()); err != nil {
		return Result{}, err
	}
	state, err := s.publish(ctx, tx, &c)
	if err != nil {
		return Result{}, err
	}
	result, err := resultByKey(ctx, tx, draft.Key(), state)
	result.Created = true
	return result, err
}

// Offer is a memory that another agent may accept.
type Offer struct {
	Draft   memories.Draft
	ETag    string    // of the offered memory
	Raw     []byte    // bytes of its file; nil if they are not stored
	ModTime time.Time // modification time for the new file
}

// OfferOp configures Service.Offer.
type OfferOp struct {
	Ref MemoryRef `json:"Seen"`
}

// Offer returns a memory for another agent to accept. It changes nothing. Errors to test for:
// memories.ErrNotFound, memories.ErrChanged, and *memories.ConflictError for a memory that is
// deleted or unreadable.
func (s *Service) Offer(ctx context.Context, slug string, op OfferOp) (Offer, error) {
	var offer Offer
	err := s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		head, err := memoryRow(ctx, tx, op.Ref.ID, op.Ref.ETag)
		if err != nil {
			return err
		}
		offer.ETag, offer.ModTime = ETag(head.Memory), head.ModifiedAt
		if offer.Draft, err = patchedDraft(ctx, tx, head, memories.Patch{}); err != nil {
			return err
		}
		offer.Raw, err = tx.Rows.CurrentRaw(ctx, head.UUID)
		return err
	})
	return offer, err
}

// AcceptOp configures Accept.
type AcceptOp struct {
	Offer    Offer
	MayExist bool // an earlier attempt may have saved the memory; return that one
}

// Accept saves the memory of another agent as a new one. It returns *memories.NameTakenError if a
// memory of its name lives. With op.Again, it returns that memory instead if the content is equal.
// Other errors are those of Save.
func (s *Service) Accept(ctx context.Context, slug string, op AcceptOp) (Result, error) {
	var result Result
	err := s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		draft := op.Offer.Draft
		if err := tx.CanWrite(ctx); err != nil {
			return err
		}
		newFile, err := acceptedFile(ctx, tx, op.Offer)
		if err != nil {
			return err
		}
		head, err := tx.Rows.RowOf(ctx, draft.Key())
		switch {
		case err != nil:
			return err
		case head == nil || head.State == memories.Deleted:
			result, err = s.addMemory(ctx, tx, draft, newFile)
			return err
		case op.MayExist && head.Fingerprint == newFile.fingerprint():
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

// acceptedFile returns the file that an offered memory gets at this agent.
func acceptedFile(ctx context.Context, tx *agenttx.Tx, offer Offer) (memoryFile, error) {
	relPath, err := unrecordedTarget(ctx, tx, offer.Draft)
	if err != nil {
		return memoryFile{}, err
	}
	newFile := memoryFile{path: relPath, modTime: offer.ModTime}
	if offer.Raw != nil {
		newFile.data = withName(offer.Raw, records.MemoryRow{Memory: memories.Memory{Name: offer.Draft.Name, ModifiedAt: offer.ModTime}}, relPath)
	} else if newFile.data, err = encodeDraft(nil, offer.Draft); err != nil {
		return memoryFile{}, err
	}
	return newFile, checkTeamContent(tx, offer.Draft, relPath, newFile.data)
}

// IsRefusal reports whether err means that the state of memories or files did not allow an
// operation. Nothing was changed then. After other errors, the outcome may be unknown.
func IsRefusal(err error) bool {
	var conflict *memories.ConflictError
	return errors.Is(err, memories.ErrNotFound) || errors.Is(err, memories.ErrChanged) || errors.As(err, &conflict) ||
		errors.Is(err, memories.ErrNoFile) || errors.Is(err, memories.ErrFileExists)
}
