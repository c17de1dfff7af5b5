// Package agentdir reads and writes files that requests name by their paths: files for the memory
// tool, logs, session memories, and the consolidation lock. It also describes the location of an
// agent's memory.
//
// The Engine calls it. It scans the files that it has written, and the scan changes the memories.
// Package ops changes memories by their names and ids.
package agentdir

import (
	"context"
	"errors"
	"io/fs"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/publish"
	"memoir/internal/sync/scan"
)

// Directory reads and writes files of the agents' directories. All fields are required. Its methods
// are safe for concurrent use.
type Directory struct {
	Store     *postgres.Store
	Places    agents.Settings
	Agents    *agenttx.Manager
	Scanner   *scan.Scanner
	Publisher *publish.Publisher
}

// About describes the location of an agent's memory.
type About struct {
	agents.MemoryLocation
	// Committed is whether git commits the memory. It is empty if the memory is not in a project.
	Committed agents.Committed
}

// AboutOp is the argument of About.
type AboutOp struct{}

// About returns the location of an agent's memory, and whether git commits it. It reads the
// settings of Claude Code and the project on this server's disk. It returns memories.ErrNotFound
// for an unknown agent.
func (d *Directory) About(ctx context.Context, slug string, _ AboutOp) (About, error) {
	row, err := d.Store.AgentUncounted(ctx, slug)
	if err != nil {
		return About{}, err
	}
	about := About{MemoryLocation: agents.LocateMemory(d.Places, agenttx.AgentOf(row))}
	if about.Scope == agents.ProjectScope || about.Scope == agents.LocalScope {
		about.Committed = agents.CommittedOf(ctx, row.Dir)
	}
	return about, nil
}

// SeenBy returns an English sentence about the people who can read the agent's memory, or "" if
// that is unknown.
func (a About) SeenBy() string {
	switch a.Scope {
	case agents.UserScope:
		return "Only you, in all your projects on this machine."
	case agents.ProjectScope:
		switch a.Committed {
		case agents.IsIgnored:
			return "Only you, on this machine: the repository ignores the directory."
		case agents.IsCommitted:
			return "Everyone who clones the repository, once committed."
		}
		return "Everyone who clones the repository, unless it ignores the directory."
	case agents.LocalScope:
		if a.Committed == agents.IsCommitted {
			return "Only you, on this machine, until the directory is committed."
		}
		return "Only you, on this machine."
	}
	if a.ByClaude {
		return "Only you, on this machine."
	}
	return ""
}

// SessionMemoriesOp is the argument of SessionMemories.
type SessionMemoriesOp struct{}

// SessionMemories returns the agent's session memories on disk, newest first, with an empty Text.
// It leaves out unreadable ones, and returns nil if the agent has none. It returns
// memories.ErrNotFound for an unknown agent.
func (d *Directory) SessionMemories(ctx context.Context, slug string, _ SessionMemoriesOp) ([]agents.SessionMemory, error) {
	row, err := d.Store.AgentUncounted(ctx, slug)
	if err != nil {
		return nil, err
	}
	var all []agents.SessionMemory
	for _, listed := range agents.SessionMemories(agenttx.AgentOf(row)) {
		if m, err := agents.ReadSessionMemory(agenttx.AgentOf(row), listed.Session); err == nil {
			m.Text = ""
			all = append(all, m)
		}
	}
	return all, nil
}

// SessionMemoryOp configures SessionMemory. Session is the directory name of the session.
type SessionMemoryOp struct{ Session string }

// SessionMemory returns the session memory of one session, with its text. It returns
// memories.ErrNotFound for an unknown agent or a session without a memory, and
// *memories.ConflictError if the file cannot be read.
func (d *Directory) SessionMemory(ctx context.Context, slug string, op SessionMemoryOp) (agents.SessionMemory, error) {
	row, err := d.Store.AgentUncounted(ctx, slug)
	if err != nil {
		return agents.SessionMemory{}, err
	}
	m, err := agents.ReadSessionMemory(agenttx.AgentOf(row), op.Session)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return m, memories.ErrNotFound
	case err != nil:
		return m, &memories.ConflictError{Reason: "The session memory of " + op.Session + " cannot be read (" + agenttx.FSCause(err).Error() + "). Nothing was changed. Give Memoir's user read access."}
	}
	return m, nil
}
