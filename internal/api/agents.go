package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/claudesettings"
	"memoir/internal/memories"
	"memoir/internal/problem"
	"memoir/internal/records"
	"memoir/internal/wire"
)

// AgentPath contains the path parameter for an agent. It is exported because huma ignores embedded
// structs that are unexported.
type AgentPath struct {
	Slug string `path:"slug" doc:"The agent's slug."`
}

// Resolve returns a 404 problem if the slug has invalid UTF-8 or a NUL character, which Postgres
// would refuse. Otherwise it returns nil.
func (p *AgentPath) Resolve(huma.Context) []error {
	if memories.CanBeText(p.Slug) {
		return nil
	}
	return []error{problem.Of(memories.ErrNotFound)}
}

func (p *AgentPath) slug() string { return p.Slug }

// ofAgent returns a handler that calls handle with the agent that the path names. If the agent does
// not exist, the handler returns memories.ErrNotFound and does not call handle.
func ofAgent[I, O any, P interface {
	*I
	slug() string
}](a *api, handle func(context.Context, records.Agent, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	return func(ctx context.Context, in *I) (*O, error) {
		agent, err := a.store.AgentUncounted(ctx, P(in).slug())
		if err != nil {
			return nil, err
		}
		return handle(ctx, agent, in)
	}
}

func (a *api) registerAgents() {
	register(a, get("/agents", "list-agents", "List all agents, by slug"), a.listAgents)
	register(a, get("/agents/{slug}", "get-agent", "Get one agent"), a.getAgent)
	register(a, del("/agents/{slug}", "forget-agent", "Forget an agent whose directory is missing", http.StatusConflict), a.forgetAgent)
	register(a, get("/agents/{slug}/about", "get-agent-about", "Show where an agent's memory is, who can see it, and whether it is on"), a.getAbout)
	register(a, patch("/agents/{slug}", "patch-agent", "Switch an agent's memory off or on"), a.switchMemory)
}

func (a *api) listAgents(ctx context.Context, _ *struct{}) (*answer[wire.AgentList], error) {
	rows, err := a.store.Agents(ctx)
	return ok(wire.AgentList{Agents: wire.List(rows, a.agentOf)}), err
}

func (a *api) getAgent(ctx context.Context, in *AgentPath) (*answer[wire.Agent], error) {
	row, err := a.store.Agent(ctx, in.Slug)
	return ok(a.agentOf(row)), err
}

func (a *api) forgetAgent(ctx context.Context, in *AgentPath) (*answer[wire.Agent], error) {
	row, err := a.engine.Forget(ctx, in.Slug)
	return ok(a.agentOf(row)), err
}

func (a *api) agentOf(row records.Agent) wire.Agent {
	return wire.AgentOf(row, a.options.ClaudeMDLimit)
}

// AgentAbout describes an agent's memory switch, its scope, and the decisions of Claude Code.
type AgentAbout struct {
	Memory    string  `json:"memory" enum:"on,off" doc:"Memoir's own switch. off: CLAUDE.md does not ask the agent to save, and nothing is extracted or consolidated. Existing memories stay."`
	Scope     *string `json:"scope" doc:"Scope of a custom agent of Claude Code: user, project or local; null for other agents."`
	Project   *string `json:"project" doc:"The absolute path of the agent's project; null if it has none, or covers all projects."`
	SeenBy    *string `json:"seen_by" doc:"Who else can see the memories, as a sentence; null if unknown."`
	Committed *string `json:"committed" doc:"What git says about the directory of a custom agent in a project: committed, ignored or unknown; null for other agents."`

	// The decisions of Claude Code, with the settings that they come from.
	ClaudeDir      *string        `json:"claude_dir" doc:"The absolute path where Claude Code keeps the memory; null if it keeps none. If it differs from the agent's dir, that dir is no longer used."`
	ClaudeDirLinks []DecisionLink `json:"claude_dir_links" nullable:"false" doc:"The sources of the directory, in the order in which they count. Empty for a custom agent, whose scope decides."`
	ClaudeOn       *bool          `json:"claude_on" doc:"Whether Claude Code keeps a memory; null if it does not decide about this agent."`
	ClaudeOnLinks  []DecisionLink `json:"claude_on_links" nullable:"false" doc:"The sources of claude_on, in the order in which they count."`
}

// DecisionLink is one variable, settings file or default that can decide about an agent's memory.
type DecisionLink struct {
	Name    *string `json:"name" doc:"Name of the variable or setting; null for the default."`
	From    *string `json:"from" doc:"The settings file; null for Memoir's environment, or the default."`
	Source  *string `json:"source" doc:"The owner of the settings file: managed, local, project or user; null for other sources."`
	Says    *string `json:"says" doc:"The value as written; null if the source has none."`
	Holds   bool    `json:"holds" doc:"Whether this source counts."`
	Problem *string `json:"problem" doc:"Why the value does not count; null if it does, or there is none."`
}

// switchingMemory is the input of switchMemory. huma derives the name of a schema from the type
// name, so a new name would change the OpenAPI document.
type switchingMemory struct {
	AgentPath
	Body struct {
		Memory string `json:"memory" enum:"on,off"`
	}
}

func (a *api) getAbout(ctx context.Context, in *AgentPath) (*answer[AgentAbout], error) {
	about, err := a.aboutOf(ctx, in.Slug)
	return ok(about), err
}

func (a *api) switchMemory(ctx context.Context, in *switchingMemory) (*answer[AgentAbout], error) {
	if in.Body.Memory != "on" && in.Body.Memory != "off" {
		return nil, &memories.InvalidError{Field: "memory", Reason: "must be on or off"}
	}
	if _, err := a.engine.SwitchMemory(ctx, in.Slug, in.Body.Memory == "off"); err != nil {
		return nil, err
	}
	about, err := a.aboutOf(ctx, in.Slug)
	return ok(about), err
}

func (a *api) aboutOf(ctx context.Context, slug string) (AgentAbout, error) {
	agent, err := a.store.AgentUncounted(ctx, slug)
	if err != nil {
		return AgentAbout{}, err
	}
	known, err := a.engine.About(ctx, slug)
	if err != nil {
		return AgentAbout{}, err
	}
	about := AgentAbout{
		Memory: "on", Scope: wire.Text(known.Scope), Project: wire.Text(known.Project), SeenBy: wire.Text(known.SeenBy()), Committed: wire.Text(known.Committed),
		ClaudeDirLinks: wire.List(known.DirLinks, linkOf), ClaudeOnLinks: wire.List(known.OnLinks, linkOf),
	}
	if agent.MemoryOff {
		about.Memory = "off"
	}
	if known.ByClaude {
		about.ClaudeDir, about.ClaudeOn = wire.Text(known.Dir), &known.On
	}
	return about, nil
}

func linkOf(l claudesettings.Link) DecisionLink {
	return DecisionLink{wire.Text(l.Name), wire.Text(l.From), wire.Text(l.Source), wire.Text(l.Says), l.Holds, wire.Text(l.Problem)}
}
