package api

import (
	"context"

	"memoir/internal/memories/claudemd"
	engine "memoir/internal/sync"
	"memoir/internal/wire"
)

// Deletion is the preview of a deletion: the changes that it would make.
type Deletion struct {
	Memories []DeletedMemory  `json:"memories" nullable:"false" doc:"The memories that move to the trash, by name. Those in the trash already are not included, nor those that a note asks a client to forget."`
	Files    []wire.File      `json:"files" nullable:"false" doc:"The files that are removed. The trash keeps them."`
	Indexes  []IndexChange    `json:"indexes" nullable:"false" doc:"The MEMORY.md files that lose lines."`
	ClaudeMD ClaudeMDDeletion `json:"claude_md"`
}

// DeletedMemory is one memory that a deletion would move to the trash.
type DeletedMemory struct {
	ID   string `json:"id" format:"uuid"`
	Name string `json:"name"`
}

// IndexChange lists the lines that a deletion would remove from one MEMORY.md.
type IndexChange struct {
	Path  string   `json:"path" doc:"Relative to the agent's dir."`
	Lines []string `json:"lines" nullable:"false" doc:"The lines that are removed, or lose a link."`
	Diff  *string  `json:"diff" doc:"Unified diff with three lines of context."`
}

// ClaudeMDDeletion is the change that a deletion would make to the compiled CLAUDE.md.
type ClaudeMDDeletion struct {
	CharsBefore  int     `json:"chars_before" doc:"Unicode characters of the whole file."`
	CharsAfter   int     `json:"chars_after"`
	TokensBefore int     `json:"tokens_before" doc:"Estimated: four characters per token."`
	TokensAfter  int     `json:"tokens_after"`
	Diff         *string `json:"diff" doc:"Unified diff with three lines of context; null if nothing changes."`
	Problem      *string `json:"problem" doc:"Why the file cannot be written; null if it can."`
}

func (a *api) registerDeletion() {
	register(a, get("/agents/{slug}/memories/{id}/deletion", "preview-deletion", "Preview the deletion of a memory"), a.previewDeletion)
	register(a, post("/agents/{slug}/memories:deletion", "preview-deletions", "Preview the deletion of several memories"), a.previewDeletions)
}

func (a *api) previewDeletion(ctx context.Context, in *MemoryPath) (*answer[Deletion], error) {
	change, err := a.engine.PreviewDeletion(ctx, in.Slug, in.ID)
	return ok(deletionOf(change)), err
}

// previewDeletionsInput takes the ids from the body, because hundreds of ids do not fit into a URL.
type previewDeletionsInput struct {
	AgentPath
	Body struct {
		Delete []string `json:"delete" nullable:"false" doc:"Ids of memories." maxItems:"500"`
	} `nameHint:"PreviewDeletions"`
}

func (a *api) previewDeletions(ctx context.Context, in *previewDeletionsInput) (*answer[Deletion], error) {
	change, err := a.engine.PreviewDeletion(ctx, in.Slug, in.Body.Delete...)
	return ok(deletionOf(change)), err
}

func deletionOf(change engine.DeletionPreview) Deletion {
	before, after := change.ClaudeMDBefore, change.ClaudeMDAfter
	deletion := Deletion{
		Memories: make([]DeletedMemory, len(change.Memories)),
		Files:    wire.List(change.Files, wire.FileOf), Indexes: make([]IndexChange, len(change.Indexes)),
		ClaudeMD: ClaudeMDDeletion{
			CharsBefore: before.Chars, CharsAfter: after.Chars,
			TokensBefore: claudemd.ApproximateTokens(before.Chars), TokensAfter: claudemd.ApproximateTokens(after.Chars),
			Diff: unifiedDiff("CLAUDE.md", before.Text, after.Text), Problem: wire.Text(after.Problem),
		},
	}
	for i, m := range change.Memories {
		deletion.Memories[i] = DeletedMemory{m.ID, m.Name}
	}
	for i, index := range change.Indexes {
		lines := make([]string, len(index.Gone))
		for j, gone := range index.Gone {
			lines[j] = gone.Text
		}
		deletion.Indexes[i] = IndexChange{Path: index.Path, Lines: lines, Diff: unifiedDiff(index.Path, index.Before, index.After)}
	}
	return deletion
}
