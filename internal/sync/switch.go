package sync

import (
	"context"

	"memoir/internal/records"
	"memoir/internal/sync/events"
)

// SwitchMemory switches an agent's memory off or on, and returns the agent. With its memory off, CLAUDE.md does not ask it to save,
// and nothing is extracted or consolidated; what it remembers stays, and stays published. CLAUDE.md says so on disk when SwitchMemory
// returns, unless something is in its way, which the agent then says. It fails with memories.ErrNotFound.
func (e *Engine) SwitchMemory(ctx context.Context, slug string, off bool) (records.Agent, error) {
	if _, err := callSwitchMemory.do(ctx, e, slug, switchMemoryOp{off}); err != nil {
		return records.Agent{}, err
	}
	return e.store.Agent(ctx, slug)
}

func (e *Engine) switchMemoryHere(ctx context.Context, slug string, op switchMemoryOp) (nothing, error) {
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
