package api

import (
	"context"
	"net/http"

	"memoir/internal/memories"
	"memoir/internal/sync"
)

func (a *api) registerFacts() {
	register(a, a.alsoCreates(post("/agents/{slug}/index/facts/{id}/adopt", "adopt-fact", "Move a fact of MEMORY.md into a memory",
		http.StatusBadRequest, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)), a.adoptFact)
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
	adoption := sync.Adoption{Fact: in.ID, Type: memories.Type(in.Body.Type), Name: in.Body.Name, Description: in.Body.Description}
	if adoption.Type == "" {
		adoption.Type = memories.Project
	}
	return saved(a.engine.AdoptFact(ctx, in.Slug, adoption))
}
