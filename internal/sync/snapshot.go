package sync

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/sync/watch"
)

// discoverySnapshot is the result of the last discovery on disk. It is replaced, never changed.
type discoverySnapshot struct {
	agents []agents.Agent
	roots  watch.Roots
	// noEvents has directories on file systems that send no events, by slug. The empty slug stands
	// for the set of agents.
	noEvents map[string]string
	// owners are the slugs of the agents whose own place a home is.
	owners map[agents.MemoryHome]string
}

// snapshot returns the result of the last discovery. It is empty before the first one.
func (e *Engine) snapshot() discoverySnapshot {
	if t := e.found.Load(); t != nil {
		return *t
	}
	return discoverySnapshot{}
}

// setSnapshot stores the result of a discovery, and requests scans of the agents whose directories
// were replaced. The roots have their identities from before the discovery, so that a change during
// it is noticed.
func (e *Engine) setSnapshot(found []agents.Agent, links []string, roots watch.Roots) {
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
	before := e.snapshot().roots
	for _, a := range found {
		if roots.HasReplaced(before, a.Dir) {
			e.queue.Add(a.Slug, ".")
		}
	}
	owners := map[agents.MemoryHome]string{}
	for _, a := range found {
		if a.JoinedTo == "" {
			owners[agents.HomeOf(a)] = a.Slug
		}
	}
	e.found.Store(&discoverySnapshot{agents: found, roots: roots, noEvents: noEvents, owners: owners})
}

// joinedTo returns the slug of the agent that an agent's directory leads to now, by a link; empty: it is its own. It is asked before each
// look, because a link that somebody has just put there would make everything in the directory look removed.
func (e *Engine) joinedTo(a agents.Agent) string {
	if a.JoinedTo != "" {
		return a.JoinedTo
	}
	if owner := e.snapshot().owners[agents.HomeOf(a)]; owner != a.Slug {
		return owner
	}
	return ""
}

// joinedError means that the agent's directory is a link to another agent's.
type joinedError struct{ slug, to string }

func (e *joinedError) Error() string {
	return fmt.Sprintf("%s is joined to %s: its directory is a link to that one's.", e.slug, e.to)
}

// rootPollInterval is the time between two checks of the watched roots. With the debounce and the
// scan, an agent below a new root is known within 3 s.
const rootPollInterval = time.Second

// watchRoots requests a discovery when a watched root leads to another directory than before, or a
// source of the last discovery has changed.
func (e *Engine) watchRoots(ctx context.Context) {
	ticks := time.NewTicker(rootPollInterval)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		if e.snapshot().roots.HaveChanged() || e.sourcesHaveChanged() {
			e.queue.Add("", ".")
		}
	}
}

// sourcesHaveChanged reports whether an unwatched file or directory has changed that the last
// discovery has read.
func (e *Engine) sourcesHaveChanged() bool {
	sources := e.sources.Load()
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

// pollLoop polls the agents of this server where the system reports no events.
func (e *Engine) pollLoop(ctx context.Context) {
	e.watcher.Poll(ctx, watch.PollOptions{
		Places: e.options.Places, Transcripts: &e.transcripts,
		Agents: func() []agents.Agent {
			return slices.DeleteFunc(slices.Clone(e.snapshot().agents), func(a agents.Agent) bool {
				return a.JoinedTo != "" || !e.holdsLease(a.Slug)
			})
		},
		NoEvents: func() map[string]string { return e.snapshot().noEvents },
	})
}

// Agents returns the agents that were on disk when this server last looked for them, in no order. It waits for nobody.
func (e *Engine) Agents() []agents.Agent { return slices.Clone(e.snapshot().agents) }

// AgentsOf returns the agents whose memory a conversation belongs to, as agents.AgentsOf does.
func (e *Engine) AgentsOf(c agents.Conversation) ([]agents.Agent, error) {
	return agents.AgentsOf(c, e.options.Places.ClaudeDir, e.snapshot().agents)
}

// RequestScan has a file looked at now, or with no file all of the agent's directory, and does not wait for it. file is absolute; one that
// is not in the agent's directory, and an agent that is not on disk, are no reason to look at anything.
func (e *Engine) RequestScan(slug, file string) {
	all := e.snapshot().agents
	i := slices.IndexFunc(all, func(a agents.Agent) bool { return a.Slug == slug })
	if i < 0 {
		return
	}
	if joined := all[i].JoinedTo; joined != "" { // the way to the other's directory
		if rel, err := filepath.Rel(all[i].Dir, file); err == nil && filepath.IsLocal(rel) {
			file = filepath.Join(dirOf(all, joined), rel)
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

func dirOf(all []agents.Agent, slug string) string {
	for _, a := range all {
		if a.Slug == slug {
			return a.Dir
		}
	}
	return ""
}
