package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"memoir/internal/memories"
)

type deleteInput struct {
	Agent string `json:"agent,omitempty" jsonschema:"The slug of the agent whose memory is meant. May be left out where Memoir knows only one."`
	which
}

// deleted says what a deletion did.
type deleted struct {
	memory
	Removed []string `json:"removed" jsonschema:"The files that carried it, relative to the agent's directory."`
	Already bool     `json:"already,omitempty" jsonschema:"It was in the trash before; nothing was changed."`
	Undo    string   `json:"undo" jsonschema:"How to take it back."`
	Notes   []string `json:"notes,omitempty" jsonschema:"What could not be done besides."`
}

const (
	toolDelete = "delete_memory"
	// mostRemoved is how many files are named at most.
	mostRemoved = 20
)

func (e *endpoint) addDeleteMemory(server *sdk.Server, agentIsFixed bool) {
	add(e, server, agentIsFixed, sdk.Tool{
		Name: toolDelete, Title: "Delete a memory",
		Description: "Deletes one memory everywhere, by its name or its id: every file that carries it, its lines in the index, its part of CLAUDE.md. It goes to the trash, from where a person can restore it, and the same content does not come back by itself. Use it for what is no longer true; what is true in another way is better saved anew with save_memory.",
	}, deletes, e.deleteMemory)
}

func (e *endpoint) deleteMemory(ctx context.Context, in deleteInput) (deleted, error) {
	agent, err := e.agent(ctx, in.Agent)
	if err != nil {
		return deleted{}, err
	}
	m, err := e.find(ctx, agent, in.which)
	if err != nil {
		return deleted{}, err
	}
	result, err := e.engine.Delete(ctx, agent.Slug, m.ID, "")
	if err != nil {
		return deleted{}, err
	}
	out := deleted{
		memory: memoryOf(result.Memory, time.Now()), Removed: []string{}, Already: m.State == memories.Deleted,
		Undo: fmt.Sprintf("A person can restore it, with its file and its history, on Memoir's page /agents/%s/trash, and a script with POST /api/v1/agents/%[1]s/memories/%s/restore.", agent.Slug, m.ID),
	}
	out.Description = beginningOf(result.Memory.Description, mostDescription)
	for _, f := range m.Files[:min(len(m.Files), mostRemoved)] {
		out.Removed = append(out.Removed, f.Path)
	}
	for _, p := range result.Memory.Problems {
		if p.Code == memories.CodeNotRemoved {
			out.Notes = append(out.Notes, p.Message)
		}
	}
	if note := claudeMDNote(result.ClaudeMDProblem); note != "" {
		out.Notes = append(out.Notes, note)
	}
	return out, nil
}

func (d deleted) text() string {
	if d.Already {
		return "The memory “" + d.Name + "” of " + d.Agent + " was in the trash already. Nothing was changed. " + d.Undo
	}
	text := "Deleted the memory “" + d.Name + "” of " + d.Agent
	if len(d.Removed) > 0 {
		text += ", with " + strings.Join(d.Removed, ", ")
	}
	return strings.Join(append([]string{text + ". " + d.Undo}, d.Notes...), "\n")
}
