package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
)

type deleteInput struct {
	agentSelector
	memorySelector
}

// deleted is the result of delete_memory.
type deleted struct {
	memory
	Removed []string `json:"removed" jsonschema:"The removed files, relative to the agent's directory."`
	Already bool     `json:"already,omitempty" jsonschema:"The memory was in the trash already; nothing was changed."`
	Undo    string   `json:"undo" jsonschema:"How to undo the deletion."`
	Notes   []string `json:"notes,omitempty" jsonschema:"Follow-up steps that failed."`
}

const (
	toolDelete = "delete_memory"
	// maxRemoved is the largest number of removed files in a result. Arbitrary.
	maxRemoved = 20
)

func (e *endpoint) deleteMemory(ctx context.Context, agent records.Agent, in deleteInput) (deleted, error) {
	m, err := e.find(ctx, agent, in.memorySelector)
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
	out.Description = beginningOf(result.Memory.Description, maxDescription)
	if out.Pending != "" {
		return out, nil
	}
	for _, f := range m.Files[:min(len(m.Files), maxRemoved)] {
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
	if d.Pending != "" {
		return "A note asks the client of " + d.Agent + " to forget the memory “" + d.Name + "”. The memory stays until the client has removed it. " + d.Undo
	}
	if d.Already {
		return "The memory “" + d.Name + "” of " + d.Agent + " was in the trash already. Nothing was changed. " + d.Undo
	}
	text := "Deleted the memory “" + d.Name + "” of " + d.Agent
	if len(d.Removed) > 0 {
		text += ", with " + strings.Join(d.Removed, ", ")
	}
	return strings.Join(append([]string{text + ". " + d.Undo}, d.Notes...), "\n")
}
