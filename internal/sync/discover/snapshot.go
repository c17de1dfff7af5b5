package discover

import (
	"context"
	"slices"
	"time"

	"memoir/internal/agents"
	"memoir/internal/sync/watch"
)

// DiscoverySnapshot is the result of the last discovery on disk. It is replaced, never changed.
type DiscoverySnapshot struct {
	Agents []agents.Agent // in no order
	roots  watch.Roots
	// NoEvents are directories on file systems that send no events, by slug. The empty slug is the
	// set of agents.
	NoEvents map[string]string
	// owners are the slugs of the agents that are not joined, by the home of their memory.
	owners map[agents.MemoryHome]string
	// visited are the directories that the discovery has read, and that are watched for agents.
	visited []string
}

// Snapshot returns the result of the last discovery, also if agents have changed on disk since. It
// is the zero value before the first discovery.
func (d *Discoverer) Snapshot() DiscoverySnapshot {
	if s := d.found.Load(); s != nil {
		return *s
	}
	return DiscoverySnapshot{}
}

// setSnapshot stores the result of a discovery. It requests full scans of the agents at or below a
// root that leads to another directory than in the previous snapshot. roots have their identities
// from before the discovery, so that a change during it is noticed. setSnapshot adds links, and
// found agents that are links, to roots.
func (d *Discoverer) setSnapshot(found []agents.Agent, links, visited []string, roots watch.Roots) {
	noEvents := map[string]string{}
	if dir := roots.WithoutEvents(); dir != "" {
		noEvents[""] = dir
	}
	roots.AddLinks(links, found)
	for _, a := range found {
		if watch.SendsNoEvents(a.Dir) {
			noEvents[a.Slug] = a.Dir
		}
	}
	before := d.Snapshot().roots
	for _, a := range found {
		if roots.HasReplaced(before, a.Dir) {
			d.Queue.Add(a.Slug, ".")
		}
	}
	owners := map[agents.MemoryHome]string{}
	for _, a := range found {
		if a.JoinedTo == "" {
			owners[agents.HomeOf(a)] = a.Slug
		}
	}
	d.found.Store(&DiscoverySnapshot{Agents: found, roots: roots, NoEvents: noEvents, owners: owners, visited: visited})
}

// JoinedTo returns the slug of the agent that a is joined to. That is a.JoinedTo if set, else the
// agent whose directory a's now leads to through a link. It returns "" if a's directory is its own.
// Each operation calls it first: a new link would otherwise make all files of a appear removed.
func (d *Discoverer) JoinedTo(a agents.Agent) string {
	if a.JoinedTo != "" {
		return a.JoinedTo
	}
	if owner := d.Snapshot().owners[agents.HomeOf(a)]; owner != a.Slug {
		return owner
	}
	return ""
}

// rootPollInterval is the time between two checks of the watched roots. With the debounce and the
// scan, an agent below a new root is known within 3 s.
const rootPollInterval = time.Second

// WatchRoots checks every second the watched roots, and the unwatched files that the last discovery
// read. It queues a discovery if a root leads to another directory, or such a file has changed. It
// returns when ctx ends.
func (d *Discoverer) WatchRoots(ctx context.Context) {
	ticks := time.NewTicker(rootPollInterval)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		if d.isOutdated() {
			d.Queue.Add("", ".")
		}
	}
}

// isOutdated reports whether a root leads to another directory, or a file or directory that is not
// watched and that the last discovery read has changed.
func (d *Discoverer) isOutdated() bool {
	return d.Snapshot().roots.HaveChanged() || d.sourcesHaveChanged()
}

// Refresh runs a discovery if something that decides its result has changed since the last one, or
// if the last one has not read dir, a directory of a project of Claude Code. It reports whether it
// ran one. It queues a scan of each agent that has appeared. Its errors are those of Run.
func (d *Discoverer) Refresh(ctx context.Context, dir string) (ran bool, err error) {
	if isRead := d.Snapshot().visited; (dir == "" || slices.Contains(isRead, dir)) && !d.isOutdated() {
		return false, nil
	}
	appeared, err := d.Run(ctx)
	for _, slug := range appeared {
		d.Queue.Add(slug, ".")
	}
	return err == nil, err
}

// sourcesHaveChanged reports whether an unwatched file or directory that the last discovery read
// has changed, appeared or disappeared. It is false before the first discovery.
func (d *Discoverer) sourcesHaveChanged() bool {
	sources := d.sources.Load()
	if sources == nil {
		return false
	}
	for path, was := range *sources {
		if agents.StampOf(path) != was {
			return true
		}
	}
	return false
}

// PollLoop polls, by Watcher.Poll, the directories for which the system sends no events. It queues
// scans of the agents that have changed. It polls only agents with a directory of their own whose
// leases this server holds. It returns when ctx ends.
func (d *Discoverer) PollLoop(ctx context.Context) {
	d.Watcher.Poll(ctx, watch.PollOptions{
		Places: d.Places, Transcripts: &d.transcripts,
		Agents: func() []agents.Agent {
			return slices.DeleteFunc(slices.Clone(d.Snapshot().Agents), func(a agents.Agent) bool {
				return a.JoinedTo != "" || !d.Node.HoldsLease(a.Slug)
			})
		},
		NoEvents: func() map[string]string { return d.Snapshot().NoEvents },
	})
}

// DirOf returns the directory of the agent in all with the slug, or "" if all has no such agent.
func DirOf(all []agents.Agent, slug string) string {
	for _, a := range all {
		if a.Slug == slug {
			return a.Dir
		}
	}
	return ""
}
