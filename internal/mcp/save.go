package mcp

import (
	"context"
	"path/filepath"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"memoir/internal/memories"
	"memoir/internal/sync"
)

type saveInput struct {
	Agent       string `json:"agent,omitempty" jsonschema:"The slug of the agent that shall remember it. May be left out where Memoir knows only one."`
	Name        string `json:"name" jsonschema:"What it is called: short, and telling without the text. A name that is there already is updated."`
	Type        string `json:"type" jsonschema:"feedback: how to work, corrections. user: who somebody is, what they prefer. project: what goes on, decisions, deadlines. reference: where something is found."`
	Description string `json:"description,omitempty" jsonschema:"One line by which it is found again: what it is about, and when it matters."`
	Scope       string `json:"scope,omitempty" jsonschema:"private unless said otherwise. team: for everybody whose agent has the team memory; references usually, feedback only where it holds for the whole project, what is about one user never. No credentials."`
	Body        string `json:"body" jsonschema:"What is to be remembered, in Markdown, 1 MiB at most. For feedback and project: first the rule or the fact, then **Why:**, then **How to apply:**. Write dates in full, never yesterday or next week."`
}

// saved says what became of a memory that was to be saved.
type saved struct {
	memory
	Result string `json:"result" jsonschema:"created: it is new, or lives again after it was deleted. updated: it has taken the place of what was there under its name."`
	File   string `json:"file" jsonschema:"Where it is on disk."`
	Note   string `json:"note,omitempty" jsonschema:"What could not be done besides."`
}

const toolSave = "save_memory"

func (e *endpoint) addSaveMemory(server *sdk.Server, agentIsFixed bool) {
	add(e, server, agentIsFixed, sdk.Tool{
		Name: toolSave, Title: "Save a memory",
		Description: "Saves a memory under its name, for all later conversations of the agent. A memory of that name is updated: what it said is replaced by what you give, so read it first with get_memory and keep what still holds; its history stays. Search before you save, and update instead of saving another about the same. Save what will still matter later, not what can be read from the code or belongs to this conversation alone.",
	}, saves, e.saveMemory)
}

func (e *endpoint) saveMemory(ctx context.Context, in saveInput) (saved, error) {
	agent, err := e.agent(ctx, in.Agent)
	if err != nil {
		return saved{}, err
	}
	result, err := e.engine.Save(ctx, agent.Slug, sync.Draft{Name: in.Name, Team: in.Scope == string(memories.TeamScope), Type: memories.Type(in.Type), Description: in.Description, Body: in.Body})
	if err != nil {
		return saved{}, err
	}
	m := result.Memory
	out := saved{memory: memoryOf(m, time.Now()), Result: "updated", File: filepath.Join(agent.Dir, filepath.FromSlash(m.Path)), Note: claudeMDNote(result.ClaudeMDProblem)}
	if result.Created {
		out.Result = "created"
	}
	out.Description = beginningOf(m.Description, mostDescription)
	return out, nil
}

// claudeMDNote says that the memory is as it should be, and CLAUDE.md is not.
func claudeMDNote(problem string) string {
	if problem == "" {
		return ""
	}
	return "It is done, but CLAUDE.md could not follow: " + problem
}

func (s saved) text() string {
	did := "Updated"
	if s.Result == "created" {
		did = "Created"
	}
	text := did + " the memory “" + s.Name + "” of " + s.Agent + " (" + s.Type + "), in " + s.File + "."
	if s.Result == "updated" {
		text += " What it said before is in its history."
	}
	if s.Note != "" {
		text += "\n" + s.Note
	}
	return text
}
