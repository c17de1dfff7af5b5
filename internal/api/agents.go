package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/memories"
	"memoir/internal/problem"
	"memoir/internal/wire"
)

// AgentPath contains the path parameter for an agent. It is exported because huma ignores embedded
// structs that are unexported.
type AgentPath struct {
	Slug string `path:"slug" doc:"The agent's slug."`
}

// Resolve returns a 404 problem if the slug has invalid UTF-8 or a NUL character. Postgres would
// refuse such a text.
func (p *AgentPath) Resolve(huma.Context) []error {
	if memories.CanBeText(p.Slug) {
		return nil
	}
	return []error{problem.Of(memories.ErrNotFound)}
}

func (a *api) registerAgents() {
	register(a, get("/agents", "list-agents", "List all agents, by slug"), a.listAgents)
	register(a, get("/agents/{slug}", "get-agent", "Get one agent"), a.getAgent)
	register(a, del("/agents/{slug}", "forget-agent", "Forget an agent whose directory is missing", http.StatusConflict), a.forgetAgent)
}

func (a *api) listAgents(ctx context.Context, _ *struct{}) (*answer[wire.AgentList], error) {
	rows, err := a.store.Agents(ctx)
	list := wire.AgentList{Agents: make([]wire.Agent, len(rows))}
	for i, row := range rows {
		list.Agents[i] = wire.AgentOf(row, a.options.ClaudeMDLimit)
	}
	return ok(list), err
}

func (a *api) getAgent(ctx context.Context, in *AgentPath) (*answer[wire.Agent], error) {
	row, err := a.store.Agent(ctx, in.Slug)
	return ok(wire.AgentOf(row, a.options.ClaudeMDLimit)), err
}

func (a *api) forgetAgent(ctx context.Context, in *AgentPath) (*answer[wire.Agent], error) {
	row, err := a.engine.Forget(ctx, in.Slug)
	return ok(wire.AgentOf(row, a.options.ClaudeMDLimit)), err
}
