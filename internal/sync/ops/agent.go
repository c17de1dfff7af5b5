package ops

import (
	"context"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/cluster"
	"memoir/internal/sync/events"
)

// ForgetOp is the argument of Forget.
type ForgetOp struct{}

// Forget deletes an agent whose directory is missing, or is no agent's any more, with its memories
// and their history, from the database. It sends an event and returns the agent's former row. If
// all agents shared its memories, it also writes the CLAUDE.md of the others; a failure there is
// only logged. Errors to test for: memories.ErrNotFound for an unknown slug, and
// *memories.ConflictError if the agent is present, or on a server that does not respond. Nothing
// was deleted then.
func (s *Service) Forget(ctx context.Context, slug string, _ ForgetOp) (records.Agent, error) {
	row, err := agenttx.Do(ctx, s.Agents, slug, func(tx *agenttx.Tx) (records.Agent, error) {
		row, err := s.Store.Agent(ctx, slug)
		if err != nil {
			return row, err
		}
		if tx.Closed != nil {
			return row, tx.ClosedError()
		}
		if tx.Root != nil && row.Present {
			return row, &memories.ConflictError{Reason: "Directory " + row.Dir + " exists, so Memoir would find the agent again. Nothing was removed. Remove or move the directory first."}
		}
		if row.Present && s.Node.Term(tx.State.ID) == 0 {
			return row, &memories.ConflictError{Reason: "Directory " + row.Dir + " is on another server, which does not respond. Nothing was removed. Try again in a few minutes."}
		}
		if err := s.Publisher.RemoveTargets(ctx, tx); err != nil {
			return row, err
		}
		return row, s.Store.DeleteAgent(ctx, tx.State.ID)
	})
	if err != nil {
		return records.Agent{}, err
	}
	s.Agents.Drop(slug)
	s.Hub.Emit(events.Event{Agent: slug, Kind: events.Deleted})
	if row.SharesMemories() {
		if _, err := s.Publisher.PublishOthers(ctx); err != nil {
			s.Log.Warn("CLAUDE.md of other agents not updated after an agent was forgotten", "error", err)
		}
	}
	return row, nil
}

// SwitchMemoryOp configures SwitchMemory.
type SwitchMemoryOp struct{ Off bool }

// SwitchMemory switches the agent's memory off or on and writes its CLAUDE.md, also if nothing
// changes. With memory off, CLAUDE.md does not ask the agent to save, and has no shared memories;
// the agent's own stay. If CLAUDE.md cannot be written, SwitchMemory returns nil; the agent's row
// has the reason. It returns memories.ErrNotFound for an unknown slug.
func (s *Service) SwitchMemory(ctx context.Context, slug string, op SwitchMemoryOp) (cluster.Nothing, error) {
	return cluster.Nothing{}, s.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		changed, err := tx.DB.SetMemoryOff(ctx, op.Off)
		if err != nil {
			return err
		}
		if changed {
			defer tx.Emit(events.Scanned, "")
		}
		// Publish also without a change, because an earlier call may have been interrupted here.
		_, err = s.Publisher.Run(ctx, tx, nil)
		return err
	})
}
