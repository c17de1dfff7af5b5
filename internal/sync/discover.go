package sync

import (
	"context"
	"errors"
	"maps"
	"slices"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/events"
	"memoir/internal/sync/watch"
)

// discoverAttempts is how often what is on disk is held against the known agents when another server makes the same one known at the
// same moment.
const discoverAttempts = 3

// discover finds the agents that are on disk, makes new ones known, begins to look after those that no other server does, marks
// those whose directory is gone, and returns the slugs of those that there is something new to look at.
func (e *Engine) discover(ctx context.Context) (appeared []string, err error) {
	e.discovering.Lock()
	defer e.discovering.Unlock()
	watchedRoots := watch.RootsOf(agents.Roots(e.options.Places))
	var visited []string
	discovered := agents.DiscoverAll(e.options.Places, &e.transcripts, func(dir string) {
		e.watcher.WatchForAgents(dir)
		visited = append(visited, dir)
	})
	if discovered.Exhausted != nil {
		return nil, scanError(discovered.Exhausted)
	}
	if watchedRoots.HaveChanged() {
		e.queue.Add("", ".") // it may be back before watchRoots checks
	}
	e.sources.Store(&discovered.Sources)
	e.watcher.Only("", visited)
	e.recordUnreadable(discovered.Blocked)
	for range discoverAttempts {
		appeared, err = e.discoverOnce(ctx, discovered, watchedRoots)
		if !errors.Is(err, errAgentAdded) {
			break
		}
	}
	return appeared, err
}

// errAgentAdded means that another server has made an agent known meanwhile.
var errAgentAdded = errors.New("another server added the same agent")

// discoverOnce holds what is on disk against the known agents.
func (e *Engine) discoverOnce(ctx context.Context, discovered agents.DiscoveryResult, watchedRoots watch.Roots) (appeared []string, err error) {
	rows, err := e.store.AgentsUncounted(ctx)
	if err != nil {
		return nil, err
	}
	others, err := e.heldByOthers(ctx, rows)
	if err != nil {
		return nil, err
	}
	byKey := map[string]records.Agent{}
	known := make([]agents.KnownAgent, len(rows))
	for i, row := range rows {
		byKey[row.Slug] = row
		known[i] = agents.KnownAgent{Slug: row.Slug, Layout: agents.Layout(row.Layout), Dir: row.Dir}
	}
	here := map[string]int64{} // ids of the agents whose directory is here, or not seen to be gone
	known = agents.MarkPresent(known, discovered.Found, discovered.Unreadable)
	for i, row := range rows {
		known[i].Present = known[i].Present || agents.StillThere(e.options.Places, known[i])
		if known[i].Present {
			here[row.Slug] = row.ID
		}
		known[i].Present = known[i].Present || others[row.ID] // no other directory may have its slug
	}
	assigned := agents.Joined(agents.AssignSlugs(discovered.Found, known), func(slug string) bool {
		row, isKnown := byKey[slug]
		return !isKnown || row.JoinedTo != ""
	})
	e.setSnapshot(assigned, discovered.Links, watchedRoots)
	for _, a := range assigned {
		if here[a.Slug], err = e.agentIDOf(ctx, a, byKey); err != nil {
			return nil, err
		}
	}
	if err := e.requestLeases(here); err != nil {
		return nil, err
	}
	for _, a := range assigned {
		row, isKnown := byKey[a.Slug]
		switch {
		case e.term(here[a.Slug]) == 0:
		case isKnown:
			err = e.updateAgentRow(ctx, row, a)
		case a.JoinedTo != "": // only now whom it is joined to is known for certain
			_, err = e.store.SaveAgent(ctx, agentRow(a))
		}
		if err != nil {
			return nil, err
		}
		if e.register(ctx, here[a.Slug], a) {
			appeared = append(appeared, a.Slug)
		}
	}
	e.dropForgotten(rows, here)
	for _, row := range rows {
		// One that is here without any memory directory is known all the same, so that it is watched and scanned.
		switch _, isHere := here[row.Slug]; {
		case isHere && e.term(row.ID) != 0:
			_, err = e.agent(ctx, row.Slug)
		case isHere || others[row.ID]:
			e.setFromRow(ctx, row)
		default:
			err = e.markAbsent(ctx, row)
		}
		if err != nil && !errors.Is(err, memories.ErrNotFound) { // forgotten meanwhile
			return nil, err
		}
	}
	return appeared, nil
}

// dropForgotten drops the agents that another server has forgotten.
func (e *Engine) dropForgotten(rows []records.Agent, here map[string]int64) {
	known := make(map[string]int64, len(rows))
	maps.Copy(known, here)
	for _, row := range rows {
		known[row.Slug] = row.ID
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	maps.DeleteFunc(e.agents, func(slug string, a *agent) bool { return known[slug] != a.id })
	e.scans.forget(func(slug string) bool { return known[slug] != 0 })
}

// agentIDOf returns the id of an agent that is on disk, which a new one gets now.
func (e *Engine) agentIDOf(ctx context.Context, a agents.Agent, known map[string]records.Agent) (int64, error) {
	if row, isKnown := known[a.Slug]; isKnown {
		return row.ID, nil
	}
	id, err := e.store.AddAgent(ctx, agentRow(a))
	if errors.Is(err, memories.ErrNotFound) {
		return 0, errAgentAdded
	}
	return id, err
}

// updateAgentRow lets the row of an agent say where its directory is, if that is not what it says.
func (e *Engine) updateAgentRow(ctx context.Context, row records.Agent, a agents.Agent) error {
	if row.Present && onDisk(row) == a {
		return nil
	}
	if !row.Present || row.Dir != a.Dir || row.JoinedTo != "" && a.JoinedTo == "" {
		if err := e.store.AgentReturns(ctx, row.ID); err != nil {
			return err
		}
	}
	_, err := e.store.SaveAgent(ctx, agentRow(a))
	return err
}

// register makes an agent known to this process and says whether there is something new for this server to look at.
func (e *Engine) register(ctx context.Context, id int64, found agents.Agent) (appeared bool) {
	a := e.agentOfRow(found.Slug, id)
	if !a.lockOrSkip(ctx) {
		return false
	}
	defer e.unlock(a)
	term := e.term(id)
	a.begin(term)
	appeared = !a.present || a.onDisk != found || !a.fullyScanned
	if a.onDisk.JoinedTo != found.JoinedTo {
		a.resetScanState()
	}
	if !a.present || a.onDisk != found {
		a.onDisk, a.present = found, true
	}
	if found.JoinedTo != "" {
		a.fileCounter.files.Store(0)
		e.watcher.Only(found.Slug, nil)
		return false // its directory is scanned as that of another
	}
	return appeared && term != 0
}

// setFromRow keeps what the database says of an agent that is not this server's to look after, and gives back what was
// watched of it.
func (e *Engine) setFromRow(ctx context.Context, row records.Agent) {
	a := e.agentOfRow(row.Slug, row.ID)
	if !a.lockOrSkip(ctx) {
		return
	}
	defer e.unlock(a)
	a.onDisk, a.present = onDisk(row), row.Present
	if !row.Present || e.term(row.ID) == 0 {
		e.watcher.Only(row.Slug, nil)
	}
}

// agentOfRow returns what this process knows of an agent; nothing yet, where it is another one than it knew of that slug.
func (e *Engine) agentOfRow(slug string, id int64) *agent {
	e.mu.Lock()
	defer e.mu.Unlock()
	a := e.agents[slug]
	if a == nil || a.id != id {
		a = newAgent(id)
		e.agents[slug] = a
	}
	return a
}

// markAbsent marks an agent whose directory is gone. It stays with all its memories until somebody forgets it.
func (e *Engine) markAbsent(ctx context.Context, row records.Agent) error {
	was := row.Present
	row.Present = false
	e.setFromRow(ctx, row)
	if !was {
		return nil
	}
	if err := e.store.SetAgentPresent(ctx, row.ID, false); err != nil {
		return err
	}
	e.hub.Emit(events.Event{Agent: row.Slug, Kind: events.Scanned})
	return nil
}

// recordUnreadable says in the log which directories cannot be looked into, each time that others are.
func (e *Engine) recordUnreadable(blocked []agents.Blocked) {
	var dirs []string
	for _, b := range blocked {
		dirs = append(dirs, b.Dir)
	}
	if !slices.Equal(dirs, e.unreadable) && len(dirs) > 0 {
		e.log.Warn("directories not readable, agents in them not found", "dirs", dirs)
	}
	e.unreadable = dirs
	e.recordDiscovery(blocked)
}

func agentRow(a agents.Agent) records.Agent {
	return records.Agent{
		Slug: a.Slug, Layout: string(a.Layout), Dir: a.Dir, DisplayName: a.DisplayName, JoinedTo: a.JoinedTo, Present: true,
		ClaudeMD: records.ClaudeMD{Path: a.ClaudeMDPath(nil)},
	}
}
