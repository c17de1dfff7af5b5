package api

import (
	"context"
	"net/http"
	"time"

	"memoir/internal/findings/quarantine"
	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/problem"
	"memoir/internal/records"
)

// document is a response body that is not JSON.
type document struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

func markdown(text []byte) *document { return &document{"text/markdown; charset=utf-8", text} }

func (a *api) registerDocuments() {
	register(a, withMediaType(get("/agents/{slug}/claude-md", "get-claude-md", "Get the text that is compiled into CLAUDE.md"),
		"text/markdown", "The whole CLAUDE.md. With as_of, the memories of that time in today's handwritten parts."), a.getClaudeMD)
	register(a, withMediaType(get("/agents/{slug}/index", "get-index", "Get MEMORY.md as an agent loads it", http.StatusConflict),
		"text/markdown", "MEMORY.md, cut to 200 lines and 25,000 UTF-16 code units; empty without an index."), a.getIndex)
	register(a, withMediaType(get("/agents/{slug}/memories/{id}/raw", "get-raw-memory", "Get the bytes of a memory's source file"),
		"application/octet-stream", "The file with its frontmatter. 404 also if its bytes are not stored, because it is unreadable or too large."), ofAgent(a, a.getRaw))
}

type claudeMDInput struct {
	AgentPath
	AsOf
	Without string `query:"without" doc:"Id of a memory: returns the text as it would be after its deletion."`
}

func (a *api) getClaudeMD(ctx context.Context, in *claudeMDInput) (*document, error) {
	at, err := in.moment(time.Now())
	if err != nil {
		return nil, err
	}
	if at.IsZero() {
		preview, err := a.engine.Preview(ctx, in.Slug, in.Without)
		return markdown(preview.Text), err
	}
	if in.Without != "" {
		return nil, &memories.InvalidError{Field: "without", Reason: "cannot be combined with as_of"}
	}
	preview, err := a.engine.PreviewAsOf(ctx, in.Slug, at)
	return markdown(preview.Text), err
}

func (a *api) getIndex(ctx context.Context, in *AgentPath) (*document, error) {
	index, err := a.engine.IndexText(ctx, in.Slug)
	return markdown([]byte(memorymd.Load(index.Raw))), err
}

func (a *api) getRaw(ctx context.Context, row records.Agent, in *MemoryPath) (*document, error) {
	raw, err := a.store.Raw(ctx, row, in.ID)
	if err != nil {
		return nil, err
	}
	if raw == nil {
		return nil, problem.New(http.StatusNotFound, "The file's bytes are not stored: it is unreadable or too large. It is unchanged on disk.")
	}
	if !gate.CanWrite(ctx) {
		raw = []byte(quarantine.MaskSecrets(string(raw)))
	}
	return &document{"application/octet-stream", raw}, nil
}
