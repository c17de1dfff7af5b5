package sync

import (
	"context"
	"time"

	"memoir/internal/findings/quarantine"
	"memoir/internal/memories/memorymd"
	"memoir/internal/sync/indexfile"
	"memoir/internal/sync/ops"
	"memoir/internal/sync/publish"
)

// Preview compiles the agent's CLAUDE.md without writing it. If without is not empty, it leaves out
// the memory with that ID, which may be one that another agent shares. If the present file is
// unreadable or damaged, the error is nil and Preview.Problem is the reason. It fails with
// memories.ErrNotFound for an unknown agent or memory.
func (e *Engine) Preview(ctx context.Context, slug, without string) (Preview, error) {
	return e.calls.preview.Read(ctx, slug, publish.PreviewOp{Without: without})
}

// PreviewAsOf compiles the agent's CLAUDE.md from the memories of a past moment, without writing
// it. Memories that were purged since are missing. Text outside of Memoir's markers is the present
// text. Secrets are masked. If the present file is unreadable or damaged, the error is nil and
// Preview.Problem is the reason. It fails with memories.ErrNotFound for an unknown agent.
func (e *Engine) PreviewAsOf(ctx context.Context, slug string, at time.Time) (Preview, error) {
	preview, err := e.calls.preview.Read(ctx, slug, publish.PreviewOp{AsOf: &at})
	preview.Text = []byte(quarantine.MaskSecrets(string(preview.Text)))
	return preview, err
}

// PreviewEdits returns the lengths that the agent's CLAUDE.md has now, would have after each set of
// edits alone, and after all sets together. It changes nothing. An edit of an unknown memory counts
// as a new memory. It fails with memories.ErrNotFound for an unknown agent.
func (e *Engine) PreviewEdits(ctx context.Context, slug string, sets [][]Edit) (ClaudeMDSizes, error) {
	return e.calls.previewEdits.Read(ctx, slug, publish.PreviewEditsOp{Sets: sets})
}

// PreviewDeletion returns the changes that the deletion of these memories of an agent would make:
// memories, files, lines of MEMORY.md, and CLAUDE.md. It changes nothing. It leaves out memories
// that are in the trash. It fails with memories.ErrNotFound for an unknown agent or memory.
func (e *Engine) PreviewDeletion(ctx context.Context, slug string, ids ...string) (DeletionPreview, error) {
	return e.calls.previewDeletion.Read(ctx, slug, publish.PreviewDeletionOp{IDs: ids})
}

// Index returns the MEMORY.md of an agent's primary directory, with masked secrets, and findings
// about it. If the file
// is missing, Present is false and the error is nil. It fails with memories.ErrNotFound for an
// unknown agent, and with *memories.ConflictError if the file cannot be read.
func (e *Engine) Index(ctx context.Context, slug string) (Index, error) {
	return e.readIndex(ctx, slug, indexfile.IndexOp{})
}

// IndexText is Index without Findings and IsCurrent, which take long for thousands of memories.
func (e *Engine) IndexText(ctx context.Context, slug string) (Index, error) {
	return e.readIndex(ctx, slug, indexfile.IndexOp{TextOnly: true})
}

func (e *Engine) readIndex(ctx context.Context, slug string, op indexfile.IndexOp) (Index, error) {
	index, err := e.calls.index.Read(ctx, slug, op)
	if index.Present {
		index.Raw = []byte(quarantine.MaskSecrets(string(index.Raw)))
	}
	index.Loaded = memorymd.Read(index.Raw)
	return index, err
}

// PreviewIndex returns the change that RepairIndex would make, and writes nothing. If MEMORY.md is
// missing, the change creates it. It fails with memories.ErrNotFound for an unknown agent, and with
// *memories.ConflictError if MEMORY.md cannot be read.
func (e *Engine) PreviewIndex(ctx context.Context, slug string) (IndexChange, error) {
	return e.calls.previewIndex.Read(ctx, slug, indexfile.PreviewIndexOp{})
}

// RepairIndex brings the agent's MEMORY.md in step with its memory files, or creates it, and returns
// the change. It lists what is not listed, removes dead links, and shortens the file until an agent
// loads all of it. It writes nothing if the file needs no repair. It fails with memories.ErrChanged if etag is
// not the IndexChange.ETag of the change; an empty etag and "*" accept any. It fails with
// memories.ErrNotFound for an unknown agent, and with *memories.ConflictError if the file cannot be
// read or written.
func (e *Engine) RepairIndex(ctx context.Context, slug, etag string) (IndexChange, error) {
	return e.calls.repairIndex.Do(ctx, slug, ops.RepairIndexOp{Match: etag})
}

// AdoptFact creates a memory from a fact in a MEMORY.md file, then replaces the fact with an entry
// for the memory. It writes CLAUDE.md; if it cannot, Result.ClaudeMDProblem is set. It fails with
// memories.ErrNotFound for an unknown agent or fact, *memories.InvalidError,
// *memories.NameTakenError, and *memories.ConflictError if MEMORY.md has changed on disk or cannot
// be written. The memory may exist then; a repeated call does the rest.
func (e *Engine) AdoptFact(ctx context.Context, slug string, adoption Adoption) (Result, error) {
	return e.calls.adoptFact.Do(ctx, slug, adoption)
}

// Targets returns the files besides CLAUDE.md into which the agent can be published, and their
// state. It fails with memories.ErrNotFound.
func (e *Engine) Targets(ctx context.Context, slug string) (Targets, error) {
	return e.calls.listTargets.Read(ctx, slug, publish.ListTargetsOp{})
}

// SetTargets publishes the agent into these targets, by their names in agents.Targets, and removes
// Memoir's text from all others. If a file cannot be written, Problem of its target is the reason,
// and the next scan tries again. SetTargets fails with memories.ErrNotFound, with
// *memories.InvalidError for an unknown name, and with *memories.ConflictError if the agent has no
// directory for targets, or another agent is published into it.
func (e *Engine) SetTargets(ctx context.Context, slug string, names []string) (Targets, error) {
	return e.calls.setTargets.Do(ctx, slug, publish.SetTargetsOp{Names: names})
}
