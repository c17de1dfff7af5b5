package ops

import (
	"context"
	"errors"
	"fmt"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
)

// Destination is where a memory is moved or copied.
type Destination struct {
	Scope memories.Scope
	// Agent is the slug of another agent. For a move, that agent or the memory's own is shared. If
	// it is empty, the destination is the memory's own agent, or the shared agent if Scope is
	// SharedScope.
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

// Transfer moves or copies a memory between the private and the team memory of its agent, and
// writes CLAUDE.md. A moved memory keeps its id and history. It returns the moved memory or the
// copy; Result.ClaudeMDProblem is the reason if CLAUDE.md could not be written. Errors to test for:
// memories.ErrNotFound, memories.ErrChanged, *memories.NameTakenError, *memories.ConflictError, and
// *memories.InvalidError for a wrong scope, a shared agent or a credential.
func (s *Service) Transfer(ctx context.Context, slug string, op TransferOp) (Result, error) {
	return agenttx.Do(ctx, s.Agents, slug, func(tx *agenttx.Tx) (Result, error) {
		head, err := memoryRow(ctx, tx, op.Ref.ID, op.Ref.ETag)
		if err != nil {
			return Result{}, err
		}
		draft, err := patchedDraft(ctx, tx, head, memories.Patch{})
		if err != nil {
			return Result{}, err
		}
		if draft.Team, err = otherScope(tx, head, op.To); err != nil {
			return Result{}, err
		}
		if err := checkLetIn(head); err != nil {
			return Result{}, err
		}
		if op.Copy {
			return s.copyMemory(ctx, tx, head, draft)
		}
		return s.renameMemory(ctx, tx, head, draft, "")
	})
}

// otherScope reports whether to is team memory. It returns *memories.InvalidError if to is not
// private or team, or if the agent is the shared one. It returns a *memories.ConflictError if to is
// the memory's own scope.
func otherScope(tx *agenttx.Tx, head records.MemoryRow, to memories.Scope) (team bool, err error) {
	switch {
	case tx.Agent.Rules().IsShared:
		return false, &memories.InvalidError{Field: "agent", Reason: "is missing: all agents share the memories of " + tx.Agent.Slug + ", so name the target agent"}
	case to != memories.PrivateScope && to != memories.TeamScope:
		return false, &memories.InvalidError{Field: "to", Reason: "must be private or team"}
	case head.Scope() == to:
		return false, &memories.ConflictError{Reason: fmt.Sprintf("The memory is in %s memory already. Nothing was changed.", to)}
	}
	return to == memories.TeamScope, nil
}

// copyMemory saves the memory also under the draft's key, writes CLAUDE.md, and returns the copy,
// with Result.Created set. Result.ClaudeMDProblem is the reason if CLAUDE.md could not be written.
// It returns *memories.NameTakenError if a memory that is not deleted has that key.
func (s *Service) copyMemory(ctx context.Context, tx *agenttx.Tx, head records.MemoryRow, draft memories.Draft) (Result, error) {
	if err := tx.CanWrite(ctx); err != nil {
		return Result{}, err
	}
	if err := checkFreeKey(ctx, tx, draft); err != nil {
		return Result{}, err
	}
	raw, err := tx.Rows.CurrentRaw(ctx, head.UUID)
	if err != nil {
		return Result{}, err
	}
	newFile, err := newFileOf(ctx, tx, head, raw, draft)
	if err != nil {
		return Result{}, err
	}
	return s.addMemory(ctx, tx, draft, newFile, "")
}

// addMemory writes the first file of a memory, scans it, writes CLAUDE.md, and returns the memory,
// with Result.Created set. title is for MEMORY.md; empty means the name. It deletes a tombstone of
// the content. The caller has checked that each memory with the draft's key is deleted. It returns
// a *memories.ConflictError if the file exists or cannot be written.
func (s *Service) addMemory(ctx context.Context, tx *agenttx.Tx, draft memories.Draft, newFile memoryFile, title string) (Result, error) {
	err := writeAllowed(ctx, tx, draft.Key(), newFile.content, newFile.path, newFile.data, func() error {
		return tx.Disk.Write(tx.Root, newFile.path, newFile.data, files.Options{New: true, ModTime: newFile.modTime})
	})
	if err != nil {
		return Result{}, err
	}
	c := changes{title: title}
	if err := s.scan(ctx, tx, &c, saved(tx, newFile.path)); err != nil {
		return Result{}, err
	}
	result, err := s.publishWritten(ctx, tx, &c, draft.Key())
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
// memories.ErrNotFound for an unknown slug or memory, memories.ErrChanged if the ETag differs, and
// *memories.ConflictError for a deleted or unreadable memory.
func (s *Service) Offer(ctx context.Context, slug string, op OfferOp) (Offer, error) {
	return agenttx.Do(ctx, s.Agents, slug, func(tx *agenttx.Tx) (Offer, error) {
		head, err := memoryRow(ctx, tx, op.Ref.ID, op.Ref.ETag)
		if err != nil {
			return Offer{}, err
		}
		draft, err := patchedDraft(ctx, tx, head, memories.Patch{})
		if err != nil {
			return Offer{}, err
		}
		if err := checkLetIn(head); err != nil {
			return Offer{}, err
		}
		raw, err := tx.Rows.CurrentRaw(ctx, head.UUID)
		if format := tx.Agent.Rules().Format; format == frontmatter.Section || format == frontmatter.Block {
			raw = nil // no other layout reads it as the same memory
		}
		return Offer{Draft: draft, ETag: records.ETag(head.Memory), Raw: raw, ModTime: head.ModifiedAt}, err
	})
}

// AcceptOp configures Accept.
type AcceptOp struct {
	Offer    Offer
	MayExist bool // an earlier attempt may have saved the memory: return that one
}

// Accept saves the memory of another agent as a new one, and writes CLAUDE.md. If a memory with its
// name and scope exists and is not deleted, it returns *memories.NameTakenError. With op.MayExist
// it instead returns that memory if the content is equal; Result.Created is then false.
// Result.ClaudeMDProblem is the reason if CLAUDE.md could not be written. Other errors to test for:
// memories.ErrNotFound, *memories.InvalidError and *memories.ConflictError.
func (s *Service) Accept(ctx context.Context, slug string, op AcceptOp) (Result, error) {
	return agenttx.Do(ctx, s.Agents, slug, func(tx *agenttx.Tx) (Result, error) {
		draft := op.Offer.Draft
		if err := tx.CanWrite(ctx); err != nil {
			return Result{}, err
		}
		offered := records.MemoryRow{Memory: memories.Memory{Name: draft.Name, ModifiedAt: op.Offer.ModTime}}
		format, raw, title := tx.Agent.Rules().Format, op.Offer.Raw, ""
		if !format.CanCopy(raw) || tx.Agent.Rules().TakesNotes() {
			raw = nil
		}
		if format == frontmatter.Plain { // the path of the file is its name
			var err error
			if draft, _, title, err = inLayout(ctx, tx, draft); err != nil {
				return Result{}, err
			}
		}
		newFile, err := newFileOf(ctx, tx, offered, raw, draft)
		if err != nil {
			return Result{}, err
		}
		head, err := tx.Rows.RowOf(ctx, draft.Key())
		switch {
		case err != nil:
			return Result{}, err
		case head == nil || head.State == memories.Deleted:
			return s.addMemory(ctx, tx, draft, newFile, title)
		case op.MayExist && head.Fingerprint == newFile.content:
			state, err := s.publish(ctx, tx, &changes{})
			if err != nil {
				return Result{}, err
			}
			return readResult(ctx, tx, head.ID, state)
		}
		return Result{}, &memories.NameTakenError{Name: head.Name, ID: head.ID}
	})
}

// IsRefusal reports whether the state of memories or files did not allow an operation, so that a
// deletion changed nothing. It is true for *memories.ConflictError and memories.ErrNotFound,
// ErrChanged, ErrNoFile and ErrFileExists. After other errors, the outcome may be unknown.
func IsRefusal(err error) bool {
	var conflict *memories.ConflictError
	return errors.Is(err, memories.ErrNotFound) || errors.Is(err, memories.ErrChanged) || errors.As(err, &conflict) ||
		errors.Is(err, memories.ErrNoFile) || errors.Is(err, memories.ErrFileExists)
}
