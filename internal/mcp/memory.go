package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// memory is the part of a memory that all tools return.
type memory struct {
	ID          string `json:"id" jsonschema:"Stays the same when the memory changes."`
	Agent       string `json:"agent" jsonschema:"The slug of its agent."`
	Name        string `json:"name"`
	Scope       string `json:"scope,omitempty" jsonschema:"team: shared with the team. Absent: private."`
	Type        string `json:"type,omitempty" jsonschema:"feedback, user, project or reference; absent if it has none."`
	Description string `json:"description,omitempty" jsonschema:"One line about the memory. Cut in lists."`
	Pending     string `json:"pending,omitempty" jsonschema:"save or deletion: a note asks the agent's client for it, and the client has yet to read the note."`
	State       string `json:"state" jsonschema:"active; needs_attention: not in CLAUDE.md until it is fixed; missing: its file disappeared, and a person must decide; deleted: in the trash."`
	Saved       string `json:"saved" jsonschema:"Age: today, yesterday, N days ago, or unknown age."`
	AgeDays     *int   `json:"age_days,omitempty" jsonschema:"Whole days of 24 hours. Absent if unknown."`
	Stale       bool   `json:"stale" jsonschema:"Old enough that you should verify it first."`
}

// memoryOf returns m as the tools return it, without its body. Its age counts to now. Scope is
// empty unless m is a team memory.
func memoryOf(m memories.Memory, now time.Time) memory {
	age := m.Age(now)
	scope := ""
	if m.Team {
		scope = string(m.Scope())
	}
	return memory{
		Scope: scope, ID: m.ID, Agent: m.Agent, Name: m.Name, Type: string(m.Type), Description: m.Description, State: string(m.State), Pending: string(m.Pending()),
		Saved: age.String(), AgeDays: age.KnownDays(), Stale: age.Stale,
	}
}

// line returns the memory as one line of a list, without a line end. It has type, name, age and
// description; the state only if it is not active.
func (m memory) line() string {
	var line strings.Builder
	line.WriteString("- ")
	if m.Type != "" {
		line.WriteString("[" + m.Type + "] ")
	}
	line.WriteString(m.Name + " (saved " + m.Saved)
	if m.Scope != "" {
		line.WriteString("; " + m.Scope)
	}
	if m.State != string(memories.Active) {
		line.WriteString("; " + strings.ReplaceAll(m.State, "_", " "))
	}
	if m.Pending != "" {
		line.WriteString("; " + m.Pending + " pending")
	}
	line.WriteString(")")
	if m.Description != "" {
		line.WriteString(": " + strings.Join(strings.Fields(m.Description), " "))
	}
	return line.String()
}

// memorySelector is the arguments of a tool that select one memory. If both are given, ID counts.
type memorySelector struct {
	Name string `json:"name,omitempty" jsonschema:"The exact name, as in the lists. Give this or id."`
	ID   string `json:"id,omitempty" jsonschema:"The id, as in the lists. Give this or name."`
}

// find returns the memory with the id, or else with the name. Among memories of one name, it
// prefers one outside the trash. Without such a memory, the error wraps a refusal and
// memories.ErrNotFound. It returns another refusal if several memories have the name, or if the
// selector is empty.
func (e *endpoint) find(ctx context.Context, agent records.Agent, selector memorySelector) (memories.Memory, error) {
	switch {
	case selector.ID != "":
		m, err := e.store.Memory(ctx, agent, selector.ID)
		if errors.Is(err, memories.ErrNotFound) {
			return m, notFound(fmt.Sprintf("%s has no memory with the id %q. See list_memories.", agent.Slug, shortened(selector.ID)))
		}
		return m, err
	case selector.Name == "":
		return memories.Memory{}, refusal("Give the name or the id of the memory, as in list_memories.")
	case !memories.CanBeText(selector.Name):
		return memories.Memory{}, noSuchName(ctx, e.store, agent, selector.Name)
	}
	for _, state := range []memories.State{"", memories.Deleted} {
		page, err := e.store.Memories(ctx, agent, memories.Filter{Name: selector.Name, State: state}, memories.PageRequest{Limit: 2})
		switch {
		case err != nil:
			return memories.Memory{}, err
		case len(page.Memories) > 1:
			// A private and a team memory can have one name, and an unreadable file has its file name.
			return memories.Memory{}, refusal(fmt.Sprintf("Several memories have the name %q: %s. Give the id of one.", shortened(selector.Name), withIDs(page.Memories)))
		case len(page.Memories) == 1:
			return page.Memories[0], nil
		}
	}
	return memories.Memory{}, noSuchName(ctx, e.store, agent, selector.Name)
}

// withIDs returns a text with the ids of memories, each followed by the path of its file.
func withIDs(all []memories.Memory) string {
	parts := make([]string, len(all))
	for i, m := range all {
		parts[i] = m.ID + " (" + m.Path + ")"
	}
	return strings.Join(parts, ", ")
}

// noSuchName returns the error for a name that no memory has. It wraps a refusal, which lists up to
// three similar names, and memories.ErrNotFound. If the names cannot be read, noSuchName returns
// that error instead.
func noSuchName(ctx context.Context, store Store, agent records.Agent, name string) error {
	message := fmt.Sprintf("%s has no memory named %q.", agent.Slug, shortened(name))
	sought := strings.ReplaceAll(strings.ToValidUTF8(shortened(name), ""), "\x00", "")
	page, err := store.Memories(ctx, agent, memories.Filter{Query: sought, Near: true}, memories.PageRequest{Limit: 3})
	if err != nil {
		return err
	}
	if len(page.Memories) == 0 || sought == "" {
		return notFound(message + " Use search_memories.")
	}
	names := make([]string, len(page.Memories))
	for i, m := range page.Memories {
		names[i] = fmt.Sprintf("%q", m.Name)
	}
	return notFound(message + " Similar: " + strings.Join(names, ", ") + ".")
}
