package sync

import (
	"context"
	"errors"
	"fmt"

	"memoir/internal/postgres"
)

// Seen names a memory and what the user saw of it: its ETag, or nothing for whatever there is.
type Seen struct{ ID, Match string }

// atOnce is how many memories are dealt with in one hold of their agent. CLAUDE.md is written once for all of them, and
// whoever else works on the agent waits for no more than these.
const atOnce = 50

// A verb is a change that needs no more than a memory.
type verb string

const (
	verbDelete  verb = "delete"
	verbPurge   verb = "purge"
	verbRestore verb = "restore"
	verbVerify  verb = "verify"
)

func (e *Engine) changeHere(ctx context.Context, slug string, op changeOp) (Result, error) {
	switch op.Verb {
	case verbDelete:
		return e.deleteHere(ctx, slug, op.Seen)
	case verbPurge:
		return e.purgeHere(ctx, slug, op.Seen)
	case verbRestore:
		return e.restoreHere(ctx, slug, op.Seen)
	case verbVerify:
		return e.verifyHere(ctx, slug, op.Seen)
	}
	return Result{}, fmt.Errorf("unknown change %q", op.Verb)
}

// DeleteMany deletes each memory as Delete does. It returns one error for each, in their order, nil where the memory is
// deleted: what fails does not stop the others. Of one that fails with memories.ErrInterrupted nobody knows. When it returns,
// CLAUDE.md on disk has none of the deleted ones.
func (e *Engine) DeleteMany(ctx context.Context, slug string, all []Seen) []error {
	return e.many(ctx, slug, bulkOp{verbDelete, all})
}

// PurgeMany removes each memory with its history as Purge does, and answers as DeleteMany.
func (e *Engine) PurgeMany(ctx context.Context, slug string, all []Seen) []error {
	return e.many(ctx, slug, bulkOp{verbPurge, all})
}

// RestoreMany brings each memory back as Restore does, and answers as DeleteMany.
func (e *Engine) RestoreMany(ctx context.Context, slug string, all []Seen) []error {
	return e.many(ctx, slug, bulkOp{verbRestore, all})
}

// VerifyMany says of each memory that it is still true as Verify does, and answers as DeleteMany.
func (e *Engine) VerifyMany(ctx context.Context, slug string, all []Seen) []error {
	return e.many(ctx, slug, bulkOp{verbVerify, all})
}

// many carries out an operation on many memories, and returns one error for each.
func (e *Engine) many(ctx context.Context, slug string, op bulkOp) []error {
	errs := make([]error, len(op.All))
	failures, err := callBulk.do(ctx, e, slug, op)
	for i, failed := range failures {
		errs[i] = failed.err()
	}
	if err != nil {
		failAll(errs, err)
	}
	for i := range errs {
		errs[i] = postgres.Interrupted(errs[i])
	}
	return errs
}

// bulkHere changes each memory, and then publishes. It returns one failure for each, nil if there is none.
func (e *Engine) bulkHere(ctx context.Context, slug string, op bulkOp) ([]*failure, error) {
	errs := make([]error, len(op.All))
	for i := 0; i < len(op.All); i += atOnce {
		part := op.All[i:min(i+atOnce, len(op.All))]
		err := e.withAgent(ctx, slug, func(h *hold) error {
			var changes []change
			for j, seen := range part {
				told, err := h.change(ctx, op.Verb, seen)
				changes, errs[i+j] = append(changes, told...), err
			}
			err := h.publish(ctx)
			h.tell(changes)
			return err
		})
		if i == 0 && errors.Is(err, errElsewhere) {
			return nil, err // nothing has been done, and all of it is for the other server to do
		}
		if err != nil {
			failAll(errs[i:i+len(part)], err)
		}
	}
	return failuresOf(errs), nil
}

// change changes a memory, but not CLAUDE.md, and returns the changes to tell.
func (h *hold) change(ctx context.Context, verb verb, seen Seen) ([]change, error) {
	switch verb {
	case verbDelete:
		return h.deleteSeen(ctx, seen)
	case verbPurge:
		if _, err := h.deleteSeen(ctx, seen); err != nil {
			return nil, err
		}
		return h.purge(ctx, seen.ID)
	case verbRestore:
		_, err := h.restoreSeen(ctx, seen)
		return nil, err
	case verbVerify:
		return h.verifySeen(ctx, seen)
	}
	return nil, fmt.Errorf("unknown change %q", verb)
}

// failAll makes what stands in the way of all the failure of each that has none of its own.
func failAll(errs []error, err error) {
	for i := range errs {
		if errs[i] == nil {
			errs[i] = err
		}
	}
}
