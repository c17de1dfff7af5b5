package sync

import (
	"path/filepath"
	"slices"
	"strings"

	"memoir/internal/agents"
)

// Agents returns the agents that were on disk when this server last looked for them, in no order. It waits for nobody.
func (e *Engine) Agents() []agents.Agent { return slices.Clone(e.snapshot().agents) }

// AgentsOf returns the agents whose memory a conversation belongs to, as agents.AgentsOf does.
func (e *Engine) AgentsOf(c agents.Conversation) ([]agents.Agent, error) {
	return agents.AgentsOf(c, e.options.Places.ClaudeDir, e.snapshot().agents)
}

// Hint has a file looked at now, or with no file all of the agent's directory, and does not wait for it. file is absolute; one that
// is not in the agent's directory, and an agent that is not on disk, are no reason to look at anything.
func (e *Engine) Hint(slug, file string) {
	all := e.snapshot().agents
	i := slices.IndexFunc(all, func(a agents.Agent) bool { return a.Slug == slug })
	if i < 0 {
		return
	}
	if joined := all[i].JoinedTo; joined != "" { // the way to the other's directory
		if rel, err := filepath.Rel(all[i].Dir, file); err == nil && filepath.IsLocal(rel) {
			file = filepath.Join(dirOf(all, joined), rel)
		}
		e.Hint(joined, file)
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

func dirOf(all []agents.Agent, slug string) string {
	for _, a := range all {
		if a.Slug == slug {
			return a.Dir
		}
	}
	return ""
}
