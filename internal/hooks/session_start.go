package hooks

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/fence"
	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/memories/memtext"
	"memoir/internal/records"
)

const (
	// maxListed is the maximum number of memories listed at the start, newest first, and maxLine
	// the maximum length of a line, in characters (arbitrary).
	maxListed = 15
	maxLine   = 200
	// maxChecked is how many of the newest memories are compared with the index (arbitrary).
	maxChecked = 200
)

// sessionStart answers with the part of the memory that the client lacks. For a new conversation it
// lists memories that are not in the loaded index, and says whether decisions wait. After a
// compaction it gives the session memory, else the names of the memories given before. For a
// resumed conversation the answer is empty. It is also empty after a failure or timeout, which it
// logs. After a compaction or /clear, it also records that the session may receive all memories
// again, unless the caller is read-only.
func (h *Hooks) sessionStart(ctx context.Context, agent agents.Agent, in input) output {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	text, err := h.beginning(ctx, agent, in)
	if err != nil {
		h.log.Warn("session started without memories", "agent", agent.Slug, "error", err)
		return output{}
	}
	return contextOutput("SessionStart", text)
}

// beginning returns the text of sessionStart for the reason of the start. A fork continues a
// conversation, as a resumed one does.
func (h *Hooks) beginning(ctx context.Context, agent agents.Agent, in input) (text string, err error) {
	if in.Source == "resume" || in.Source == "fork" {
		return "", nil
	}
	from, err := h.store.RecallSources(ctx, agent.Slug)
	if err != nil {
		return "", err
	}
	if in.Source == "compact" {
		text, err = h.afterCompaction(ctx, from, in)
	} else {
		text, err = h.newConversation(ctx, agent, from)
	}
	if err != nil {
		return "", err
	}
	if in.SessionID == "" || gate.ReadOnly(ctx) {
		return text, nil
	}
	if in.Source == "compact" || in.Source == "clear" {
		if err := h.recaller.Refresh(ctx, from[0].ID, in.SessionID); err != nil {
			return "", err
		}
	}
	if agent.Rules().LoadsIndex { // the client has loaded the index
		err = h.store.RecordIndexLoaded(ctx, from[0].ID, in.SessionID, records.Now())
	}
	return text, err
}

// newConversation returns the list of memories and the line about decisions, or "" if there is
// nothing to tell.
func (h *Hooks) newConversation(ctx context.Context, agent agents.Agent, from records.RecallSources) (string, error) {
	var parts []string
	n, _, err := h.store.ToRecall(ctx, from, "")
	if err != nil {
		return "", err
	}
	if n > 0 {
		list, err := h.memoryList(ctx, agent, from, n)
		if err != nil {
			return "", err
		}
		parts = append(parts, list...)
	}
	row, err := h.store.Agent(ctx, agent.Slug)
	if err != nil {
		return "", err
	}
	parts = append(parts, decisions(row.Counts)...)
	return strings.Join(parts, "\n"), nil
}

// memoryList returns the paragraphs about an agent's n memories: their directories, and the newest.
// A client of a Claude Code project has the memories in the loaded index, so they are not listed;
// without others, memoryList returns nil.
func (h *Hooks) memoryList(ctx context.Context, agent agents.Agent, from records.RecallSources, n int) ([]string, error) {
	newest, err := h.store.Newest(ctx, from, nil, maxChecked)
	if err != nil {
		return nil, err
	}
	which := "The newest follow."
	if agent.Rules().LoadsIndex {
		index, err := h.engine.Index(ctx, agent.Slug)
		var unreadable *memories.ConflictError
		if err != nil && !errors.As(err, &unreadable) {
			return nil, err
		}
		loaded := agent.ListedFiles(index.Path, index.Loaded)
		kept := newest[:0]
		for _, m := range newest {
			// A wiki link may state the name of a memory.
			isLoaded := loaded[m.Path] || loaded[path.Join(path.Dir(index.Path), m.Name+".md")]
			if m.AgentID != from[0].ID || m.Line == 0 && !isLoaded {
				kept = append(kept, m)
			}
		}
		if newest = kept; len(newest) == 0 {
			return nil, nil
		}
		which = "The newest that are not in the loaded index follow."
	}
	return []string{summary(from, n) + " " + which, fencedList(newest[:min(len(newest), maxListed)], from, time.Now())}, nil
}

// afterCompaction returns the session memory if it is long enough to replace a conversation. Else
// it returns one line for each memory that the session received before. It is "" without either.
func (h *Hooks) afterCompaction(ctx context.Context, from records.RecallSources, in input) (string, error) {
	notes, err := h.engine.SessionMemory(ctx, from[0].Slug, in.SessionID)
	var unreadable *memories.ConflictError
	switch {
	case err == nil:
		if fit, _ := claudemd.FitCompaction(notes.Tokens, notes.Messages); fit == claudemd.CompactionFits {
			head := "These are the notes of this session from before the compaction. The file has them all: " + fence.Defuse(notes.Path) + "\n"
			return head + fence.Text(notes.Text, maxContext-len([]rune(head))), nil
		}
	case !errors.Is(err, memories.ErrNotFound) && !errors.As(err, &unreadable):
		return "", err
	}
	if in.SessionID == "" {
		return "", nil
	}
	given, err := h.recaller.Given(ctx, from, in.SessionID)
	if err != nil || len(given) == 0 {
		return "", err
	}
	const head = "Before the compaction, these memories were given in full. They are given again with a prompt that they fit.\n"
	return head + fencedList(given, from, time.Now()), nil
}

// decisions returns one line if decisions of a person wait, else nil.
func decisions(c records.Counts) []string {
	others := c.NeedsAttention + c.Missing + c.Blocked + c.NotRemoved + c.Disagreements
	var waiting []string
	if c.Proposals > 0 {
		waiting = append(waiting, memtext.Counted(c.Proposals, "proposed memory", "proposed memories"))
	}
	if others > 0 {
		waiting = append(waiting, memtext.Counted(others, "item to review", "items to review"))
	}
	if len(waiting) == 0 {
		return nil
	}
	verb := " wait"
	if c.Proposals+others == 1 {
		verb = " waits"
	}
	return []string{"In Memoir, " + strings.Join(waiting, " and ") + verb + " for a person's decision."}
}

// summary returns a sentence with n, the number of memories, and their directories. It states
// facts, because an agent may take orders for an attack.
func summary(from records.RecallSources, n int) string {
	kept := "memories are kept"
	if n == 1 {
		kept = "memory is kept"
	}
	text := fmt.Sprintf("%d %s about this project from earlier conversations, in %s", n, kept, from[0].Dir)
	for _, shared := range from[1:] {
		text += " and, shared by all agents, in " + shared.Dir
	}
	return fence.Defuse(text + ". Memories that fit a prompt come with it.")
}

// fencedList returns a fenced list with a line for each memory, cut to maxLine characters. It
// leaves out the last lines if the list does not fit into an answer.
func fencedList(all []memories.Memory, from records.RecallSources, now time.Time) string {
	lines := make([]string, len(all))
	for i, m := range all {
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
	return fence.Text(strings.Join(lines, "\n"), maxContext-maxHead)
}

// maxHead is room for the text around a list, in characters (arbitrary).
const maxHead = 1000

// cut returns line, or its first maxChars-1 characters and an ellipsis if it has more than
// maxChars.
func cut(line string, maxChars int) string {
	characters := []rune(line)
	if len(characters) <= maxChars {
		return line
	}
	return string(characters[:maxChars-1]) + "…"
}
