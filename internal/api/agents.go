package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/memories"
	"memoir/internal/problem"
	"memoir/internal/records"
)

// Agent is one directory whose memories belong together.
type Agent struct {
	Slug      string    `json:"slug"`
	Name      string    `json:"name" doc:"Display name: the project's path, or the directory's name."`
	Layout    string    `json:"layout" enum:"hive,claude,directory,shared" doc:"shared: the directory for all agents (--team-dir)."`
	Dir       string    `json:"dir" doc:"Absolute path."`
	Present   bool      `json:"present" doc:"False if the directory is missing. The agent stays, with all its memories."`
	JoinedTo  *string   `json:"joined_to" doc:"The slug of the agent that this directory links to. Memories and changes belong to that agent. Null if the agent has its own directory."`
	Counts    Counts    `json:"counts"`
	Sessions  int       `json:"sessions"`
	ClaudeMD  ClaudeMD  `json:"claude_md"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Counts is how many memories an agent has: the types count active ones, total all that are not deleted.
type Counts struct {
	Feedback       int `json:"feedback"`
	User           int `json:"user"`
	Project        int `json:"project"`
	Reference      int `json:"reference"`
	NeedsAttention int `json:"needs_attention"`
	Missing        int `json:"missing"`
	Deleted        int `json:"deleted"`
	Total          int `json:"total"`
}

// ClaudeMD is how an agent's CLAUDE.md stands.
type ClaudeMD struct {
	Path        *string    `json:"path" doc:"The file with the compiled memories, relative to dir: CLAUDE.md, or an AGENTS.md that Claude Code reads instead. Null if the layout has none."`
	PublishedAt *time.Time `json:"published_at"`
	Chars       int        `json:"chars" doc:"Unicode characters of the whole file."`
	Limit       int        `json:"limit" doc:"Unicode characters; memories beyond it become one line each."`
	Problem     *string    `json:"problem" doc:"Why the file is not written; null if it is."`
}

// AgentList is every agent.
type AgentList struct {
	Agents []Agent `json:"agents" nullable:"false"`
}

// AgentPath is the part of a path that names an agent. It is exported because the framework passes over embedded
// structs that are not.
type AgentPath struct {
	Slug string `path:"slug" doc:"The agent's slug."`
}

// Resolve keeps what no slug can be from reaching the database, whose text it may not be.
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

func (a *api) listAgents(ctx context.Context, _ *struct{}) (*answer[AgentList], error) {
	rows, err := a.store.Agents(ctx)
	list := AgentList{Agents: make([]Agent, len(rows))}
	for i, row := range rows {
		list.Agents[i] = a.agentOf(row)
	}
	return ok(list), err
}

func (a *api) getAgent(ctx context.Context, in *AgentPath) (*answer[Agent], error) {
	row, err := a.store.Agent(ctx, in.Slug)
	return ok(a.agentOf(row)), err
}

func (a *api) forgetAgent(ctx context.Context, in *AgentPath) (*answer[Agent], error) {
	row, err := a.engine.Forget(ctx, in.Slug)
	return ok(a.agentOf(row)), err
}

func (a *api) agentOf(row records.Agent) Agent {
	byType := row.Counts.ByType
	return Agent{
		Slug: row.Slug, Name: row.DisplayName, Layout: row.Layout, Dir: row.Dir, Present: row.Present, JoinedTo: text(row.JoinedTo),
		Counts: Counts{
			Feedback: byType[memories.Feedback], User: byType[memories.User],
			Project: byType[memories.Project], Reference: byType[memories.Reference],
			NeedsAttention: row.Counts.NeedsAttention, Missing: row.Counts.Missing, Deleted: row.Counts.Deleted,
			Total: row.Counts.Total,
		},
		Sessions: row.Sessions,
		ClaudeMD: ClaudeMD{
			Path: text(row.ClaudeMD.Path), PublishedAt: moment(row.ClaudeMD.PublishedAt), Chars: row.ClaudeMD.Chars,
			Limit: a.options.ClaudeMDLimit, Problem: text(row.ClaudeMD.Problem),
		},
		UpdatedAt: row.UpdatedAt.UTC(),
	}
}

// text is null for an empty text: what is empty is null in every answer.
func text[S ~string](s S) *string {
	if s == "" {
		return nil
	}
	plain := string(s)
	return &plain
}

// moment is null for a time that has not come.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
