package sync

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"memoir/internal/memories"
	"memoir/internal/postgres"
)

// MemoryRef names a memory and what the user saw of it: its ETag, or nothing for whatever there is.
type MemoryRef struct {
	ID   string
	ETag string `json:"Match"`
}

// bulkSize is how many memories are dealt with in one hold of their agent. CLAUDE.md is written once for all of them, and
// whoever else works on the agent waits for no more than these.
const bulkSize = 50

// A verb is a change that needs no more than a memory.
type verb string

const (
	verbDelete  verb = "delete"
	verbPurge   verb = "purge"
	verbRestore verb = "restore"
	verbVerify  verb = "verify"
)

func (e *Engine) changeLocal(ctx context.Context, slug string, op changeOp) (Result, error) {
	switch op.Verb {
	case verbDelete:
		return e.deleteLocal(ctx, slug, op.Ref)
	case verbPurge:
		return e.purgeLocal(ctx, slug, op.Ref)
	case verbRestore:
		return e.restoreLocal(ctx, slug, op.Ref)
	case verbVerify:
		return e.verifyLocal(ctx, slug, op.Ref)
	}
	return Result{}, fmt.Errorf("unknown change %q", op.Verb)
}

// DeleteMany deletes each memory as Delete does. It returns one error for each, in their order, nil where the memory is
// deleted: what fails does not stop the others. Of one that fails with memories.ErrInterrupted nobody knows. When it returns,
// CLAUDE.md on disk has none of the deleted ones.
func (e *Engine) DeleteMany(ctx context.Context, slug string, all []MemoryRef) []error {
	return e.bulk(ctx, slug, bulkOp{verbDelete, all})
}

// PurgeMany removes each memory with its history as Purge does, and answers as DeleteMany.
func (e *Engine) PurgeMany(ctx context.Context, slug string, all []MemoryRef) []error {
	return e.bulk(ctx, slug, bulkOp{verbPurge, all})
}

// RestoreMany brings each memory back as Restore does, and answers as DeleteMany.
func (e *Engine) RestoreMany(ctx context.Context, slug string, all []MemoryRef) []error {
	return e.bulk(ctx, slug, bulkOp{verbRestore, all})
}

// VerifyMany says of each memory that it is still true as Verify does, and answers as DeleteMany.
func (e *Engine) VerifyMany(ctx context.Context, slug string, all []MemoryRef) []error {
	return e.bulk(ctx, slug, bulkOp{verbVerify, all})
}

// bulk carries out an operation on many memories, and returns one error for each.
func (e *Engine) bulk(ctx context.Context, slug string, op bulkOp) []error {
	errs := make([]error, len(op.Refs))
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

// bulkLocal changes each memory, and then publishes. It returns one failure for each, nil if there is none.
func (e *Engine) bulkLocal(ctx context.Context, slug string, op bulkOp) ([]*failure, error) {
	errs := make([]error, len(op.Refs))
	for i := 0; i < len(op.Refs); i += bulkSize {
		part := op.Refs[i:min(i+bulkSize, len(op.Refs))]
		err := e.withAgent(ctx, slug, func(h *hold) error {
			var changes []change
			for j, ref := range part {
				emitted, err := h.change(ctx, op.Verb, ref)
				changes, errs[i+j] = append(changes, emitted...), err
			}
			err := h.publish(ctx)
			h.emitChanges(changes)
			return err
		})
		if i == 0 && errors.Is(err, errNotHolder) {
			return nil, err // nothing has been done, and all of it is for the other server to do
		}
		if err != nil {
			failAll(errs[i:i+len(part)], err)
		}
	}
	return failuresOf(errs), nil
}

// change changes a memory, but not CLAUDE.md, and returns the changes to tell.
func (h *hold) change(ctx context.Context, verb verb, ref MemoryRef) ([]change, error) {
	switch verb {
	case verbDelete:
		return h.deleteRef(ctx, ref)
	case verbPurge:
		if _, err := h.deleteRef(ctx, ref); err != nil {
			return nil, err
		}
		return h.purge(ctx, ref.ID)
	case verbRestore:
		_, err := h.restoreRef(ctx, ref)
		return nil, err
	case verbVerify:
		return h.verifyRef(ctx, ref)
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

// ETag returns the strong entity tag of a memory, quotes included: over its content, name, scope and state.
func ETag(m memories.Memory) string {
	paths := ""
	if m.Team {
		paths = "\x00team"
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s\x00%x%s", m.ID, m.Name, m.State, m.Hash, m.Fingerprint, paths))
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}
