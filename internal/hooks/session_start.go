package hooks

import (
	"context"
	"fmt"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/recall"
	"memoir/internal/records"
)

const (
	// mostTold is how many memories a conversation begins with, the newest, and longestTold how much is told of each, in characters.
	mostTold    = 15
	longestTold = 200
)

// sessionStart tells what the agent has learned lately. A conversation that was compacted has lost what it was given before.
func (h *Hooks) sessionStart(ctx context.Context, agent agents.Agent, in input) output {
	ctx, cancel := context.WithTimeout(ctx, promptly)
	defer cancel()
	told, err := h.learned(ctx, agent, in, time.Now())
	if err != nil {
		h.log.Warn("a conversation began without what the agent has learned", "agent", agent.Slug, "error", err)
		return output{}
	}
	return telling("SessionStart", told)
}

func (h *Hooks) learned(ctx context.Context, agent agents.Agent, in input, now time.Time) (string, error) {
	from, err := h.store.RecallSources(ctx, agent.Slug)
	if err != nil {
		return "", err
	}
	if in.SessionID != "" && !gate.ReadOnly(ctx) && (in.Source == "compact" || in.Source == "clear") {
		if err := h.recaller.Refresh(ctx, from[0].ID, in.SessionID); err != nil {
			return "", err
		}
	}
	n, _, err := h.store.ToRecall(ctx, from, "")
	if err != nil || n == 0 {
		return "", err
	}
	newest, err := h.store.Newest(ctx, from, nil, mostTold)
	return summary(from, n, newest, now), err
}

// summary words facts, not orders: what is worded as an order is taken for an attack.
func summary(from records.RecallSources, n int, newest []memories.Memory, now time.Time) string {
	var told strings.Builder
	fmt.Fprintf(&told, "%d %s about this project from earlier conversations, in %s", n, plural(n, "memory is kept", "memories are kept"), from[0].Dir)
	for _, shared := range from[1:] {
		told.WriteString(" and, shared by all agents, in " + shared.Dir)
	}
	told.WriteString(".")
	told.WriteString(" What has to do with a prompt comes with it. The newest:\n")
	for _, m := range newest {
		line := "- "
		if m.Type != "" {
			line += "[" + string(m.Type) + "] "
		}
		line += strings.Join(strings.Fields(m.Name), " ")
		if m.AgentID != from[0].ID {
			line += " (team)"
		}
		line += " (" + memories.AgeOf(m.ModifiedAt, now).Saved() + ")"
		if m.Description != "" {
			line += ": " + strings.Join(strings.Fields(m.Description), " ")
		}
		told.WriteString(cut(line, longestTold) + "\n")
	}
	return recall.Defuse(told.String())
}

func plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// cut returns the beginning of a line, in characters.
func cut(line string, most int) string {
	characters := []rune(line)
	if len(characters) <= most {
		return line
	}
	return string(characters[:most-1]) + "…"
}
