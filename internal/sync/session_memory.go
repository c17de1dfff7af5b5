package sync

import (
	"context"
	"errors"
	"io/fs"

	"memoir/internal/agents"
	"memoir/internal/memories"
)

// SessionMemories returns the session memories of an agent without their texts, the newest first, as they are on disk now. It fails with
// memories.ErrNotFound.
func (e *Engine) SessionMemories(ctx context.Context, slug string) ([]agents.SessionMemory, error) {
	return callSessionMemories.read(ctx, e, slug, sessionMemoriesOp{})
}

// SessionMemory returns that of one session. It fails with memories.ErrNotFound where there is none, and with *memories.ConflictError
// where it cannot be read.
func (e *Engine) SessionMemory(ctx context.Context, slug, session string) (agents.SessionMemory, error) {
	return callSessionMemory.read(ctx, e, slug, sessionMemoryOp{session})
}

func (e *Engine) sessionMemoriesLocal(ctx context.Context, slug string, _ sessionMemoriesOp) ([]agents.SessionMemory, error) {
	row, err := e.store.AgentUncounted(ctx, slug)
	if err != nil {
		return nil, err
	}
	var all []agents.SessionMemory
	for _, listed := range agents.SessionMemories(onDisk(row)) {
		if m, err := agents.ReadSessionMemory(onDisk(row), listed.Session); err == nil { // else it has gone, or is shown when it is opened
			m.Text = ""
			all = append(all, m)
		}
	}
	return all, nil
}

func (e *Engine) sessionMemoryLocal(ctx context.Context, slug string, op sessionMemoryOp) (agents.SessionMemory, error) {
	row, err := e.store.AgentUncounted(ctx, slug)
	if err != nil {
		return agents.SessionMemory{}, err
	}
	m, err := agents.ReadSessionMemory(onDisk(row), op.Session)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return m, memories.ErrNotFound
	case err != nil:
		return m, &memories.ConflictError{Reason: "The session memory of " + op.Session + " cannot be read (" + fsCause(err).Error() + "). Nothing was changed. Let the user that Memoir runs as read it."}
	}
	return m, nil
}
