// Package hooks answers the hooks of Claude Code: it gives an agent its memories when a conversation
// begins and with each prompt, and has the files scanned that the agent writes. The agent is the one
// to which the conversation belongs, also after a cd. A hook never keeps the agent waiting and never
// fails: work that cannot be done in time is skipped and logged, and the answer is an empty object.
//
// It asks the recaller and hints to the engine; it writes nothing itself. cmd/server puts it under /hooks/.
package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/extraction"
	"memoir/internal/gate"
	"memoir/internal/recall"
	"memoir/internal/records"
	"memoir/internal/sync"
)

const (
	// promptly is how long an answer may take where no model is asked. It usually takes some milliseconds. A busy
	// machine must not cost the agent its memories: the model that waits for them takes seconds anyway.
	promptly = time.Second
	// patiently is how long one may take where a model is: what the recaller grants it, and the way there and back.
	patiently = 2500 * time.Millisecond
	// afterwards is how long noting a conversation may take before it goes on without the hook: by then the agent has answered, and
	// SessionEnd gives 1.5 s.
	afterwards = time.Second
	// mostInput is the longest input that is read, in bytes; the prompt in it may be a pasted file.
	mostInput = 2 << 20
	// mostDrained is how much more of a longer one is taken from the line, so that whoever sends it gets the answer.
	mostDrained = 64 << 20
	// mostContext is from where on Claude Code writes what it is given into a file, in characters.
	mostContext = 10_000
)

// Hooks answers them.
type Hooks struct {
	engine    *sync.Engine
	store     records.RecallCandidates
	recaller  *recall.Recaller
	extractor *extraction.Extractor
	log       *slog.Logger
}

// New returns the handler of everything under /hooks/. It expects whole paths.
func New(engine *sync.Engine, store records.RecallCandidates, recaller *recall.Recaller, extractor *extraction.Extractor, log *slog.Logger) http.Handler {
	h := &Hooks{engine, store, recaller, extractor, log}
	mux := http.NewServeMux()
	for path, answer := range map[string]func(context.Context, agents.Agent, input) output{
		"session-start": h.sessionStart, "user-prompt-submit": h.userPromptSubmit, "post-tool-use": h.postToolUse,
		"stop": h.stop, "pre-compact": h.look, "session-end": h.stop,
	} {
		mux.HandleFunc("POST /hooks/"+path, h.handle(answer))
	}
	return mux
}

// input is what Claude Code says of an event, as far as it is of use. Whatever is not there is empty.
type input struct {
	SessionID      string `json:"session_id"`
	TranscriptPath string `json:"transcript_path"`
	Cwd            string `json:"cwd"`
	Source         string `json:"source"` // of a session's start
	Prompt         string `json:"prompt"`
	ToolInput      struct {
		FilePath string `json:"file_path"`
	} `json:"tool_input"`
}

// output is what Claude Code is answered; nothing in it is the empty object.
type output struct {
	Specific *specific `json:"hookSpecificOutput,omitempty"`
}

type specific struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

// telling puts text into the conversation; without any it is the empty answer.
func telling(event, text string) output {
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
			if agent, err = h.agentOf(r.URL.Query().Get("agent"), in); err == nil {
				out = answer(r.Context(), agent, in)
			}
		}
		if err != nil {
			h.log.Info("a hook was answered with nothing", "hook", r.URL.Path, "why", err)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out) // the agent may be gone
	}
}

func read(body io.Reader) (in input, err error) {
	raw, err := io.ReadAll(io.LimitReader(body, mostInput+1))
	switch {
	case err != nil:
		return in, errors.New("the input did not arrive whole")
	case len(raw) > mostInput:
		_, _ = io.CopyN(io.Discard, body, mostDrained)
		return in, errors.New("the input is larger than 2 MiB")
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return in, errors.New("the input is not the JSON of a hook")
	}
	return in, nil
}

// agentOf returns the agent that is named, or whose memory the conversation belongs to.
func (h *Hooks) agentOf(slug string, in input) (agents.Agent, error) {
	if slug != "" {
		all := h.engine.Agents()
		for _, a := range all {
			if a.Slug == slug {
				return agents.ResolveJoined([]agents.Agent{a}, all)[0], nil
			}
		}
		return agents.Agent{}, errors.New("there is no agent " + slug)
	}
	found, err := h.engine.AgentsOf(agents.Conversation{Transcript: in.TranscriptPath, Dir: in.Cwd})
	switch {
	case err != nil:
		return agents.Agent{}, err
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return agents.Agent{}, fmt.Errorf("no agent's memory belongs to the conversation in %q", in.Cwd)
	}
	slugs := make([]string, len(found))
	for i, a := range found {
		slugs[i] = a.Slug
	}
	return agents.Agent{}, fmt.Errorf("the memory of several agents belongs to the conversation in %q (%s); name one with ?agent=",
		in.Cwd, strings.Join(slugs, ", "))
}

// userPromptSubmit gives what the agent remembers about a prompt.
func (h *Hooks) userPromptSubmit(ctx context.Context, agent agents.Agent, in input) output {
	within := promptly
	if h.recaller.HasModel() {
		within = patiently
	}
	result := h.recaller.ForPrompt(recall.Request{
		Agent: agent.Slug, Query: in.Prompt, Session: in.SessionID, From: recall.FromHook, MostText: mostContext, ReadOnly: gate.ReadOnly(ctx),
	}, within)
	return telling("UserPromptSubmit", strings.Join(result.Blocks(), "\n\n"))
}

// postToolUse has a file looked at that the agent has written.
func (h *Hooks) postToolUse(ctx context.Context, agent agents.Agent, in input) output {
	if file := in.ToolInput.FilePath; file != "" {
		h.hint(ctx, agent, file)
	}
	return output{}
}

// hint asks for a scan of a file, or of all if file is empty. A caller that may only read causes none.
func (h *Hooks) hint(ctx context.Context, agent agents.Agent, file string) {
	if !gate.ReadOnly(ctx) {
		h.engine.Hint(agent.Slug, file)
	}
}

// look has all of the agent's directory looked at.
func (h *Hooks) look(ctx context.Context, agent agents.Agent, _ input) output {
	h.hint(ctx, agent, "")
	return output{}
}

// stop has what the agent wrote looked at, and its conversation read once it has been silent. The hook is answered when that is kept, so
// that it is not lost with the server. Who may only read has none read: that costs tokens, and may end in a memory.
func (h *Hooks) stop(ctx context.Context, agent agents.Agent, in input) output {
	h.hint(ctx, agent, "")
	if !h.extractor.Reads() || in.TranscriptPath == "" || gate.ReadOnly(ctx) {
		return output{}
	}
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
		defer cancel()
		if err := h.extractor.ScheduleRead(ctx, agent.Slug, in.TranscriptPath); err != nil {
			h.log.Warn("a conversation is not read for what it has to remember", "agent", agent.Slug, "why", err)
		}
	}()
	select {
	case <-kept:
	case <-time.After(afterwards):
	}
	return output{}
}
