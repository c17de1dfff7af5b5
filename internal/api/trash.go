package api

import (
	"context"
	"net/http"
)

func (a *api) registerTrash() {
	register(a, post("/agents/{slug}/memories/{id}/restore", "restore-memory", "Restore a memory from the trash, or write back a missing one",
		http.StatusConflict, http.StatusPreconditionFailed), a.restoreMemory)
}

type restoreMemoryInput struct {
	MemoryPath
	Precondition
}

func (a *api) restoreMemory(ctx context.Context, in *restoreMemoryInput) (*memoryAnswer, error) {
	match, err := a.match(ctx, in.MemoryPath, in.Precondition)
	if err != nil {
		return nil, err
	}
	return written(a.engine.Restore(ctx, in.Slug, in.ID, match))
}
