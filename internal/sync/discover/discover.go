// Package discover finds the agents that exist on disk, gives each a row and a slug, and requests
// the leases of those whose directories this server has. It does not scan them.
package discover

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/cluster"
	"memoir/internal/sync/events"
	"memoir/internal/sync/scan"
	"memoir/internal/sync/watch"
)

// discoverAttempts is how often what is on disk is held against the known agents when another server makes the same one known at the
// same moment.
const discoverAttempts = 3

// discover finds the agents that are on disk, makes new ones known, begins to look after those that no other server does, marks
// those whose directory is gone, and returns the slugs of those that there is something new to look at.
func (d *Discoverer) Run(ctx context.Context) (appeared []string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	watchedRoots := watch.RootsOf(agents.Roots(d.Places))
	var looked []string
	survey := agents.DiscoverAll(d.Places, &d.transcripts, func(dir string) {
		d.Watcher.WatchForAgents(dir)
		looked = append(looked, dir)
	})
	if survey.Exhausted != nil {
		return nil, agenttx.ScanError(survey.Exhausted)
	}
	if watchedRoots.HaveChanged() {
		d.Queue.Add("", ".") // it may be back before watchRoots checks
	}
	d.sources.Store(&survey.Sources)
	d.Watcher.Only("", looked)
	d.recordUnreadable(survey.Blocked)
	for range discoverAttempts {
		appeared, err = d.discoverOnce(ctx, survey, watchedRoots)
		if !errors.Is(err, errAgentAdded) {
			break
		}
	}
	return appeared, err
}

// errAgentAdded means that another server has made an agent known meanwhile.
var errAgentAdded = errors.New("another server added the same agent")

// discoverOnce holds what is on disk against the known agents.
func (d *Discoverer) discoverOnce(ctx context.Context, survey agents.DiscoveryResult, watchedRoots watch.Roots) (appeared []string, err error) {
	rows, err := d.Store.AgentsUncounted(ctx)
	if err != nil {
		return nil, err
	}
	elsewhere, err := d.Node.HeldByOthers(ctx, rows)
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
	known = agents.MarkPresent(known, survey.Found, survey.Unreadable)
	for i, row := range rows {
		known[i].Present = known[i].Present || agents.StillThere(d.Places, known[i])
		if known[i].Present {
			here[row.Slug] = row.ID
		}
		known[i].Present = known[i].Present || elsewhere[row.ID] // no other directory may have its slug
	}
	assigned := agents.Joined(agents.AssignSlugs(survey.Found, known), func(slug string) bool {
		row, isKnown := byKey[slug]
		return !isKnown || row.JoinedTo != ""
	})
	d.setSnapshot(assigned, survey.Links, watchedRoots)
	for _, a := range assigned {
		if here[a.Slug], err = d.agentIDOf(ctx, a, byKey); err != nil {
			return nil, err
		}
	}
	if err := d.Node.RequestLeases(here); err != nil {
		return nil, err
	}
	for _, a := range assigned {
		row, isKnown := byKey[a.Slug]
		switch {
		case d.Node.Term(here[a.Slug]) == 0:
		case isKnown:
			err = d.updateAgentRow(ctx, row, a)
		case a.JoinedTo != "": // only now whom it is joined to is known for certain
			_, err = d.Store.SaveAgent(ctx, agentRow(a))
		}
		if err != nil {
			return nil, err
		}
		if d.register(ctx, here[a.Slug], a) {
			appeared = append(appeared, a.Slug)
		}
	}
	d.dropForgotten(rows, here)
	for _, row := range rows {
		// One that is here without any memory directory is known all the same, so that it is watched and scanned.
		switch _, isHere := here[row.Slug]; {
		case isHere && d.Node.Term(row.ID) != 0:
			_, err = d.Agents.Load(ctx, row.Slug)
		case isHere || elsewhere[row.ID]:
			d.setFromRow(ctx, row)
		default:
			err = d.markAbsent(ctx, row)
		}
		if err != nil && !errors.Is(err, memories.ErrNotFound) { // forgotten meanwhile
			return nil, err
		}
	}
	return appeared, nil
}

// dropForgotten drops the agents that another server has forgotten.
func (d *Discoverer) dropForgotten(rows []records.Agent, here map[string]int64) {
	known := make(map[string]int64, len(rows))
	maps.Copy(known, here)
	for _, row := range rows {
		known[row.Slug] = row.ID
	}
	d.Agents.Keep(known)
	d.Scans.Forget(func(slug string) bool { return known[slug] != 0 })
}

// agentIDOf returns the id of an agent that is on disk, which a new one gets now.
func (d *Discoverer) agentIDOf(ctx context.Context, a agents.Agent, known map[string]records.Agent) (int64, error) {
	if row, isKnown := known[a.Slug]; isKnown {
		return row.ID, nil
	}
	id, err := d.Store.AddAgent(ctx, agentRow(a))
	if errors.Is(err, memories.ErrNotFound) {
		return 0, errAgentAdded
	}
	return id, err
}

// updateAgentRow lets the row of an agent say where its directory is, if that is not what it says.
func (d *Discoverer) updateAgentRow(ctx context.Context, row records.Agent, a agents.Agent) error {
	if row.Present && agenttx.OnDisk(row) == a {
		return nil
	}
	if !row.Present || row.Dir != a.Dir || row.JoinedTo != "" && a.JoinedTo == "" {
		if err := d.Store.AgentReturns(ctx, row.ID); err != nil {
			return err
		}
	}
	_, err := d.Store.SaveAgent(ctx, agentRow(a))
	return err
}

// register makes an agent known to this process and says whether there is something new for this server to look at.
func (d *Discoverer) register(ctx context.Context, id int64, found agents.Agent) (appeared bool) {
	a := d.Agents.Ensure(found.Slug, id)
	if !a.LockOrSkip(ctx) {
		return false
	}
	defer d.Agents.Unlock(a)
	term := d.Node.Term(id)
	a.Begin(term)
	appeared = !a.Present || a.OnDisk != found || !a.FullyScanned
	if a.OnDisk.JoinedTo != found.JoinedTo {
		a.ResetScanState()
	}
	if !a.Present || a.OnDisk != found {
		a.OnDisk, a.Present = found, true
	}
	if found.JoinedTo != "" {
		a.FileCounter.Files.Store(0)
		d.Watcher.Only(found.Slug, nil)
		return false // its directory is scanned as that of another
	}
	return appeared && term != 0
}

// setFromRow keeps what the database says of an agent that is not this server's to look after, and gives back what was
// watched of it.
func (d *Discoverer) setFromRow(ctx context.Context, row records.Agent) {
	a := d.Agents.Ensure(row.Slug, row.ID)
	if !a.LockOrSkip(ctx) {
		return
	}
	defer d.Agents.Unlock(a)
	a.OnDisk, a.Present = agenttx.OnDisk(row), row.Present
	if !row.Present || d.Node.Term(row.ID) == 0 {
		d.Watcher.Only(row.Slug, nil)
	}
}

// markAbsent marks an agent whose directory is gone. It stays with all its memories until somebody forgets it.
func (d *Discoverer) markAbsent(ctx context.Context, row records.Agent) error {
	was := row.Present
	row.Present = false
	d.setFromRow(ctx, row)
	if !was {
		return nil
	}
	if err := d.Store.SetAgentPresent(ctx, row.ID, false); err != nil {
		return err
	}
	d.Hub.Emit(events.Event{Agent: row.Slug, Kind: events.Scanned})
	return nil
}

// recordUnreadable says in the log which directories cannot be looked into, each time that others are.
func (d *Discoverer) recordUnreadable(blocked []agents.Blocked) {
	var dirs []string
	for _, b := range blocked {
		dirs = append(dirs, b.Dir)
	}
	if !slices.Equal(dirs, d.unreadable) && len(dirs) > 0 {
		d.Log.Warn("directories not readable, agents in them not found", "dirs", dirs)
	}
	d.unreadable = dirs
	d.recordDiscovery(blocked)
}

func agentRow(a agents.Agent) records.Agent {
	return records.Agent{
		Slug: a.Slug, Layout: string(a.Layout), Dir: a.Dir, DisplayName: a.DisplayName, JoinedTo: a.JoinedTo, Present: true,
		ClaudeMD: records.ClaudeMD{Path: a.ClaudeMDPath(nil)},
	}
}

// isUpToDate reports whether the agent's directory was there when agents were last looked for, and nothing has changed since that what
// is known of it goes by.
func (d *Discoverer) IsUpToDate(ctx context.Context, a *agenttx.State) (bool, error) {
	if err := a.Lock(ctx); err != nil {
		return false, err
	}
	present, layout := a.Present, a.OnDisk.Layout
	d.Agents.Unlock(a)
	return present && (layout != agents.Claude || !d.sourcesHaveChanged()), nil
}

// Discoverer finds the agents that exist.
type Discoverer struct {
	Store       *postgres.Store
	Places      agents.Settings
	Log         *slog.Logger
	Queue       *watch.Queue
	Hub         *events.Hub
	Agents      *agenttx.Manager
	Node        *cluster.Node
	Watcher     *watch.Watcher
	Scans       *scan.Tracker
	mu          sync.Mutex
	unreadable  []string
	found       atomic.Pointer[discoverySnapshot]
	sources     atomic.Pointer[map[string]agents.Stamp]
	transcripts agents.Transcripts
}

// recordDiscovery notes which directories discovery could not look into.
func (d *Discoverer) recordDiscovery(found []agents.Blocked) {
	d.Scans.Block("", []string{"."}, found, func(b agents.Blocked) string { return b.Dir })
}
