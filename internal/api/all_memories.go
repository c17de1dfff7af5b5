package api

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/wire"
)

// allMemoriesInput are the filters for the memories of all agents.
type allMemoriesInput struct {
	Layout    string          `query:"layout" enum:"hive,claude,directory,shared,qwen,gemini,codex,openclaw,memory-bank,letta" doc:"Only agents of this layout."`
	Agent     string          `query:"agent" doc:"Only the agent with this slug."`
	Q         string          `query:"q" maxLength:"1000" doc:"Search: all words, any letter case, each as a prefix."`
	Near      bool            `query:"near" doc:"true: if no memory has all words of q, return similar ones."`
	Name      string          `query:"name" doc:"The exact name."`
	Type      string          `query:"type" enum:"feedback,user,project,reference"`
	State     string          `query:"state" enum:"active,needs_attention,missing,deleted" doc:"Default: all but deleted ones."`
	Stale     bool            `query:"stale" doc:"true: only stale ones, two days old or more."`
	Unchecked bool            `query:"unchecked" doc:"true: only those without a change or confirmation for long, as for the list of one agent."`
	Sort      string          `query:"sort" enum:"name,updated,age,modified" doc:"As for the list of one agent."`
	Since     memories.Moment `query:"updated_since" doc:"RFC 3339: only those updated at that time or later."`
	memories.PageRequest
}

func (in *allMemoriesInput) filter() memories.Filter {
	return memories.Filter{
		Query: in.Q, Near: in.Near, Name: in.Name, Type: memories.Type(in.Type), State: memories.State(in.State),
		Stale: in.Stale, Unchecked: in.Unchecked, Sort: memories.Sort(in.Sort), UpdatedSince: in.Since,
	}
}

// Resolve returns a 422 problem for a text that Postgres cannot store, or a malformed time.
func (in *allMemoriesInput) Resolve(huma.Context) []error {
	for name, text := range map[string]string{"query.q": in.Q, "query.name": in.Name, "query.agent": in.Agent} {
		if errs := checkText(name, text); errs != nil {
			return errs
		}
	}
	return checkFilter(in.filter())
}

func (a *api) registerAllMemories() {
	register(a, get("/memories", "list-all-memories", "List the memories of all agents, or of those with a layout or a slug"), a.listAllMemories)
}

func (a *api) listAllMemories(ctx context.Context, in *allMemoriesInput) (*answer[wire.MemoryList], error) {
	all, err := a.store.AgentsUncounted(ctx)
	if err != nil {
		return nil, err
	}
	problems := map[string]string{}
	for _, agent := range all {
		problems[agent.Slug] = agent.ClaudeMD.Problem
	}
	page, err := a.store.MemoriesOf(ctx, records.AgentsOf(all, in.Layout, in.Agent), in.filter(), in.PageRequest)
	if err != nil {
		return nil, err
	}
	return ok(wire.MemoryListOf(page, func(agent string) string { return problems[agent] }, time.Now())), nil
}
