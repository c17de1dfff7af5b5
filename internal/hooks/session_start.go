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
	// maxListed is the maximum number of memories listed at the start, newest first, and maxLine
	// the maximum length of a line, in characters (arbitrary).
	maxListed = 15
	maxLine   = 200
)

// sessionStart answers with the number of memories of the agent and those shared with it, and a
// list of the newest. The answer is empty if there are no memories, or after a failure or timeout,
// which it logs. After a compaction or /clear, it also records that the session may receive all
// memories again, unless the caller is read-only.
func (h *Hooks) sessionStart(ctx context.Context, agent agents.Agent, in input) output {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	text, err := h.newestMemories(ctx, agent, in, time.Now())
	if err != nil {
		h.log.Warn("session start without memories", "agent", agent.Slug, "error", err)
		return output{}
	}
	return contextOutput("SessionStart", text)
}

func (h *Hooks) newestMemories(ctx context.Context, agent agents.Agent, in input, now time.Time) (string, error) {
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
	newest, err := h.store.Newest(ctx, from, nil, maxListed)
	return summary(from, n, newest, now), err
}

// summary returns the text for the agent: n, the number of memories, their directories, and a
// fenced list with a line for each of newest, cut to maxLine characters. It states facts, because
// an agent may take orders for an attack.
func summary(from records.RecallSources, n int, newest []memories.Memory, now time.Time) string {
	var text strings.Builder
	kept := "memories are kept"
	if n == 1 {
		kept = "memory is kept"
	}
	fmt.Fprintf(&text, "%d %s about this project from earlier conversations, in %s", n, kept, from[0].Dir)
	for _, shared := range from[1:] {
		text.WriteString(" and, shared by all agents, in " + shared.Dir)
	}
	text.WriteString(".")
	text.WriteString(" What has to do with a prompt comes with it. The newest follow.")
	lines := make([]string, len(newest))
	for i, m := range newest {
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
		lines[i] = cut(line, maxLine)
	}
	list := recall.Fence([]string{recall.Defuse(strings.Join(lines, "\n"))})
	return recall.Defuse(text.String()) + "\n" + list
}

// cut returns line, or its first maxChars-1 characters and an ellipsis if it has more than
// maxChars.
func cut(line string, maxChars int) string {
	characters := []rune(line)
	if len(characters) <= maxChars {
		return line
	}
	return string(characters[:maxChars-1]) + "…"
}
