package sync

import (
	"context"

	"memoir/internal/agents"
	"memoir/internal/records"
	"memoir/internal/sync/events"
)

// About is what there is to know of where an agent's memory is.
type About struct {
	agents.MemoryLocation
	// Committed says of what is written into a project's repository whether it is committed; of any other agent it is empty.
	Committed agents.Committed
}

// About says where an agent's memory is, for whom it is, and whether Claude Code keeps one, as the server sees it on whose disk the agent's
// directory is. It fails with memories.ErrNotFound.
func (e *Engine) About(ctx context.Context, slug string) (About, error) {
	return callAbout.read(ctx, e, slug, aboutOp{})
}

func (e *Engine) aboutLocal(ctx context.Context, slug string, _ aboutOp) (About, error) {
	row, err := e.store.AgentUncounted(ctx, slug)
	if err != nil {
		return About{}, err
	}
	about := About{MemoryLocation: agents.LocateMemory(e.options.Places, onDisk(row))}
	if about.Scope == agents.ProjectScope || about.Scope == agents.LocalScope {
		about.Committed = agents.CommittedOf(ctx, row.Dir)
	}
	return about, nil
}

// SeenBy says in a sentence who else has what the agent remembers.
func (a About) SeenBy() string {
	switch a.Scope {
	case agents.UserScope:
		return "All your projects on this machine, and nobody else."
	case agents.ProjectScope:
		switch a.Committed {
		case agents.IsIgnored:
			return "Only you, on this machine: the repository ignores the directory, although this scope is meant to be committed."
		case agents.IsCommitted:
			return "Everybody who clones the repository, once it is committed."
		}
		return "Everybody who clones the repository, once it is committed, unless the repository ignores the directory."
	case agents.LocalScope:
		if a.Committed == agents.IsCommitted {
			return "Only you, on this machine, as long as nobody commits it: the repository does not ignore the directory."
		}
		return "Only you, on this machine."
	}
	if a.ByClaude {
		return "Only you, on this machine."
	}
	return ""
}

// SwitchMemory switches an agent's memory off or on, and returns the agent. With its memory off, CLAUDE.md does not ask it to save,
// and nothing is extracted or consolidated; what it remembers stays, and stays published. CLAUDE.md says so on disk when SwitchMemory
// returns, unless something is in its way, which the agent then says. It fails with memories.ErrNotFound.
func (e *Engine) SwitchMemory(ctx context.Context, slug string, off bool) (records.Agent, error) {
	if _, err := callSwitchMemory.do(ctx, e, slug, switchMemoryOp{off}); err != nil {
		return records.Agent{}, err
	}
	return e.store.Agent(ctx, slug)
}

func (e *Engine) switchMemoryLocal(ctx context.Context, slug string, op switchMemoryOp) (nothing, error) {
	return nothing{}, e.withAgent(ctx, slug, func(h *hold) error {
		changed, err := h.w.SetMemoryOff(ctx, op.Off)
		if err != nil {
			return err
		}
		if changed {
			defer h.hub.Emit(events.Event{Agent: slug, Kind: events.Scanned})
		}
		return h.publish(ctx) // also where nothing has changed: it may be asked again after a crash in between
	})
}
