package api

import (
	"context"
	"net/http"

	"memoir/internal/problem"
)

func (a *api) registerRaw() {
	register(a, withMediaType(get("/agents/{slug}/memories/{id}/raw", "get-raw-memory", "Get the bytes of a memory's source file"),
		"application/octet-stream", "The file, frontmatter and all. 404 also where its bytes are not kept: it could not be read, or is too large."), a.getRaw)
}

func (a *api) getRaw(ctx context.Context, in *MemoryPath) (*document, error) {
	row, err := a.store.AgentUncounted(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	raw, err := a.store.Raw(ctx, row, in.ID)
	if err != nil {
		return nil, err
	}
	if raw == nil {
		return nil, problem.New(http.StatusNotFound, "The file's bytes are not kept here: it could not be read, or is too large for a memory. It was left where it is.")
	}
	return &document{"application/octet-stream", raw}, nil
}
