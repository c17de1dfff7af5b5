package sync

import (
	"context"
	"time"

	"memoir/internal/memories/memorymd"
	"memoir/internal/sync/indexfile"
	"memoir/internal/sync/ops"
	"memoir/internal/sync/publish"
)

// Preview compiles the agent's CLAUDE.md without writing it. If without is not empty, it leaves out
// the memory with that ID, which may be one that another agent shares. It fails with
// memories.ErrNotFound for an unknown agent or memory.
func (e *Engine) Preview(ctx context.Context, slug, without string) (Preview, error) {
	return e.calls.preview.Read(ctx, slug, publish.PreviewOp{Without: without})
}

// PreviewAsOf compiles the agent's CLAUDE.md from the memories of a past moment. Memories that were
// purged since are missing. Text outside of Memoir's markers is the present text. It fails with
// memories.ErrNotFound.
func (e *Engine) PreviewAsOf(ctx context.Context, slug string, at time.Time) (Preview, error) {
	return e.calls.preview.Read(ctx, slug, publish.PreviewOp{AsOf: &at})
}

// PreviewEdits returns the length of the agent's CLAUDE.md now, after each set of edits alone, and
// after all sets together. It fails with memories.ErrNotFound.
func (e *Engine) PreviewEdits(ctx context.Context, slug string, sets [][]Edit) (ClaudeMDSizes, error) {
	return e.calls.previewEdits.Read(ctx, slug, publish.PreviewEditsOp{Sets: sets})
}

// PreviewDeletion returns the changes that the deletion of these memories of an agent would make.
// It fails with memories.ErrNotFound for an unknown agent or memory.
func (e *Engine) PreviewDeletion(ctx context.Context, slug string, ids ...string) (DeletionPreview, error) {
	return e.calls.previewDeletion.Read(ctx, slug, publish.PreviewDeletionOp{IDs: ids})
}

// Index returns the MEMORY.md of an agent's primary directory, with findings about it. It fails
// with memories.ErrNotFound for an unknown agent, and with *memories.ConflictError if the file
// cannot be read.
func (e *Engine) Index(ctx context.Context, slug string) (Index, error) {
	index, err := e.calls.index.Read(ctx, slug, indexfile.IndexOp{})
	index.Loaded = memorymd.Read(index.Raw)
	return index, err
}

// PreviewIndex returns the change that RebuildIndex would make, and writes nothing. A missing
// MEMORY.md is no error. It returns memories.ErrNotFound for an unknown agent, and
// *memories.ConflictError if MEMORY.md cannot be read.
func (e *Engine) PreviewIndex(ctx context.Context, slug string) (IndexChange, error) {
	return e.calls.previewIndex.Read(ctx, slug, indexfile.PreviewIndexOp{})
}

// PreviewPrunedIndex returns the change of the agent's MEMORY.md by a rebuild that also shortens
// the file until an agent loads all of it. It writes nothing, and fails like PreviewIndex.
func (e *Engine) PreviewPrunedIndex(ctx context.Context, slug string) (IndexChange, error) {
	return e.calls.previewIndex.Read(ctx, slug, indexfile.PreviewIndexOp{Prune: true})
}

// RebuildIndex updates the agent's MEMORY.md from its memory files, or creates it, and returns the
// change. If etag is not the IndexChange.ETag of the change, it fails with memories.ErrChanged. It
// fails with memories.ErrNotFound, and with *memories.ConflictError if the file cannot be read or
// written. Unless the disk has failed, nothing has changed then.
func (e *Engine) RebuildIndex(ctx context.Context, slug, etag string) (IndexChange, error) {
	return e.calls.rebuildIndex.Do(ctx, slug, ops.RebuildIndexOp{Match: etag})
}

// AdoptFact creates a memory from a fact in a MEMORY.md file, then replaces the fact with an entry
// for the memory. If it fails in between, the memory exists, and a repeated call does the rest.
// It fails with memories.ErrNotFound for an unknown agent or fact, *memories.InvalidError,
// *memories.NameTakenError, and *memories.ConflictError if the index has changed on disk or cannot
// be written.
func (e *Engine) AdoptFact(ctx context.Context, slug string, adoption Adoption) (Result, error) {
	return e.calls.adoptFact.Do(ctx, slug, adoption)
}
