package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"memoir/internal/findings/quarantine"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/problem"
	engine "memoir/internal/sync"
	"memoir/internal/wire"
)

// IndexLint contains the problems of an agent's MEMORY.md, and its size against the limits of
// loading.
type IndexLint struct {
	Path      string         `json:"path" doc:"Path of the index relative to the agent's dir, even if it does not exist yet."`
	Present   bool           `json:"present" doc:"False if there is no index."`
	Lines     int            `json:"lines" doc:"Lines that count towards the limit: without frontmatter and block comments."`
	LinesSeen int            `json:"lines_seen" doc:"Number of these lines that an agent loads."`
	LineCap   int            `json:"line_cap"`
	Units     int            `json:"units" doc:"UTF-16 code units that count towards the limit."`
	UnitCap   int            `json:"unit_cap"`
	Warning   *string        `json:"warning" doc:"The text that the agent loads in place of the rest; null if nothing is cut."`
	Findings  []IndexFinding `json:"findings" nullable:"false" doc:"By line; findings without a line are last."`
}

// IndexFinding is one problem of an index.
type IndexFinding struct {
	Code    string  `json:"code" enum:"past_caps,near_caps,not_loaded,dead_link,unlisted,repeated_file,long_line"`
	Line    *int    `json:"line" doc:"Line number from 1; null for none."`
	File    *string `json:"file" doc:"The file in question, relative to the directory of the index."`
	Message string  `json:"message"`
}

// IndexRebuild is the result of a rebuild of MEMORY.md, or its preview.
type IndexRebuild struct {
	Path    string  `json:"path" doc:"Relative to the agent's dir."`
	Changed bool    `json:"changed" doc:"False if the index matches the memory files already."`
	Written bool    `json:"written" doc:"False if nothing was changed on disk."`
	Before  *string `json:"before" doc:"Null if there is no index yet."`
	After   string  `json:"after"`
	Diff    *string `json:"diff" doc:"Unified diff with three lines of context; null if nothing changes."`
	// Topics are further indexes to which entries move, because MEMORY.md would be too long.
	Topics []IndexTopic `json:"topics" nullable:"false" doc:"Indexes in subdirectories to which entries move, because MEMORY.md would be longer than an agent loads. MEMORY.md links to them."`
}

// IndexTopic is the change of a further index to which MEMORY.md links.
type IndexTopic struct {
	Path   string  `json:"path" doc:"Relative to the agent's dir."`
	Before *string `json:"before" doc:"Null if there is no such file yet."`
	After  string  `json:"after"`
	Diff   *string `json:"diff" doc:"Unified diff with three lines of context."`
}

func (a *api) registerIndex() {
	register(a, get("/agents/{slug}/index/lint", "lint-index", "List the problems of MEMORY.md by line", http.StatusConflict), a.lintIndex)
	register(a, post("/agents/{slug}/index", "rebuild-index", "Update MEMORY.md to match the memory files",
		http.StatusConflict, http.StatusPreconditionFailed), a.rebuildIndex)
	register(a, a.alsoCreates(post("/agents/{slug}/index/facts/{id}/adopt", "adopt-fact", "Move a fact of MEMORY.md into a memory", http.StatusConflict)), a.adoptFact)
}

func (a *api) lintIndex(ctx context.Context, in *AgentPath) (*answer[IndexLint], error) {
	index, err := a.engine.Index(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	lint := IndexLint{
		Path: index.Path, Present: index.Present, Lines: index.Loaded.LineCount, LinesSeen: index.Loaded.Seen(),
		LineCap: memorymd.IndexLineCap, Units: index.Loaded.Units, UnitCap: memorymd.IndexUnitCap,
		Warning: wire.Text(index.Loaded.Warning), Findings: make([]IndexFinding, len(index.Findings)),
	}
	for i, f := range index.Findings {
		lint.Findings[i] = IndexFinding{Code: string(f.Code), Line: wire.Count(f.Line), File: wire.Text(f.File), Message: f.Message}
	}
	return ok(lint), nil
}

type rebuildIndexInput struct {
	AgentPath
	DryRun  bool   `query:"dry_run" doc:"Returns the new text without writing it."`
	IfMatch string `header:"If-Match" doc:"The ETag of a dry run; 412 if the result would be different now."`
}

type indexRebuildAnswer struct {
	ETag string `header:"ETag" doc:"Strong; covers the text before and after."`
	Body IndexRebuild
}

func (a *api) rebuildIndex(ctx context.Context, in *rebuildIndexInput) (*indexRebuildAnswer, error) {
	var change engine.IndexChange
	var err error
	if in.DryRun {
		change, err = a.engine.PreviewIndex(ctx, in.Slug)
	} else {
		change, err = a.engine.RepairIndex(ctx, in.Slug, strings.TrimSpace(in.IfMatch))
	}
	if errors.Is(err, memories.ErrChanged) {
		return nil, problem.New(http.StatusPreconditionFailed, "MEMORY.md or the memory files have changed since the dry run. Nothing was changed. Make another dry run.")
	}
	if err != nil {
		return nil, err
	}
	whole := indexTopicOf(change)
	rebuild := IndexRebuild{
		Path: change.Path, Changed: !change.IsEmpty(), Before: whole.Before, After: whole.After, Diff: whole.Diff,
		Topics: wire.List(change.Topics, indexTopicOf),
	}
	rebuild.Written = rebuild.Changed && !in.DryRun
	return &indexRebuildAnswer{change.ETag(), rebuild}, nil
}

func indexTopicOf(change engine.IndexChange) IndexTopic {
	change.After = []byte(quarantine.MaskSecrets(string(change.After)))
	if change.Before != nil {
		change.Before = []byte(quarantine.MaskSecrets(string(change.Before)))
	}
	topic := IndexTopic{Path: change.Path, After: validText(change.After), Diff: unifiedDiff(change.Path, change.Before, change.After)}
	if change.Before != nil {
		before := validText(change.Before)
		topic.Before = &before
	}
	return topic
}

type adoptFactInput struct {
	AgentPath
	ID   string `path:"id" doc:"The fact's id, from a search or a recall."`
	Body struct {
		Type        string  `json:"type" required:"false" enum:"feedback,user,project,reference" doc:"Default: project."`
		Name        *string `json:"name" required:"false" doc:"Default: the first words of the fact."`
		Description *string `json:"description" required:"false" doc:"Default: the first line of the fact."`
	} `nameHint:"AdoptFact"`
}

func (a *api) adoptFact(ctx context.Context, in *adoptFactInput) (*memoryAnswer, error) {
	adoption := engine.Adoption{Fact: in.ID, Type: memories.Type(in.Body.Type), Name: in.Body.Name, Description: in.Body.Description}
	if adoption.Type == "" {
		adoption.Type = memories.Project
	}
	return saved(a.engine.AdoptFact(ctx, in.Slug, adoption))
}
