package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"

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
)

// ChangeOp configures Change.
type ChangeOp struct {
	Verb verb
	Ref  MemoryRef `json:"Seen"`
}

// Change deletes, purges, restores or verifies one memory, and writes CLAUDE.md. It returns the
// memory as it is then; a purged one as it was in the trash. Errors to test for:
// memories.ErrNotFound, memories.ErrChanged for another ETag, and *memories.ConflictError.
func (s *Service) Change(ctx context.Context, slug string, op ChangeOp) (Result, error) {
	if op.Verb == VerbPurge {
		return s.purge(ctx, slug, op.Ref)
	}
	return agenttx.Do(ctx, s.Agents, slug, func(tx *agenttx.Tx) (Result, error) {
		var c changes
		if err := s.change(ctx, tx, &c, op.Verb, op.Ref); err != nil {
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
// memories. It returns a failure for each memory in the order of op.Refs, nil for a success. If
// CLAUDE.md or the commit fails, the memories of that batch get its error, although they may be
// changed. It returns an error only for memories.ErrNotHolder; nothing was changed then.
func (s *Service) Bulk(ctx context.Context, slug string, op BulkOp) ([]*problem.Failure, error) {
	errs := make([]error, len(op.Refs))
	for i := 0; i < len(op.Refs); i += bulkSize {
		batch := op.Refs[i:min(i+bulkSize, len(op.Refs))]
		err := s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
			var c changes
			for j, ref := range batch {
				errs[i+j] = s.change(ctx, tx, &c, op.Verb, ref)
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

// change deletes, purges, restores or verifies a memory. It adds the effects to c; the caller must
// pass c to publish. After an error c may have effects too. If the caller does not publish them,
// the next scan does.
func (s *Service) change(ctx context.Context, tx *agenttx.Tx, c *changes, verb verb, ref MemoryRef) error {
	switch verb {
	case VerbDelete:
		return s.deleteRef(ctx, tx, c, ref)
	case VerbPurge:
		if err := s.deleteRef(ctx, tx, c, ref); err != nil {
			return err
		}
		return purgeMemory(ctx, tx, c, ref.ID)
	case VerbRestore:
		return s.restoreRef(ctx, tx, c, ref)
	case VerbVerify:
		return s.verify(ctx, tx, c, ref)
	}
	return fmt.Errorf("unknown change %q", verb)
}
