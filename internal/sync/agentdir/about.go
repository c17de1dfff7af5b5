package agentdir

import (
	"context"

	"memoir/internal/agents"
	"memoir/internal/sync/agenttx"
)

// About is what there is to know of where an agent's memory is.
type About struct {
	agents.MemoryLocation
	// Committed reports of what is written into a project's repository whether it is committed; of any other agent it is empty.
	Committed agents.Committed
}

func (d *Directory) About(ctx context.Context, slug string, _ AboutOp) (About, error) {
	row, err := d.Store.AgentUncounted(ctx, slug)
	if err != nil {
		return About{}, err
	}
	about := About{MemoryLocation: agents.LocateMemory(d.Places, agenttx.OnDisk(row))}
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

type AboutOp struct{}
