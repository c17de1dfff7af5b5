package sync

import (
	"context"
	"errors"

	"memoir/internal/postgres"
)

// Seen names a memory and what the user saw of it: its ETag, or nothing for whatever there is.
type Seen struct{ ID, Match string }

// atOnce is how many memories are dealt with in one hold of their agent. CLAUDE.md is written once for all of them, and
// whoever else works on the agent waits for no more than these.
const atOnce = 50

// DeleteMany deletes each memory as Delete does. It returns one error for each, in their order, nil where the memory is
// deleted: what fails does not stop the others. Of one that fails with postgres.ErrInterrupted nobody knows. When it returns,
// CLAUDE.md on disk has none of the deleted ones.
func (e *Engine) DeleteMany(ctx context.Context, slug string, all []Seen) []error {
	return many(ctx, e, callDeleteMany, slug, all)
}

func (e *Engine) deleteManyHere(ctx context.Context, slug string, all []Seen) ([]*failure, error) {
	return e.many(ctx, slug, all, (*hold).deleteSeen)
}

// PurgeMany removes each memory with its history as Purge does, and answers as DeleteMany.
func (e *Engine) PurgeMany(ctx context.Context, slug string, all []Seen) []error {
	return many(ctx, e, callPurgeMany, slug, all)
}

func (e *Engine) purgeManyHere(ctx context.Context, slug string, all []Seen) ([]*failure, error) {
	return e.many(ctx, slug, all, func(h *hold, ctx context.Context, seen Seen) ([]change, error) {
		if _, err := h.deleteSeen(ctx, seen); err != nil {
			return nil, err
		}
		return h.purge(ctx, seen.ID)
	})
}

// RestoreMany brings each memory back as Restore does, and answers as DeleteMany.
func (e *Engine) RestoreMany(ctx context.Context, slug string, all []Seen) []error {
	return many(ctx, e, callRestoreMany, slug, all)
}

func (e *Engine) restoreManyHere(ctx context.Context, slug string, all []Seen) ([]*failure, error) {
	return e.many(ctx, slug, all, func(h *hold, ctx context.Context, seen Seen) ([]change, error) {
		_, err := h.restoreSeen(ctx, seen)
		return nil, err
	})
}

// VerifyMany says of each memory that it is still true as Verify does, and answers as DeleteMany.
func (e *Engine) VerifyMany(ctx context.Context, slug string, all []Seen) []error {
	return many(ctx, e, callVerifyMany, slug, all)
}

func (e *Engine) verifyManyHere(ctx context.Context, slug string, all []Seen) ([]*failure, error) {
	return e.many(ctx, slug, all, (*hold).verifySeen)
}

// many carries a call for many memories out, and returns one error for each.
func many(ctx context.Context, e *Engine, c call[[]Seen, []*failure], slug string, all []Seen) []error {
	errs := make([]error, len(all))
	failures, err := c.carryOut(ctx, e, slug, all)
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

// many does with each memory what act does, and then publishes. act returns what there is to tell of it.
func (e *Engine) many(ctx context.Context, slug string, all []Seen, act func(*hold, context.Context, Seen) ([]change, error)) ([]*failure, error) {
	errs := make([]error, len(all))
	for i := 0; i < len(all); i += atOnce {
		part := all[i:min(i+atOnce, len(all))]
		err := e.withAgent(ctx, slug, func(h *hold) error {
			var changes []change
			for j, seen := range part {
				told, err := act(h, ctx, seen)
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

// failAll makes what stands in the way of all the failure of each that has none of its own.
func failAll(errs []error, err error) {
	for i := range errs {
		if errs[i] == nil {
			errs[i] = err
		}
	}
}
