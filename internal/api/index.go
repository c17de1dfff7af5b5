package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/problem"
	"memoir/internal/sync"
)

// IndexLint is how an agent's MEMORY.md stands, held against what an agent loads of it and against its memory files.
type IndexLint struct {
	Path      string         `json:"path" doc:"Relative to the agent's dir: where the index is, or would be."`
	Present   bool           `json:"present" doc:"False: there is no index."`
	Lines     int            `json:"lines" doc:"That count against the cap: without frontmatter and block comments."`
	LinesSeen int            `json:"lines_seen" doc:"Of them, how many an agent sees."`
	LineCap   int            `json:"line_cap"`
	Units     int            `json:"units" doc:"UTF-16 code units that count against the cap."`
	UnitCap   int            `json:"unit_cap"`
	Warning   *string        `json:"warning" doc:"What the agent reads in place of what was cut; null: nothing was."`
	Findings  []IndexFinding `json:"findings" nullable:"false" doc:"By line; at the end what is about no line."`
}

// IndexFinding is something about an index that a person should know.
type IndexFinding struct {
	Code    string  `json:"code" enum:"past_caps,near_caps,dead_link,unlisted,repeated_file,long_line"`
	Line    *int    `json:"line" doc:"In the file, from 1; null: it is about no line."`
	File    *string `json:"file" doc:"The file that it is about, relative to the directory of the index."`
	Message string  `json:"message"`
}

// IndexRebuild is what a rebuild makes of a MEMORY.md.
type IndexRebuild struct {
	Path    string  `json:"path" doc:"Relative to the agent's dir."`
	Changed bool    `json:"changed" doc:"False: it is in step with the memory files already."`
	Written bool    `json:"written" doc:"False: nothing has been changed on disk."`
	Before  *string `json:"before" doc:"Null: there is no index yet."`
	After   string  `json:"after"`
	Diff    *string `json:"diff" doc:"Unified, with three lines of context; null when nothing changes."`
}

func (a *api) registerIndex() {
	register(a, get("/agents/{slug}/index/lint", "lint-index", "List the problems of MEMORY.md by line", http.StatusConflict), a.lintIndex)
	a.registerFacts()
	register(a, post("/agents/{slug}/index", "rebuild-index", "Update MEMORY.md to match the memory files",
		http.StatusConflict, http.StatusPreconditionFailed), a.rebuildIndex)
}

func (a *api) lintIndex(ctx context.Context, in *AgentPath) (*answer[IndexLint], error) {
	index, err := a.engine.Index(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	lint := IndexLint{
		Path: index.Path, Present: index.Present, Lines: index.Loaded.LineCount, LinesSeen: index.Loaded.Seen(),
		LineCap: memorymd.IndexLineCap, Units: index.Loaded.Units, UnitCap: memorymd.IndexUnitCap,
		Warning: text(index.Loaded.Warning), Findings: make([]IndexFinding, len(index.Findings)),
	}
	for i, f := range index.Findings {
		lint.Findings[i] = IndexFinding{Code: string(f.Code), Line: count(f.Line), File: text(f.File), Message: f.Message}
	}
	return ok(lint), nil
}

// count is null for none.
func count(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

type rebuildIndexInput struct {
	AgentPath
	DryRun  bool   `query:"dry_run" doc:"Answers what would be written, and writes nothing."`
	IfMatch string `header:"If-Match" doc:"The ETag of a dry run; 412 when anything else would be written by now."`
}

type indexRebuildAnswer struct {
	ETag string `header:"ETag" doc:"Strong, over what the rebuild starts from and what it leads to."`
	Body IndexRebuild
}

func (a *api) rebuildIndex(ctx context.Context, in *rebuildIndexInput) (*indexRebuildAnswer, error) {
	var change sync.IndexChange
	var err error
	if in.DryRun {
		change, err = a.engine.PreviewIndex(ctx, in.Slug)
	} else {
		change, err = a.engine.RebuildIndex(ctx, in.Slug, strings.TrimSpace(in.IfMatch))
	}
	if errors.Is(err, memories.ErrChanged) {
		return nil, problem.New(http.StatusPreconditionFailed, "MEMORY.md or the memory files have changed since the dry run. Nothing was changed. Look at what would be written now, and decide anew.")
	}
	if err != nil {
		return nil, err
	}
	rebuild := IndexRebuild{Path: change.Path, After: validText(change.After), Diff: unified(change.Path, change.Before, change.After)}
	rebuild.Changed = rebuild.Diff != nil
	rebuild.Written = rebuild.Changed && !in.DryRun
	if change.Before != nil {
		before := validText(change.Before)
		rebuild.Before = &before
	}
	return &indexRebuildAnswer{change.ETag(), rebuild}, nil
}
