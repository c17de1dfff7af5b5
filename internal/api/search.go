package api

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/memories"
	"memoir/internal/wire"
)

type searchInput struct {
	Q      string `query:"q" required:"true" minLength:"1" maxLength:"1000" doc:"All words, any letter case, each as a prefix."`
	Near   bool   `query:"near" doc:"true: if no memory has all words, return similar ones."`
	Type   string `query:"type" enum:"feedback,user,project,reference"`
	State  string `query:"state" enum:"active,needs_attention,missing,deleted" doc:"Default: all but deleted ones."`
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"50"`
	Cursor string `query:"cursor" doc:"The next_cursor of the previous page of the same search."`
}

// Resolve returns a 422 problem if q has invalid UTF-8 or a NUL character, else nil.
func (in *searchInput) Resolve(huma.Context) []error {
	return checkText("query.q", in.Q)
}

func (a *api) registerSearch() {
	register(a, get("/search", "search", "Search the memories of all agents, best first, then the facts of their MEMORY.md"), a.search)
}

func (a *api) search(ctx context.Context, in *searchInput) (*answer[wire.MemoryList], error) {
	page, err := a.store.Search(ctx, memories.Filter{Type: memories.Type(in.Type), State: memories.State(in.State), Query: in.Q, Near: in.Near}, memories.PageRequest{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	agents, err := a.store.AgentsUncounted(ctx)
	if err != nil {
		return nil, err
	}
	problems := map[string]string{}
	for _, agent := range agents {
		problems[agent.Slug] = agent.ClaudeMD.Problem
	}
	return ok(wire.MemoryListOf(page, func(agent string) string { return problems[agent] }, time.Now())), nil
}
