package mcp

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"memoir/internal/fence"
	"memoir/internal/memories"
	"memoir/internal/recall"
	"memoir/internal/records"
)

type getInput struct {
	agentSelector
	memorySelector
}

// whole is the result of get_memory.
type whole struct {
	memory
	Body     string   `json:"body" jsonschema:"The text, in Markdown."`
	Cut      bool     `json:"cut,omitempty" jsonschema:"The body is too long and was cut."`
	Warning  string   `json:"warning,omitempty" jsonschema:"A warning to consider before you rely on it."`
	File     string   `json:"file" jsonschema:"The file on disk."`
	Problems []string `json:"problems,omitempty" jsonschema:"Problems that a person should fix."`
	URI      string   `json:"uri" jsonschema:"The resource with the bytes of its file."`
}

const toolGet = "get_memory"

// getMemory returns the selected memory of the agent, also from the trash. Without such a memory,
// it returns the fact of the agent's index with that id. Without such a fact, it returns the first
// such memory outside the trash that another agent shares with all. Otherwise it returns the error
// of find for agent. Any failure other than memories.ErrNotFound is returned at once.
func (e *endpoint) getMemory(ctx context.Context, agent records.Agent, in getInput) (whole, error) {
	found, err := e.whole(ctx, agent, in.memorySelector)
	if !errors.Is(err, memories.ErrNotFound) {
		return found, err
	}
	fact, failed := e.store.IndexFact(ctx, agent, in.ID)
	switch {
	case failed == nil:
		return wholeOf(agent, fact, nil, time.Now()), nil
	case !errors.Is(failed, memories.ErrNotFound):
		return whole{}, failed
	}
	from, failed := e.store.Shared(ctx, agent)
	if failed != nil {
		return whole{}, failed
	}
	for _, giver := range from {
		shared, failed := e.whole(ctx, giver, in.memorySelector)
		switch {
		case failed == nil && shared.State != string(memories.Deleted):
			return shared, nil
		case failed != nil && !errors.Is(failed, memories.ErrNotFound):
			return whole{}, failed
		}
	}
	return whole{}, err
}

// whole returns the selected memory with its text, and with a warning if it is old or has dead
// citations. It returns the errors of find if there is no such memory.
func (e *endpoint) whole(ctx context.Context, agent records.Agent, selector memorySelector) (whole, error) {
	m, err := e.find(ctx, agent, selector)
	if err != nil {
		return whole{}, err
	}
	dead, err := e.store.DeadCitations(ctx, agent, []string{m.ID})
	return wholeOf(agent, m, dead[m.ID], time.Now()), err
}

// wholeOf returns m as the result of get_memory. It cuts a description or a body that is too long
// for maxPartBytes; if it cuts the body, Cut is true. dead has the citations of m whose targets are
// missing, for the warning.
func wholeOf(agent records.Agent, m memories.Memory, dead []memories.CheckedCitation, now time.Time) whole {
	w := whole{
		memory: memoryOf(m, now), Warning: recall.Warning(dead, m.Age(now)),
		File: filepath.Join(agent.Dir, filepath.FromSlash(m.Path)), URI: uriOf(agent.Slug, m.ID),
	}
	w.Description, _ = cut(m.Description, maxPartBytes/4)
	for _, p := range m.Problems {
		w.Problems = append(w.Problems, p.Message)
	}
	var all bool
	w.Body, all = cut(m.Body, maxPartBytes*2/3)
	w.Cut = !all
	return w
}

func (w whole) text() string {
	head := []string{strings.TrimPrefix(w.line(), "- "), w.File}
	if w.State == string(memories.Deleted) {
		head = append(head, "It is in the trash. Agents do not receive it.")
	}
	head = append(head, w.Problems...)
	if w.Warning != "" {
		head = append(head, w.Warning)
	}
	text := fence.Block(fence.Defuse(strings.Join(head, "\n")), w.Body)
	if w.Cut {
		text += "\n\n[Cut, because it is too long for this answer. All of it is in its file, and in the resource " + w.URI + ".]"
	}
	return text
}
