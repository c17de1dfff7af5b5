package sync

import (
	"context"
	"errors"
	"slices"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/postgres"
)

// discover finds the agents that are on disk, makes new ones known, marks those whose directory is gone, and returns
// the slugs of those that have appeared.
func (e *Engine) discover(ctx context.Context) (appeared []string, err error) {
	e.discovering.Lock()
	defer e.discovering.Unlock()
	held := anchorsOf(agents.Roots(e.options.Places))
	var looked []string
	found, unreadable := agents.Discover(e.options.Places, func(dir string) {
		e.watcher.watchForAgents(dir)
		looked = append(looked, dir)
	})
	e.watcher.only("", looked)
	rows, err := e.store.AgentsUncounted(ctx)
	if err != nil {
		return nil, err
	}
	byKey := map[string]postgres.Agent{}
	known := make([]agents.Known, len(rows))
	for i, row := range rows {
		byKey[row.Slug] = row
		known[i] = agents.Known{Slug: row.Slug, Layout: agents.Layout(row.Layout), Dir: row.Dir}
	}
	e.noteUnreadable(unreadable)

	here := map[string]bool{} // or not seen to be gone
	known = agents.MarkPresent(known, found, unreadable)
	for i := range known {
		known[i].Present = known[i].Present || agents.StillThere(e.options.Places, known[i])
		here[known[i].Slug] = known[i].Present
	}
	assigned := agents.AssignSlugs(found, known)
	e.noteTerrain(assigned, held)
	for _, a := range assigned {
		here[a.Slug] = true
		row, isKnown := byKey[a.Slug]
		id := row.ID
		if isKnown && (!row.Present || row.Dir != a.Dir) {
			if err := e.store.AgentReturns(ctx, id); err != nil {
				return nil, err
			}
		}
		if !isKnown || !row.Present || onDisk(row) != a {
			if id, err = e.store.SaveAgent(ctx, agentRow(a)); err != nil {
				return nil, err
			}
		}
		if e.register(id, a) {
			appeared = append(appeared, a.Slug)
		}
	}
	for _, row := range rows {
		// One that is here without any memory directory is known all the same, so that it is watched and scanned.
		if here[row.Slug] {
			_, err = e.agent(ctx, row.Slug)
		} else {
			err = e.markGone(ctx, row)
		}
		if err != nil && !errors.Is(err, memories.ErrNotFound) { // forgotten meanwhile
			return nil, err
		}
	}
	return appeared, nil
}

// register makes an agent known to this process and says whether there is something new to look at.
func (e *Engine) register(id int64, found agents.Agent) (appeared bool) {
	e.mu.Lock()
	a := e.agents[found.Slug]
	if a == nil || a.id != id {
		a = &agent{id: id}
		e.agents[found.Slug] = a
	}
	e.mu.Unlock()

	a.Lock()
	defer a.Unlock()
	appeared = !a.present || a.onDisk != found || !a.looked
	if !a.present || a.onDisk != found {
		a.onDisk, a.present, a.published = found, true, published{}
	}
	return appeared
}

// markGone marks an agent whose directory is gone. It stays with all its memories until somebody forgets it.
func (e *Engine) markGone(ctx context.Context, row postgres.Agent) error {
	a, err := e.agent(ctx, row.Slug)
	if err != nil {
		return err
	}
	a.Lock()
	a.present = false
	a.Unlock()
	e.watcher.only(row.Slug, nil)
	if !row.Present {
		return nil
	}
	if err := e.store.SetAgentPresent(ctx, row.ID, false); err != nil {
		return err
	}
	e.hub.publish(Event{Agent: row.Slug, Kind: KindScanned})
	return nil
}

// noteUnreadable says in the log which directories cannot be looked into, each time that others are.
func (e *Engine) noteUnreadable(dirs []string) {
	if !slices.Equal(dirs, e.unreadable) && len(dirs) > 0 {
		e.log.Warn("directories cannot be looked into, and agents in them are not found; let Memoir's user read them", "dirs", dirs)
	}
	e.unreadable = dirs
}

func agentRow(a agents.Agent) postgres.Agent {
	return postgres.Agent{
		Slug: a.Slug, Layout: string(a.Layout), Dir: a.Dir, DisplayName: a.DisplayName, Present: true,
		ClaudeMD: postgres.ClaudeMD{Path: a.ClaudeMDPath()},
	}
}
