package sync

import (
	"context"
	"time"

	"memoir/internal/memories/memorymd"
	"memoir/internal/sync/indexfile"
	"memoir/internal/sync/ops"
	"memoir/internal/sync/publish"
)

// Preview compiles the agent's CLAUDE.md without writing it, as it would be without the memory of that id where one is
// given: one of its own, or of what all agents share. It fails with memories.ErrNotFound.
func (e *Engine) Preview(ctx context.Context, slug, without string) (publish.Preview, error) {
	return e.calls.preview.Read(ctx, slug, publish.PreviewOp{Without: without})
}

// PreviewDeletion says what the deletion of these memories of an agent would change. It fails with memories.ErrNotFound
// when one of them is not known.
func (e *Engine) PreviewDeletion(ctx context.Context, slug string, ids ...string) (publish.DeletionPreview, error) {
	return e.calls.previewDeletion.Read(ctx, slug, publish.PreviewDeletionOp{IDs: ids})
}

// PreviewAsOf compiles what Memoir would have put into the agent's CLAUDE.md at a moment, as far as the contents of that
// time are still kept: a memory that has been purged since is not in it. What stands outside of Memoir's markers is not
// Memoir's, and is as it is now. It fails with memories.ErrNotFound.
func (e *Engine) PreviewAsOf(ctx context.Context, slug string, at time.Time) (publish.Preview, error) {
	return e.calls.preview.Read(ctx, slug, publish.PreviewOp{AsOf: &at})
}

// PreviewEdits says how long the agent's CLAUDE.md is, and would be after each set of edits. It fails with memories.ErrNotFound.
func (e *Engine) PreviewEdits(ctx context.Context, slug string, sets [][]publish.Edit) (publish.ClaudeMDSizes, error) {
	return e.calls.previewEdits.Read(ctx, slug, publish.PreviewEditsOp{Sets: sets})
}

// Index returns an agent's index as it is on disk, and what is to be said about it. It fails with memories.ErrNotFound,
// and with *memories.ConflictError for one that cannot be read.
func (e *Engine) Index(ctx context.Context, slug string) (indexfile.View, error) {
	index, err := e.calls.index.Read(ctx, slug, indexfile.IndexOp{})
	index.Loaded = memorymd.Read(index.Raw)
	return index, err
}

// PreviewIndex says what RebuildIndex would write, while nothing has changed. It fails as Index does.
func (e *Engine) PreviewIndex(ctx context.Context, slug string) (indexfile.IndexChange, error) {
	return e.calls.previewIndex.Read(ctx, slug, indexfile.PreviewIndexOp{})
}

// PreviewPrunedIndex is PreviewIndex for an index that is to be brought under what an agent loads of it as well.
func (e *Engine) PreviewPrunedIndex(ctx context.Context, slug string) (indexfile.IndexChange, error) {
	return e.calls.previewIndex.Read(ctx, slug, indexfile.PreviewIndexOp{Prune: true})
}

// RebuildIndex brings an agent's index up to date with its memory files, and makes one where there is none. When it
// returns, that is on disk. match is the ETag of the change that the user saw; empty: whatever it is.
//
// It fails with memories.ErrNotFound, with memories.ErrChanged when the change would be another one, and with
// *memories.ConflictError when the index cannot be read or written. Then nothing has happened.
func (e *Engine) RebuildIndex(ctx context.Context, slug, match string) (indexfile.IndexChange, error) {
	return e.calls.rebuildIndex.Do(ctx, slug, ops.RebuildIndexOp{Match: match})
}
