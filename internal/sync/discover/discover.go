// Package discover finds the agents that exist on disk, gives each a row and a slug, and requests
// the leases of those whose directories this server has. It does not scan them.
package discover

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// Discoverer finds the agents that exist. The exported fields are set before its first use. Its
// methods are safe for concurrent use.
type Discoverer struct {
	Store   *postgres.Store
	Places  agents.Settings // the directories to search
	Log     *slog.Logger
	Queue   *watch.Queue
	Hub     *events.Hub
	Agents  *agenttx.Manager
	Node    *cluster.Node
	Watcher *watch.Watcher
	Scans   *scan.Tracker // records directories that cannot be read

	mu         sync.Mutex // held during a discovery
	unreadable []string   // directories that the last discovery could not read

	found       atomic.Pointer[DiscoverySnapshot]       // nil before the first discovery
	sources     atomic.Pointer[map[string]agents.Stamp] // of the last discovery, by path
	transcripts agents.Transcripts
}

// discoverAttempts limits how often discoverOnce is repeated if another server adds the same agent.
// Arbitrary.
const discoverAttempts = 3

// Run finds the agents on disk, and watches the directories where agents may appear. It adds and
// updates rows, requests the leases of the agents on this disk and releases all others, and marks
// the absent agents. It returns the slugs of the agents that this server must scan, because they
// are new, have moved or were never fully scanned. It fails with memories.ErrOutOfFiles if too few
// files can be opened, and with memories.ErrUnavailable.
func (d *Discoverer) Run(ctx context.Context) (appeared []string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	watchedRoots := watch.RootsOf(agents.Roots(d.Places))
	var visited []string
	survey := agents.DiscoverAll(d.Places, &d.transcripts, func(dir string) {
		d.Watcher.WatchForAgents(dir)
		visited = append(visited, dir)
	})
	if survey.Exhausted != nil {
		return nil, agenttx.OutOfFiles(survey.Exhausted)
	}
	if watchedRoots.HaveChanged() {
		d.Queue.Add("", ".") // WatchRoots does not notice a root that changes back
	}
	d.sources.Store(&survey.Sources)
	d.Watcher.Only("", visited)
	d.recordUnreadable(survey.Blocked)
	for range discoverAttempts {
		appeared, err = d.discoverOnce(ctx, survey, visited, watchedRoots)
		if !errors.Is(err, errAgentAdded) {
			break
		}
	}
	return appeared, err
}

// errAgentAdded means that another server has added an agent during the discovery.
var errAgentAdded = errors.New("another server added the same agent")

// discoverOnce compares the agents on disk with the rows, and stores the snapshot. It adds rows,
// requests the leases, updates the rows of agents that this server leases, and marks absent agents.
// It returns the slugs of the agents that this server must scan. It fails with errAgentAdded if
// another server has just added the same agent; the caller then calls it again.
func (d *Discoverer) discoverOnce(ctx context.Context, survey agents.DiscoveryResult, visited []string, watchedRoots watch.Roots) (appeared []string, err error) {
	rows, err := d.Store.AgentsUncounted(ctx)
	if err != nil {
		return nil, err
	}
	elsewhere, err := d.Node.HeldByOthers(ctx, rows)
	if err != nil {
		return nil, err
	}
	found := withoutVanished(survey.Found, rows)
	bySlug := map[string]records.Agent{}
	known := make([]agents.KnownAgent, len(rows))
	for i, row := range rows {
		bySlug[row.Slug] = row
		known[i] = agents.KnownAgent{Slug: row.Slug, Layout: agents.Layout(row.Layout), Dir: row.Dir}
	}
	here := map[string]int64{} // IDs of agents on this disk, or not certain to be absent, by slug
	known = agents.MarkPresent(known, found, survey.Unreadable)
	for i, row := range rows {
		known[i].Present = known[i].Present || agents.StillThere(d.Places, known[i])
		if known[i].Present {
			here[row.Slug] = row.ID
		}
		known[i].Present = known[i].Present || elsewhere[row.ID] // its slug is not free
	}
	assigned := agents.Joined(agents.AssignSlugs(found, known), func(slug string) bool {
		row, isKnown := bySlug[slug]
		return !isKnown || row.JoinedTo != ""
	})
	d.setSnapshot(assigned, survey.Links, visited, watchedRoots)
	for _, a := range assigned {
		if here[a.Slug], err = d.agentIDOf(ctx, a, bySlug); err != nil {
			return nil, err
		}
	}
	if err := d.Node.RequestLeases(here); err != nil {
		return nil, err
	}
	for _, a := range assigned {
		row, isKnown := bySlug[a.Slug]
		switch {
		case d.Node.Term(here[a.Slug]) == 0:
		case isKnown:
			err = d.updateAgentRow(ctx, row, a)
		case a.JoinedTo != "": // AddAgent does not save JoinedTo: the other agent may have no row yet
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
		// Load also an agent without a memory directory, so that it is watched and scanned.
		switch _, isHere := here[row.Slug]; {
		case isHere && d.Node.Term(row.ID) != 0:
			_, err = d.Agents.Load(ctx, row.Slug)
		case isHere || elsewhere[row.ID]:
			d.setFromRow(ctx, row)
		default:
			err = d.markAbsent(ctx, row)
		}
		if err != nil && !errors.Is(err, memories.ErrNotFound) { // forgotten since
			return nil, err
		}
	}
	return appeared, nil
}

// withoutVanished returns found without the expected agents whose directory existed at an earlier
// full scan. Such an agent is absent: its memories may come back with the directory.
func withoutVanished(found []agents.Found, rows []records.Agent) []agents.Found {
	had := map[string]bool{}
	for _, row := range rows {
		if row.PrimaryDir != nil {
			had[row.Dir] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(found), func(f agents.Found) bool { return f.Expected && had[f.Dir] })
}

// dropForgotten removes agents from the memory of this process, with their scan problems. These are
// the agents that are missing in both rows and here, because another server has deleted their rows.
func (d *Discoverer) dropForgotten(rows []records.Agent, here map[string]int64) {
	known := make(map[string]int64, len(rows))
	maps.Copy(known, here)
	for _, row := range rows {
		known[row.Slug] = row.ID
	}
	d.Agents.Keep(known)
	d.Scans.Forget(func(slug string) bool { return known[slug] != 0 })
}

// agentIDOf returns the ID of an agent on disk. known are the rows by slug. If it lacks the agent,
// agentIDOf adds a row; it fails with errAgentAdded if another server has just added one.
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

// updateAgentRow saves an agent's row if it differs from the agent on disk, and sends a Scanned
// event. If the agent has moved, is back or was unlinked, it first marks its primary files as absent.
// Files that the next scan does not find then do not count as removed.
func (d *Discoverer) updateAgentRow(ctx context.Context, row records.Agent, a agents.Agent) error {
	if row.Present && agenttx.AgentOf(row) == a {
		return nil
	}
	if !row.Present || row.Dir != a.Dir || row.JoinedTo != "" && a.JoinedTo == "" {
		if err := d.Store.AgentReturns(ctx, row.ID); err != nil {
			return err
		}
	}
	if _, err := d.Store.SaveAgent(ctx, agentRow(a)); err != nil {
		return err
	}
	d.Hub.Emit(events.Event{Agent: row.Slug, Kind: events.Scanned})
	return nil
}

// register sets the state of a found agent in this process. It reports whether this server holds
// the lease and must scan the agent, because it is new, changed or not fully scanned. For an agent
// that is a link to another one, it ends the watches and reports false. If the agent stays locked
// for agenttx.AgentTurn, it changes nothing and reports false; the unlock requests a discovery.
func (d *Discoverer) register(ctx context.Context, id int64, found agents.Agent) (appeared bool) {
	a := d.Agents.Ensure(found.Slug, id)
	if !a.LockOrSkip(ctx) {
		return false
	}
	defer d.Agents.Unlock(a)
	term := d.Node.Term(id)
	a.Begin(term)
	appeared = !a.Present || a.Agent != found || !a.FullyScanned
	if a.Agent.JoinedTo != found.JoinedTo {
		a.ResetScanState()
	}
	a.Agent, a.Present = found, true
	if found.JoinedTo != "" {
		a.FileCounter.Files.Store(0)
		d.Watcher.Only(found.Slug, nil)
		return false // its directory is scanned with the agent that it is joined to
	}
	return appeared && term != 0
}

// setFromRow sets the state of an agent in this process from its row. It ends the watches if the
// agent is absent, or if this server does not hold its lease. If the agent stays locked for
// agenttx.AgentTurn, it changes nothing; the unlock requests a discovery.
func (d *Discoverer) setFromRow(ctx context.Context, row records.Agent) {
	a := d.Agents.Ensure(row.Slug, row.ID)
	if !a.LockOrSkip(ctx) {
		return
	}
	defer d.Agents.Unlock(a)
	a.Agent, a.Present = agenttx.AgentOf(row), row.Present
	if !row.Present || d.Node.Term(row.ID) == 0 {
		d.Watcher.Only(row.Slug, nil)
	}
}

// markAbsent records in the row and in this process that the agent's directory is absent, and ends
// its watches. If the row had the agent as present, it also sends a Scanned event. The agent keeps
// its memories.
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

// recordUnreadable records the directories that this discovery could not read, in place of the
// previous ones. Status shows them. It logs them if they differ from the previous ones.
func (d *Discoverer) recordUnreadable(blocked []agents.Blocked) {
	var dirs []string
	for _, b := range blocked {
		dirs = append(dirs, b.Dir)
	}
	if !slices.Equal(dirs, d.unreadable) && len(dirs) > 0 {
		d.Log.Warn("directories not readable, agents in them not found", "dirs", dirs)
	}
	d.unreadable = dirs
	d.Scans.Block("", []string{"."}, blocked, func(b agents.Blocked) string { return b.Dir })
}

// agentRow returns the row of a present agent, without an ID.
func agentRow(a agents.Agent) records.Agent {
	return records.Agent{
		Slug: a.Slug, Layout: string(a.Layout), Dir: a.Dir, DisplayName: a.DisplayName, JoinedTo: a.JoinedTo, Present: true,
		ClaudeMD: records.ClaudeMD{Path: a.ClaudeMDPath(nil)},
	}
}

// IsUpToDate reports whether the last discovery found a's directory. For a Claude agent, it also
// requires that each unwatched file or directory that the discovery read is unchanged. It waits for
// the agent's lock, and returns the error of ctx if ctx ends first.
func (d *Discoverer) IsUpToDate(ctx context.Context, a *agenttx.State) (bool, error) {
	if err := a.Lock(ctx); err != nil {
		return false, err
	}
	present, rules := a.Present, a.Agent.Rules()
	d.Agents.Unlock(a)
	return present && (!rules.HasSettings || !d.sourcesHaveChanged()), nil
}

// Find returns the state of the agent with the slug, unlocked. If the slug is unknown but a
// directory of that name exists, it runs a discovery first. It fails with memories.ErrNotFound if
// there is no such agent, with memories.ErrOutOfFiles if too few files can be opened, and with
// memories.ErrUnavailable.
func (d *Discoverer) Find(ctx context.Context, slug string) (*agenttx.State, error) {
	a, err := d.Agents.Load(ctx, slug)
	if !errors.Is(err, memories.ErrNotFound) || !d.mayBeNew(slug) {
		return a, err
	}
	if _, err := d.Run(ctx); err != nil {
		return nil, err
	}
	return d.Agents.Load(ctx, slug)
}

// mayBeNew reports whether a directory named by the slug exists in a place that discovery searches.
// It is false for a slug that is empty, hidden or a path. It calls stat a few times, so that
// requests for unknown slugs are cheap.
func (d *Discoverer) mayBeNew(slug string) bool {
	if slug == "" || slug[0] == '.' || strings.ContainsAny(slug, "/\\\x00") {
		return false
	}
	s := d.Places
	var dirs []string
	if s.AgentsDir != "" {
		dirs = append(dirs, filepath.Join(s.AgentsDir, slug))
	}
	if s.ClaudeDir != "" {
		dirs = append(dirs, filepath.Join(s.ClaudeDir, "projects", slug, "memory"), filepath.Join(s.ClaudeDir, "agent-memory", slug))
	}
	for _, named := range s.MemoryDirs {
		if named.Slug == slug {
			dirs = append(dirs, named.Path)
		}
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return true
		}
	}
	return false
}
