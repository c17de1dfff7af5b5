package ops

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"memoir/internal/memories"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/cluster"
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
	VerbDelete  verb = "delete"
	VerbPurge   verb = "purge"
	VerbRestore verb = "restore"
	VerbVerify  verb = "verify"
)

// Change applies a verb to a memory, and returns the memory when CLAUDE.md is written.
func (s *Service) Change(ctx context.Context, slug string, op ChangeOp) (Result, error) {
	if op.Verb == VerbPurge {
		return s.purge(ctx, slug, op.Ref)
	}
	var result Result
	err := s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		var c changes
		if err := s.change(ctx, tx, &c, op.Verb, op.Ref); err != nil {
			return err
		}
		state, err := s.publish(ctx, tx, &c)
		if err != nil {
			return err
		}
		result, err = readResult(ctx, tx, op.Ref.ID, state)
		if errors.Is(err, memories.ErrNotFound) && c.path != "" {
			// The restored file could not be read before. Now it can, and is the memory that it names.
			result, err = resultAt(ctx, tx, c.path, state)
		}
		return err
	})
	return result, err
}

// bulkLocal changes each memory, and then publishes. It returns one failure for each, nil if there is none.
func (s *Service) Bulk(ctx context.Context, slug string, op BulkOp) ([]*cluster.Failure, error) {
	errs := make([]error, len(op.Refs))
	for i := 0; i < len(op.Refs); i += bulkSize {
		part := op.Refs[i:min(i+bulkSize, len(op.Refs))]
		err := s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
			var c changes
			for j, ref := range part {
				errs[i+j] = s.change(ctx, tx, &c, op.Verb, ref)
			}
			_, err := s.publish(ctx, tx, &c)
			return err
		})
		if i == 0 && errors.Is(err, agenttx.ErrNotHolder) {
			return nil, err // nothing has been done, and all of it is for the other server to do
		}
		if err != nil {
			FailAll(errs[i:i+len(part)], err)
		}
	}
	return cluster.FailuresOf(errs), nil
}

// change changes a memory, but not CLAUDE.md, and returns the changes to tell.
func (s *Service) change(ctx context.Context, tx *agenttx.Tx, c *changes, verb verb, ref MemoryRef) error {
	switch verb {
	case VerbDelete:
		return deleteRef(ctx, tx, c, ref)
	case VerbPurge:
		if err := deleteRef(ctx, tx, c, ref); err != nil {
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

// failAll makes what stands in the way of all the failure of each that has none of its own.
func FailAll(errs []error, err error) {
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

type ChangeOp struct {
	Verb verb
	Ref  MemoryRef `json:"Seen"`
}

type BulkOp struct {
	Verb verb
	Refs []MemoryRef `json:"All"`
}
