package sync

import (
	"fmt"

	"memoir/internal/agents"
)

// terrain is what the last discovery found on disk, for those who keep an eye on it between two looks. It is never
// changed, only replaced.
type terrain struct {
	agents  []agents.Agent
	anchors anchors
	// eventless are the directories, of agents or where agents may appear, on file systems that send no events; by slug,
	// the empty one standing for the set of agents.
	eventless map[string]string
	// owners are the slugs of the agents whose own place a home is.
	owners map[agents.MemoryHome]string
}

// terrain returns the last one noted; before the first discovery, one with nothing in it.
func (e *Engine) terrain() terrain {
	if t := e.found.Load(); t != nil {
		return *t
	}
	return terrain{}
}

// noteTerrain keeps what a discovery has found, by way of links among others, and has the agents looked at that are not where they were.
// The anchors are as they were before it: what has changed since is then noticed.
func (e *Engine) noteTerrain(found []agents.Agent, links []string, held anchors) {
	eventless := map[string]string{}
	for dir, place := range held {
		if place != (watchedPlace{}) && sendsNoEvents(dir) {
			eventless[""] = dir
		}
	}
	held.addLinks(links, found)
	for _, a := range found {
		if sendsNoEvents(a.Dir) {
			eventless[a.Slug] = a.Dir
		}
	}
	before := e.terrain().anchors
	for _, a := range found {
		if held.moved(before, a.Dir) {
			e.queue.add(a.Slug, ".")
		}
	}
	owners := map[agents.MemoryHome]string{}
	for _, a := range found {
		if a.JoinedTo == "" {
			owners[agents.HomeOf(a)] = a.Slug
		}
	}
	e.found.Store(&terrain{agents: found, anchors: held, eventless: eventless, owners: owners})
}

// joinedTo returns the slug of the agent that an agent's directory leads to now, by a link; empty: it is its own. It is asked before each
// look, because a link that somebody has just put there would make everything in the directory look removed.
func (e *Engine) joinedTo(a agents.Agent) string {
	if a.JoinedTo != "" {
		return a.JoinedTo
	}
	if owner := e.terrain().owners[agents.HomeOf(a)]; owner != a.Slug {
		return owner
	}
	return ""
}

// joinedError means that the agent's directory is a link to another agent's.
type joinedError struct{ slug, to string }

func (e *joinedError) Error() string {
	return fmt.Sprintf("%s is joined to %s: its directory is a link to that one's.", e.slug, e.to)
}
