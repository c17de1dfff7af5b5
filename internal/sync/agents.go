package sync

import (
	"context"
	"slices"
	"time"

	"memoir/internal/access"
	"memoir/internal/agents"
	"memoir/internal/lockfile"
	"memoir/internal/records"
	"memoir/internal/sync/agentdir"
	"memoir/internal/sync/ops"
)

// AgentNamed returns the agent with a slug that this server's last discovery found on disk. If its
// directory is a link to another agent's, it returns that one. ok is false if there is none, or the
// request of ctx may not see it. It never waits.
func (e *Engine) AgentNamed(ctx context.Context, slug string) (found agents.Agent, ok bool) {
	all := e.discoverer.Snapshot().Agents
	i := slices.IndexFunc(all, func(a agents.Agent) bool { return a.Slug == slug })
	if i < 0 || !access.Of(ctx).Sees(slug) {
		return agents.Agent{}, false
	}
	found = agents.ResolveJoined(all[i:i+1], all)[0]
	return found, access.Of(ctx).Sees(found.Slug)
}

// AgentsOf returns the agents to which a conversation belongs. These are the agent of the
// transcript's project, else the agents of the directory where the conversation started. Without
// any, it runs a discovery if the transcript's project is new or files that decide have changed. It
// returns several agents if the conversation is ambiguous, and no error and no agent if no agent
// fits. It leaves out agents that the request of ctx may not see. It fails if no absolute directory is
// known, or with the errors of Discoverer.Run.
func (e *Engine) AgentsOf(ctx context.Context, c agents.Conversation) ([]agents.Agent, error) {
	found, err := e.agentsOf(access.AsServer(ctx), c)
	grant := access.Of(ctx)
	return slices.DeleteFunc(found, func(a agents.Agent) bool { return !grant.Sees(a.Slug) }), err
}

func (e *Engine) agentsOf(ctx context.Context, c agents.Conversation) ([]agents.Agent, error) {
	found, err := agents.AgentsOf(c, e.options.Places.ClaudeDir, e.discoverer.Snapshot().Agents)
	if err != nil || len(found) > 0 {
		return found, err
	}
	claudeDir := e.options.Places.ClaudeDir
	if ran, err := e.discoverer.Refresh(ctx, c.ProjectDirectory(claudeDir)); err != nil || !ran {
		return nil, err
	}
	return agents.AgentsOf(c, claudeDir, e.discoverer.Snapshot().Agents)
}

// IsOffInClaude reports whether Claude Code has switched off the memory of an agent of Agents, by
// the settings on this server's disk and its environment. c is a conversation of the agent. About
// has the reasons. It is false for an agent that Claude Code does not manage.
func (e *Engine) IsOffInClaude(a agents.Agent, c agents.Conversation) bool {
	return c.IsOff(e.options.Places, a)
}

// HoldsLease reports whether this server holds the agent's lease. At most one server does. It never
// waits, and is false for an unknown agent.
func (e *Engine) HoldsLease(slug string) bool { return e.node.HoldsLease(slug) }

// HasDirectory reports whether the agent's directory is on this server's disk, also if another
// server holds the lease. It waits for the agent's lock, and reports false if ctx ends first or
// this process does not know the agent.
func (e *Engine) HasDirectory(ctx context.Context, slug string) bool {
	return e.node.HasDirectory(ctx, slug)
}

// About returns the location of the agent's memory, whether git commits it, and whether Claude Code
// manages it. A server that has the agent's directory determines these. It fails with
// memories.ErrNotFound for an unknown agent.
func (e *Engine) About(ctx context.Context, slug string) (About, error) {
	return e.calls.about.Read(ctx, slug, agentdir.AboutOp{})
}

// SwitchMemory switches an agent's memory off or on, and returns the agent. While it is off,
// CLAUDE.md does not ask the agent to save, and there is no extraction or consolidation. Existing
// memories stay published. It writes CLAUDE.md; if it cannot, the error is nil and the agent's
// ClaudeMD.Problem is the reason. It fails with memories.ErrNotFound for an unknown agent.
func (e *Engine) SwitchMemory(ctx context.Context, slug string, off bool) (records.Agent, error) {
	if _, err := e.calls.switchMemory.Do(ctx, slug, ops.SwitchMemoryOp{Off: off}); err != nil {
		return records.Agent{}, err
	}
	return e.store.Agent(ctx, slug)
}

// Forget deletes the rows of an agent whose directory is absent, or is no agent's any more because
// a setting has moved its memory. It deletes its memories and their history, and sends a Deleted
// event. It changes nothing on disk. It returns the agent as it was. It fails with
// memories.ErrNotFound for an unknown agent, and with *memories.ConflictError if the agent is
// present or may be on another server's disk.
func (e *Engine) Forget(ctx context.Context, slug string) (records.Agent, error) {
	return e.calls.forget.Do(ctx, slug, ops.ForgetOp{})
}

// SessionMemories returns an agent's session memories on disk, newest first, with an empty Text. It
// leaves out unreadable ones, and returns nil if the agent has none. It fails with
// memories.ErrNotFound for an unknown agent.
func (e *Engine) SessionMemories(ctx context.Context, slug string) ([]agents.SessionMemory, error) {
	return e.calls.sessionMemories.Read(ctx, slug, agentdir.SessionMemoriesOp{})
}

// SessionMemory returns the session memory of one session, with its text. It fails with
// memories.ErrNotFound for an unknown agent or a session without a memory, and with
// *memories.ConflictError if the file cannot be read.
func (e *Engine) SessionMemory(ctx context.Context, slug, session string) (agents.SessionMemory, error) {
	return e.calls.sessionMemory.Read(ctx, slug, agentdir.SessionMemoryOp{Session: session})
}

// ConversationsSince counts an agent's conversations that changed after since; the count stops at
// limit. It does not count the newest conversation of a project of Claude Code if it is in
// progress. Conversations.Known is false, without an error, if the agent's layout has none to
// count. It fails with memories.ErrNotFound for an unknown agent.
func (e *Engine) ConversationsSince(ctx context.Context, slug string, since time.Time, limit int) (Conversations, error) {
	return e.calls.conversations.Read(ctx, slug, agentdir.ConversationsOp{Since: since, Max: limit})
}

// ConsolidationLock returns the state of the lock file in the agent's primary directory. The lock
// keeps Memoir and Claude Code from consolidating at the same time. If it cannot be read, the error
// is nil and Problem is the reason. It fails with memories.ErrNotFound for an unknown agent.
func (e *Engine) ConsolidationLock(ctx context.Context, slug string) (ConsolidationLock, error) {
	return e.calls.consolidationLock.Read(ctx, slug, agentdir.ConsolidationLockOp{})
}

// BeginConsolidation takes the consolidation lock by writing the lock file. The caller must pass
// the result to EndConsolidation. It fails with *memories.ConflictError if another process has the
// lock, or its file or the agent's directory cannot be written. It fails with memories.ErrNotFound
// for an unknown agent.
func (e *Engine) BeginConsolidation(ctx context.Context, slug string) (lockfile.Taken, error) {
	return e.calls.consolidate.Do(ctx, slug, agentdir.ConsolidateOp{Verb: agentdir.ConsolidationBegin})
}

// CheckConsolidation returns nil if this server still has the consolidation lock. It fails with
// *memories.ConflictError if another process has taken it since BeginConsolidation, or the agent's
// directory is absent. It fails with another error if the lock cannot be read, and with
// memories.ErrNotFound for an unknown agent.
func (e *Engine) CheckConsolidation(ctx context.Context, slug string, taken lockfile.Taken) error {
	_, err := e.calls.consolidate.Do(ctx, slug, agentdir.ConsolidateOp{Verb: agentdir.ConsolidationCheck, Taken: taken})
	return err
}

// EndConsolidation releases the consolidation lock. The lock file then shows now as the time of the
// last consolidation. If failed, it shows the time from before BeginConsolidation, or is removed if
// there was no file. It does nothing and returns nil if another process has the lock, or the
// agent's directory is absent. It fails with memories.ErrNotFound for an unknown agent.
func (e *Engine) EndConsolidation(ctx context.Context, slug string, taken lockfile.Taken, failed bool) error {
	op := agentdir.ConsolidateOp{Verb: agentdir.ConsolidationEnd, Taken: taken}
	if failed {
		op.Verb = agentdir.ConsolidationFail
	}
	_, err := e.calls.consolidate.Do(ctx, slug, op)
	return err
}
