package sync

import (
	"context"
	"slices"
	"time"

	"memoir/internal/agents"
	"memoir/internal/lockfile"
	"memoir/internal/records"
	"memoir/internal/sync/agentdir"
	"memoir/internal/sync/ops"
)

// Agents returns the agents that this server's last discovery found on disk, in no order. It never
// waits.
func (e *Engine) Agents() []agents.Agent { return slices.Clone(e.discoverer.Snapshot().Agents) }

// AgentsOf returns the agents of the last discovery to which a conversation belongs: the agent of
// the transcript's project, else the agents of the directory where the conversation started. It
// returns several if the conversation is ambiguous, and none if no agent fits. It fails if no
// absolute directory is known, or if too few files can be opened.
func (e *Engine) AgentsOf(c agents.Conversation) ([]agents.Agent, error) {
	return agents.AgentsOf(c, e.options.Places.ClaudeDir, e.discoverer.Snapshot().Agents)
}

// HoldsLease reports whether this server holds the agent's lease. At most one server does.
func (e *Engine) HoldsLease(slug string) bool { return e.node.HoldsLease(slug) }

// HasDirectory reports whether the agent's directory is on this server's disk, also if another
// server holds the lease.
func (e *Engine) HasDirectory(ctx context.Context, slug string) bool {
	return e.node.HasDirectory(ctx, slug)
}

// About returns where the agent's memory is, who can see it, and whether Claude Code manages it. A
// server with the agent's directory finds that out. It fails with memories.ErrNotFound.
func (e *Engine) About(ctx context.Context, slug string) (About, error) {
	return e.calls.about.Read(ctx, slug, agentdir.AboutOp{})
}

// SwitchMemory switches an agent's memory off or on, and returns the agent. While it is off,
// CLAUDE.md does not ask the agent to save, and there is no extraction or consolidation. Existing
// memories stay published. When it returns, CLAUDE.md is written, or ClaudeMD.Problem of the agent
// gives the reason. It fails with memories.ErrNotFound.
func (e *Engine) SwitchMemory(ctx context.Context, slug string, off bool) (records.Agent, error) {
	if _, err := e.calls.switchMemory.Do(ctx, slug, ops.SwitchMemoryOp{Off: off}); err != nil {
		return records.Agent{}, err
	}
	return e.store.Agent(ctx, slug)
}

// Forget deletes the rows of an agent whose directory is absent, with its memories and their
// history. It returns the agent as it was. It fails with memories.ErrNotFound, and with
// *memories.ConflictError if the directory exists or may exist on another server's disk.
func (e *Engine) Forget(ctx context.Context, slug string) (records.Agent, error) {
	return e.calls.forget.Do(ctx, slug, ops.ForgetOp{})
}

// SessionMemories returns an agent's session memories on disk, newest first, with an empty Text. It
// leaves out unreadable ones. It fails with memories.ErrNotFound.
func (e *Engine) SessionMemories(ctx context.Context, slug string) ([]agents.SessionMemory, error) {
	return e.calls.sessionMemories.Read(ctx, slug, agentdir.SessionMemoriesOp{})
}

// SessionMemory returns the session memory of one session, with its text. It fails with
// memories.ErrNotFound for an unknown agent or session, and with *memories.ConflictError if the
// file cannot be read.
func (e *Engine) SessionMemory(ctx context.Context, slug, session string) (agents.SessionMemory, error) {
	return e.calls.sessionMemory.Read(ctx, slug, agentdir.SessionMemoryOp{Session: session})
}

// ConversationsSince counts an agent's conversations that changed after since, up to limit, without
// one in progress. Conversations.Known is false if they cannot be counted. It fails with
// memories.ErrNotFound.
func (e *Engine) ConversationsSince(ctx context.Context, slug string, since time.Time, limit int) (Conversations, error) {
	return e.calls.conversations.Read(ctx, slug, agentdir.ConversationsOp{Since: since, Max: limit})
}

// ConsolidationLock returns the state of the lock file in the agent's primary directory. It keeps
// Memoir and Claude Code from consolidating at the same time. It fails with memories.ErrNotFound.
func (e *Engine) ConsolidationLock(ctx context.Context, slug string) (ConsolidationLock, error) {
	return e.calls.consolidationLock.Read(ctx, slug, agentdir.ConsolidationLockOp{})
}

// BeginConsolidation takes the consolidation lock. The caller must pass the result to
// EndConsolidation. It fails with memories.ErrNotFound, and with *memories.ConflictError if the
// lock is taken, or its file cannot be written.
func (e *Engine) BeginConsolidation(ctx context.Context, slug string) (lockfile.Taken, error) {
	return e.calls.consolidate.Do(ctx, slug, agentdir.ConsolidateOp{Verb: agentdir.ConsolidationBegin})
}

// CheckConsolidation fails with *memories.ConflictError if another process has taken the lock since
// BeginConsolidation, or the directory is absent.
func (e *Engine) CheckConsolidation(ctx context.Context, slug string, taken lockfile.Taken) error {
	_, err := e.calls.consolidate.Do(ctx, slug, agentdir.ConsolidateOp{Verb: agentdir.ConsolidationCheck, Taken: taken})
	return err
}

// EndConsolidation releases the lock. The lock file then shows now as the time of the last
// consolidation. If failed, it shows the time from before BeginConsolidation.
func (e *Engine) EndConsolidation(ctx context.Context, slug string, taken lockfile.Taken, failed bool) error {
	op := agentdir.ConsolidateOp{Verb: agentdir.ConsolidationEnd, Taken: taken}
	if failed {
		op.Verb = agentdir.ConsolidationFail
	}
	_, err := e.calls.consolidate.Do(ctx, slug, op)
	return err
}
