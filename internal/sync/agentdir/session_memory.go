package agentdir

import (
	"context"
	"errors"
	"io/fs"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/sync/agenttx"
)

func (d *Directory) SessionMemories(ctx context.Context, slug string, _ SessionMemoriesOp) ([]agents.SessionMemory, error) {
	row, err := d.Store.AgentUncounted(ctx, slug)
	if err != nil {
		return nil, err
	}
	var all []agents.SessionMemory
	for _, listed := range agents.SessionMemories(agenttx.OnDisk(row)) {
		if m, err := agents.ReadSessionMemory(agenttx.OnDisk(row), listed.Session); err == nil { // else it has gone, or is shown when it is opened
			m.Text = ""
			all = append(all, m)
		}
	}
	return all, nil
}

func (d *Directory) SessionMemory(ctx context.Context, slug string, op SessionMemoryOp) (agents.SessionMemory, error) {
	row, err := d.Store.AgentUncounted(ctx, slug)
	if err != nil {
		return agents.SessionMemory{}, err
	}
	m, err := agents.ReadSessionMemory(agenttx.OnDisk(row), op.Session)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return m, memories.ErrNotFound
	case err != nil:
		return m, &memories.ConflictError{Reason: "The session memory of " + op.Session + " cannot be read (" + agenttx.FSCause(err).Error() + "). Nothing was changed. Let the user that Memoir runs as read it."}
	}
	return m, nil
}

type SessionMemoriesOp struct{}

type SessionMemoryOp struct{ Session string }
