package sync

import (
	"context"
	"fmt"
	"path/filepath"

	"memoir/internal/agents"
	"memoir/internal/exchange"
	"memoir/internal/memories"
	"memoir/internal/sync/imports"
	"memoir/internal/sync/ops"
)

// MakeAgent creates the directory of a new agent in the agents directory, and finds the agent. It
// fails with *memories.InvalidError for a slug that is no name of a directory, and with
// *memories.ConflictError if there is no agents directory or it cannot be written.
func (e *Engine) MakeAgent(ctx context.Context, slug string) error {
	if !agents.IsSlug(slug) {
		return &memories.InvalidError{Field: "agent", Reason: "can have only letters, digits, dots, hyphens and underscores, and no dot at the beginning"}
	}
	parent := e.options.Places.AgentsDir
	if parent == "" {
		return &memories.ConflictError{Reason: fmt.Sprintf("Agent %s is unknown, and there is no directory for new agents. Name an existing agent.", slug)}
	}
	root, err := e.guard.MakeRoot(filepath.Join(parent, slug, "memory"))
	if err != nil {
		return &memories.ConflictError{Reason: fmt.Sprintf("The directory of agent %s cannot be created (%v). Nothing was changed. Check the permissions of %s.", slug, err, parent)}
	}
	if err := root.Close(); err != nil {
		return err
	}
	_, err = e.Scan(ctx, slug)
	return err
}

// Seed adds memories with their contents and times: living ones with their files, deleted ones to
// the trash. It leaves out those whose names the agent has. It adds no entries to the journal. It
// fails with memories.ErrNotFound for an unknown agent, and *memories.ConflictError if the agent's
// directory cannot be written.
func (e *Engine) Seed(ctx context.Context, slug string, op SeedOp) (Seeded, error) {
	return e.calls.seed.Do(ctx, slug, op)
}

// AddHistory adds what the agent lacks of a history. Memories and files do not change.
func (e *Engine) AddHistory(ctx context.Context, slug string, op HistoryOp) error {
	_, err := e.calls.addHistory.Do(ctx, slug, op)
	return err
}

// AddDeletionConflict makes the review ask about a memory that one machine has deleted and the other
// one has changed. No file changes. It fails with memories.ErrNotFound for an unknown agent or memory,
// and memories.ErrChanged if the memory has been deleted or restored meanwhile.
func (e *Engine) AddDeletionConflict(ctx context.Context, slug string, op ConflictOp) error {
	_, err := e.calls.deletionConflict.Do(ctx, slug, op)
	return err
}

// RefuseDeletion keeps a memory that another machine has deleted: the next exchange gives it back to
// that machine. It fails with memories.ErrNotFound, with memories.ErrChanged unless etag is current,
// empty or "*" and the deletion waits for a decision, and with *memories.ConflictError if the memory
// is in the trash.
func (e *Engine) RefuseDeletion(ctx context.Context, slug, id, etag string) (Result, error) {
	return e.calls.change.Do(ctx, slug, ops.ChangeOp{Verb: ops.VerbRefuse, Ref: ops.MemoryRef{ID: id, ETag: etag}})
}

// Indexes returns the agent's MEMORY.md files, by their paths relative to the primary directory. It
// fails with memories.ErrNotFound for an unknown agent.
func (e *Engine) Indexes(ctx context.Context, slug string) ([]exchange.File, error) {
	return e.calls.indexes.Read(ctx, slug, imports.IndexesOp{})
}
