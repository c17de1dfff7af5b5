package sync

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"memoir/internal/agents"
	"memoir/internal/sync/discover"
)

// HoldsLease reports whether this server, and no other, holds the lease of the agent.
func (e *Engine) HoldsLease(slug string) bool { return e.node.HoldsLease(slug) }

// HasDirectory reports whether the agent's directory is on this server's disk, whichever server holds the lease of it.
func (e *Engine) HasDirectory(ctx context.Context, slug string) bool {
	return e.node.HasDirectory(ctx, slug)
}

// Agents returns the agents that were on disk when this server last looked for them, in no order. It waits for nobody.
func (e *Engine) Agents() []agents.Agent { return slices.Clone(e.discoverer.Snapshot().Agents) }

// AgentsOf returns the agents whose memory a conversation belongs to, as agents.AgentsOf does.
func (e *Engine) AgentsOf(c agents.Conversation) ([]agents.Agent, error) {
	return agents.AgentsOf(c, e.options.Places.ClaudeDir, e.discoverer.Snapshot().Agents)
}

// RequestScan has a file looked at now, or with no file all of the agent's directory, and does not wait for it. file is absolute; one that
// is not in the agent's directory, and an agent that is not on disk, are no reason to look at anything.
func (e *Engine) RequestScan(slug, file string) {
	all := e.discoverer.Snapshot().Agents
	i := slices.IndexFunc(all, func(a agents.Agent) bool { return a.Slug == slug })
	if i < 0 {
		return
	}
	if joined := all[i].JoinedTo; joined != "" { // the way to the other's directory
		if rel, err := filepath.Rel(all[i].Dir, file); err == nil && filepath.IsLocal(rel) {
			file = filepath.Join(discover.DirOf(all, joined), rel)
		}
		e.RequestScan(joined, file)
		return
	}
	path := "."
	if file != "" {
		var err error
		if path, err = filepath.Rel(all[i].Dir, file); err != nil || path == ".." || strings.HasPrefix(path, ".."+string(filepath.Separator)) {
			return
		}
	}
	e.queue.AddNow(slug, filepath.ToSlash(path))
}
