// Package hooks answers the hooks of Claude Code. It adds memories to a new conversation and to
// each prompt, and requests a scan of files that the agent writes. The agent is the one whose
// memory the conversation belongs to.
//
// A hook never blocks the agent and never fails: it skips and logs work that takes too long, and
// answers an empty object. It does nothing for an agent whose memory Claude Code has switched off.
// The package writes nothing itself. Command server mounts it under /hooks/.
package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/extraction"
	"memoir/internal/fence"
	"memoir/internal/gate"
	"memoir/internal/recall"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

const (
	// answerTimeout is the timeout of an answer (arbitrary). An answer normally takes some
	// milliseconds. On a busy machine, memories are worth a second of waiting.
	answerTimeout = time.Second
	// scheduleTimeout is how long the hooks Stop and SessionEnd wait until the conversation is
	// queued. Claude Code gives SessionEnd 1.5 s.
	scheduleTimeout = time.Second
	// maxInput is the maximum size of an input, in bytes. Its prompt may contain a pasted file
	// (arbitrary).
	maxInput = 2 << 20
	// maxDrained is how many bytes of a longer input are read and ignored, so that the client
	// receives the answer (arbitrary).
	maxDrained = 64 << 20
	// maxContext is the maximum length of context that Claude Code does not move into a file, in
	// characters.
	maxContext = 10_000
)

// Hooks handles the hooks.
type Hooks struct {
	engine    *engine.Engine
	store     Store
	recaller  *recall.Recaller
	extractor *extraction.Extractor
	log       *slog.Logger
}

// Store is the database of the hooks. *postgres.Store implements it.
type Store interface {
	records.Agents
	records.RecallCandidates

	RecordMemoryRead(ctx context.Context, agentID int64, path string, at time.Time) error
	RecordIndexLoaded(ctx context.Context, agentID int64, session string, at time.Time) error
}

// New returns the handler of POST for the paths under /hooks/, and of GET /hooks/settings. It
// answers 200 also if a hook fails, with an empty object, and logs the reason. It needs full paths,
// so the caller must not strip a prefix.
func New(engine *engine.Engine, store Store, recaller *recall.Recaller, extractor *extraction.Extractor, log *slog.Logger) http.Handler {
	h := &Hooks{engine, store, recaller, extractor, log}
	mux := http.NewServeMux()
	for path, answer := range map[string]func(context.Context, agents.Agent, input) output{
		"session-start": h.sessionStart, "user-prompt-submit": h.userPromptSubmit, "post-tool-use": h.postToolUse,
		"stop": h.stop, "pre-compact": h.preCompact, "session-end": h.stop,
	} {
		mux.HandleFunc("POST /hooks/"+path, h.handle(answer))
	}
	mux.HandleFunc("GET /hooks/settings", h.settings)
	return recall.RecordDelivered(mux)
}

// input is the used part of Claude Code's input. Absent fields are empty.
type input struct {
	SessionID      string `json:"session_id"`
	TranscriptPath string `json:"transcript_path"`
	Cwd            string `json:"cwd"`
	Source         string `json:"source"` // reason of a session's start
	Prompt         string `json:"prompt"`
	ToolName       string `json:"tool_name"`
	ToolInput      struct {
		FilePath string `json:"file_path"`
	} `json:"tool_input"`
}

func (in input) conversation() agents.Conversation {
	return agents.Conversation{Transcript: in.TranscriptPath, Dir: in.Cwd}
}

// output is the answer to Claude Code. The zero value is an empty object.
type output struct {
	Specific *specific `json:"hookSpecificOutput,omitempty"`
}

type specific struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

// contextOutput returns an answer to the event that adds text to the conversation. If text is
// empty, it returns the zero output.
func contextOutput(event, text string) output {
	if text == "" {
		return output{}
	}
	return output{&specific{event, text}}
}

func (h *Hooks) handle(answer func(context.Context, agents.Agent, input) output) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var out output
		in, err := read(r.Body)
		if err == nil {
			var agent agents.Agent
			agent, err = h.agentOf(r.Context(), r.URL.Query().Get("agent"), in)
			switch {
			case err != nil:
			case h.engine.IsOffInClaude(agent, in.conversation()):
				err = errors.New("Claude Code's memory is off for " + agent.Slug)
			default:
				out = answer(r.Context(), agent, in)
			}
		}
		if err != nil {
			h.log.Info("hook answered without content", "hook", r.URL.Path, "why", err)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out) // the agent may have disconnected
	}
}

func read(body io.Reader) (in input, err error) {
	raw, err := io.ReadAll(io.LimitReader(body, maxInput+1))
	switch {
	case err != nil:
		return in, errors.New("input is incomplete")
	case len(raw) > maxInput:
		_, _ = io.CopyN(io.Discard, body, maxDrained)
		return in, errors.New("input is larger than 2 MiB")
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return in, errors.New("input is not the JSON of a hook")
	}
	return in, nil
}

// agentOf returns the agent with that slug, or if slug is empty, the agent that the conversation
// belongs to. An agent whose directory links to another agent's is replaced by that one. It returns
// an error if the slug is unknown, or no agent or several own the conversation.
func (h *Hooks) agentOf(ctx context.Context, slug string, in input) (agents.Agent, error) {
	if slug != "" {
		if a, ok := h.engine.AgentNamed(ctx, slug); ok {
			return a, nil
		}
		return agents.Agent{}, errors.New("agent not found: " + slug)
	}
	found, err := h.engine.AgentsOf(ctx, in.conversation())
	switch {
	case err != nil:
		return agents.Agent{}, err
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return agents.Agent{}, fmt.Errorf("no agent owns the conversation in %q", in.Cwd)
	}
	slugs := make([]string, len(found))
	for i, a := range found {
		slugs[i] = a.Slug
	}
	return agents.Agent{}, fmt.Errorf("several agents own the conversation in %q (%s); name one with ?agent=",
		in.Cwd, strings.Join(slugs, ", "))
}

// userPromptSubmit answers with the memories recalled for a prompt. It never waits for a model,
// whose choice comes with a later hook of the session. The answer is empty if no memory fits, and
// after a failure or timeout, which it logs.
func (h *Hooks) userPromptSubmit(ctx context.Context, agent agents.Agent, in input) output {
	return h.recalled(ctx, agent, "UserPromptSubmit", in, h.recaller.ForPrompt)
}

// recalled answers an event with the memories that get returns for the input. The answer is
// empty after a failure or timeout, which it logs.
func (h *Hooks) recalled(ctx context.Context, agent agents.Agent, event string, in input, get func(context.Context, recall.Request) (recall.Result, error)) output {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	result, err := get(ctx, recall.Request{
		Agent: agent.Slug, Query: in.Prompt, Session: in.SessionID, From: recall.FromHook, MaxText: maxContext, ReadOnly: gate.ReadOnly(ctx),
	})
	if err != nil {
		h.log.Warn("hook answered without memories", "event", event, "agent", agent.Slug, "error", err)
		return output{}
	}
	return contextOutput(event, fence.Blocks(result.Blocks()))
}

// postToolUse answers with the memories that a model has meanwhile chosen for the session's prompt.
// It also requests a scan of the file that a tool of the agent has written, if the input names one,
// and counts the read of a memory's file. It does not wait for the model or the scan, and for a
// read-only caller it does nothing.
func (h *Hooks) postToolUse(ctx context.Context, agent agents.Agent, in input) output {
	switch file := in.ToolInput.FilePath; {
	case file == "":
	case in.ToolName == "Read":
		h.recordRead(ctx, agent, file)
	default:
		h.hint(ctx, agent, file)
	}
	return h.recalled(ctx, agent, "PostToolUse", in, h.recaller.Late)
}

// recordRead counts that the agent has read a file, an absolute path, if that is a memory's. It does
// nothing for a read-only caller, and logs an error.
func (h *Hooks) recordRead(ctx context.Context, agent agents.Agent, file string) {
	relPath, inside := agent.Linked(".", filepath.ToSlash(filepath.Clean(file)))
	if gate.ReadOnly(ctx) || !inside || !filepath.IsAbs(file) {
		return
	}
	row, err := h.store.AgentUncounted(ctx, agent.Slug)
	if err == nil {
		err = h.store.RecordMemoryRead(ctx, row.ID, relPath, records.Now())
	}
	if err != nil {
		h.log.Warn("memory read not counted", "agent", agent.Slug, "file", relPath, "error", err)
	}
}

// hint requests a scan of a file, or of the agent's whole directory if file is empty, and does not
// wait for it. It does nothing for a read-only caller.
func (h *Hooks) hint(ctx context.Context, agent agents.Agent, file string) {
	if !gate.ReadOnly(ctx) {
		h.engine.RequestScan(agent.Slug, file)
	}
}

// preCompact requests a scan of the agent's directory, unless the caller is read-only, and does not
// wait for it. Its answer is empty.
func (h *Hooks) preCompact(ctx context.Context, agent agents.Agent, _ input) output {
	h.hint(ctx, agent, "")
	return output{}
}

// stop requests a scan of the agent's directory. If extraction is on, it also queues the
// conversation to be read. It waits at most scheduleTimeout until that is stored, so that a crash
// does not lose it. For a read-only caller it does neither, because reading costs tokens and may
// create a memory. Its answer is empty; an error only appears in the log.
func (h *Hooks) stop(ctx context.Context, agent agents.Agent, in input) output {
	h.hint(ctx, agent, "")
	if !h.extractor.Reads() || in.TranscriptPath == "" || gate.ReadOnly(ctx) {
		return output{}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
		defer cancel()
		if err := h.extractor.ScheduleRead(ctx, agent.Slug, in.TranscriptPath); err != nil {
			h.log.Warn("conversation not queued for extraction", "agent", agent.Slug, "why", err)
		}
	}()
	select {
	case <-done:
	case <-time.After(scheduleTimeout):
	}
	return output{}
}
