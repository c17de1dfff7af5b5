package api

import (
	"context"
	"net/http"

	"memoir/internal/memories"
	engine "memoir/internal/sync"
)

func (a *api) registerTeam() {
	const memory = "/agents/{slug}/memories/{id}"
	refused := []int{http.StatusConflict, http.StatusPreconditionFailed}
	register(a, post(memory+"/move", "move-memory", "Move a memory to the team memory, to the directory for all agents, or back; returns the moved memory", refused...), ifMatch(a, a.moveMemory))
	register(a, a.alsoCreates(post(memory+"/copy", "copy-memory", "Copy a memory to the team memory, to another agent, or to the directory for all agents; returns the copy", refused...)), ifMatch(a, a.copyMemory))
}

type transferInput struct {
	MemoryWrite
	Body struct {
		To    string `json:"to" enum:"private,team,shared" doc:"Target. shared: the directory for all agents (--team-dir); the default one is created when it is missing. A text that looks like a credential is 422 in team memory."`
		Agent string `json:"agent,omitempty" doc:"Slug of the target agent, for a copy, and for a memory of the directory for all agents."`
	} `nameHint:"Transfer"`
}

func (in *transferInput) destination() engine.Destination {
	return engine.Destination{Scope: memories.Scope(in.Body.To), Agent: in.Body.Agent}
}

func (a *api) moveMemory(ctx context.Context, in *transferInput, match string) (*memoryAnswer, error) {
	return written(a.engine.Move(ctx, in.Slug, in.ID, match, in.destination()))
}

func (a *api) copyMemory(ctx context.Context, in *transferInput, match string) (*memoryAnswer, error) {
	return saved(a.engine.Copy(ctx, in.Slug, in.ID, match, in.destination()))
}
