package mcp

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

type moveInput struct {
	agentSelector
	memorySelector
	To      string `json:"to" jsonschema:"team: shared with the team of this agent. private: this agent's own. shared: for all agents, that is for all projects."`
	ToAgent string `json:"to_agent,omitempty" jsonschema:"Only to move a memory of all agents back to one agent: its slug."`
}

// shape restricts the destinations.
func (moveInput) shape(schema *jsonschema.Schema) {
	schema.Properties["to"].Enum = []any{string(memories.PrivateScope), string(memories.TeamScope), string(memories.SharedScope)}
}

// moved is the result of move_memory.
type moved struct {
	memory
	From  string     `json:"from" jsonschema:"Where it was: private, team or shared."`
	File  string     `json:"file" jsonschema:"The new file on disk."`
	Index indexEntry `json:"index" jsonschema:"Whether MEMORY.md leads an agent to the memory."`
	Undo  string     `json:"undo" jsonschema:"How to undo the move."`
	Note  string     `json:"note,omitempty" jsonschema:"Follow-up steps that failed."`
}

const toolMove = "move_memory"

func (e *endpoint) moveMemory(ctx context.Context, agent records.Agent, in moveInput) (moved, error) {
	m, err := e.find(ctx, agent, in.memorySelector)
	if err != nil {
		return moved{}, err
	}
	result, err := e.engine.Move(ctx, agent.Slug, m.ID, "", engine.Destination{Scope: memories.Scope(in.To), Agent: in.ToAgent})
	var invalid *memories.InvalidError
	if errors.As(err, &invalid) && invalid.Field == "agent" {
		err = &memories.InvalidError{Field: "to_agent", Reason: invalid.Reason}
	}
	if err != nil {
		return moved{}, err
	}
	now := result.Memory
	owner, err := e.store.AgentUncounted(ctx, now.Agent)
	if err != nil {
		return moved{}, err
	}
	out := moved{
		memory: memoryOf(now, time.Now()), From: string(m.Scope()), File: filepath.Join(owner.Dir, filepath.FromSlash(now.Path)), Index: indexEntryOf(now),
		Note: claudeMDNote(result.ClaudeMDProblem),
	}
	if isShared(agent) {
		out.From = string(memories.SharedScope)
	}
	out.Undo = "Call " + toolMove + " with the id " + now.ID + " and to " + out.From
	if now.Agent != agent.Slug {
		out.Undo += ", for the agent " + now.Agent
		if isShared(owner) {
			out.Undo += ", with to_agent " + agent.Slug
		}
	}
	out.Undo += "."
	out.Description = beginningOf(now.Description, maxDescription)
	return out, nil
}

// isShared reports whether all agents use the agent's memories.
func isShared(a records.Agent) bool { return agents.Layout(a.Layout).Rules().IsShared }

func (m moved) text() string {
	where := map[string]string{string(memories.TeamScope): "the team memory of " + m.Agent}
	text := "Moved the memory “" + m.Name + "” to " + cmp.Or(where[m.Scope], m.Agent+", as its private memory") + ", in " + m.File + ". " + m.Undo
	if m.Note != "" {
		text += "\n" + m.Note
	}
	return text
}
