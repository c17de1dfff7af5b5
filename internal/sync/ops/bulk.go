package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"memoir/internal/memories"
	"memoir/internal/problem"
	"memoir/internal/sync/agenttx"
)

// verb is a change that needs no arguments but a memory.
type verb string

// The verbs of ChangeOp and BulkOp.
const (
	VerbDelete  verb = "delete"
	VerbPurge   verb = "purge"
	VerbRestore verb = "restore"
	VerbVerify  verb = "verify"
	VerbLetIn   verb = "let_in" // out of quarantine
	VerbHold    verb = "hold"   // back into quarantine
	VerbRemove  verb = "remove" // secrets, for good
	VerbRefuse  verb = "refuse" // another machine's deletion
)

// ChangeOp configures Change.
type ChangeOp struct {
	Verb     verb
	Ref      MemoryRef `json:"Seen"`
	Modified time.Time // for VerbVerify: the new modification time; zero means now
	Codes    []string  // for VerbLetIn and VerbHold: only these problems; empty means all
}

// Change deletes, purges, restores or verifies one memory, and writes CLAUDE.md. It returns the
// memory after the change, or, for a purge, as it was in the trash. Result.ClaudeMDProblem is the
// reason if CLAUDE.md could not be written. Errors to test for: memories.ErrNotFound for an unknown
// slug or id, memories.ErrChanged if the ETag differs, and *memories.ConflictError.
func (s *Service) Change(ctx context.Context, slug string, op ChangeOp) (Result, error) {
	if op.Verb == VerbPurge {
		return s.purge(ctx, slug, op.Ref)
	}
	return agenttx.Do(ctx, s.Agents, slug, func(tx *agenttx.Tx) (Result, error) {
		var c changes
		if err := s.change(ctx, tx, &c, op); err != nil {
			return Result{}, err
		}
		state, err := s.publish(ctx, tx, &c)
		if err != nil {
			return Result{}, err
		}
		result, err := readResult(ctx, tx, op.Ref.ID, state)
		if errors.Is(err, memories.ErrNotFound) && c.path != "" {
			// The restored file was unreadable, and its row had another id. Now the file is readable and
			// mirrors the memory that it names.
			return resultAt(ctx, tx, c.path, state)
		}
		return result, err
	})
}

// BulkOp configures Bulk.
type BulkOp struct {
	Verb verb
	Refs []MemoryRef `json:"All"`
}

// bulkSize is the number of memories that one agent transaction changes. CLAUDE.md is written once
// for all of them, and other work on the agent waits for them. Arbitrary.
const bulkSize = 50

// Bulk deletes, purges, restores or verifies each memory, and writes CLAUDE.md after every bulkSize
// memories. The result has one element per element of op.Refs; nil means success. A CLAUDE.md that
// cannot be written is not a failure. If an agent transaction fails, its memories without a failure
// get its error, although they may be changed. The error is nil unless the first transaction
// returns memories.ErrNotHolder. Nothing was changed then.
func (s *Service) Bulk(ctx context.Context, slug string, op BulkOp) ([]*problem.Failure, error) {
	errs := make([]error, len(op.Refs))
	for i := 0; i < len(op.Refs); i += bulkSize {
		batch := op.Refs[i:min(i+bulkSize, len(op.Refs))]
		err := s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
			var c changes
			for j, ref := range batch {
				errs[i+j] = s.change(ctx, tx, &c, ChangeOp{Verb: op.Verb, Ref: ref})
			}
			_, err := s.publish(ctx, tx, &c)
			return err
		})
		if i == 0 && errors.Is(err, memories.ErrNotHolder) {
			return nil, err // nothing was changed: the caller sends all of it to the holder
		}
		for j := range batch {
			errs[i+j] = cmp.Or(errs[i+j], err)
		}
	}
	failures := make([]*problem.Failure, len(errs))
	for i, err := range errs {
		failures[i] = problem.Encode(err)
	}
	return failures, nil
}

// change deletes, purges, restores or verifies a memory, and adds the effects to c, also if it
// fails. The caller passes c to publish; otherwise the next scan publishes the effects. It returns
// memories.ErrNotFound for an unknown id, and memories.ErrChanged if the ETag differs. It returns a
// *memories.ConflictError if the state of the memory or its files does not allow the change.
func (s *Service) change(ctx context.Context, tx *agenttx.Tx, c *changes, op ChangeOp) error {
	ref := op.Ref
	switch op.Verb {
	case VerbDelete:
		return s.deleteRef(ctx, tx, c, ref)
	case VerbPurge:
		if err := s.deleteRef(ctx, tx, c, ref); err != nil {
			return err
		}
		return purgeMemory(ctx, tx, c, ref.ID)
	case VerbRestore:
		return s.restoreRef(ctx, tx, c, ref)
	case VerbLetIn:
		return letIn(ctx, tx, c, ref, op.Codes)
	case VerbHold:
		return hold(ctx, tx, c, ref, op.Codes)
	case VerbVerify:
		return s.verify(ctx, tx, c, ref, op.Modified)
	case VerbRemove:
		return removeValue(ctx, s, tx, c, ref)
	case VerbRefuse:
		return refuseDeletion(ctx, tx, c, ref)
	}
	return fmt.Errorf("unknown change %q", op.Verb)
}
