package sync

import "memoir/internal/agents"

// terrain is what the last discovery found on disk, for those who keep an eye on it between two looks. It is never
// changed, only replaced.
type terrain struct {
	agents  []agents.Agent
	anchors anchors
	// eventless are the directories, of agents or where agents may appear, on file systems that send no events; by slug,
	// the empty one standing for the set of agents.
	eventless map[string]string
}

// terrain returns the last one noted; before the first discovery, one with nothing in it.
func (e *Engine) terrain() terrain {
	if t := e.found.Load(); t != nil {
		return *t
	}
	return terrain{}
}

// noteTerrain keeps what a discovery has found, and has the agents looked at that are not where they were. The anchors are
// as they were before it: what has changed since is then noticed.
func (e *Engine) noteTerrain(found []agents.Agent, held anchors) {
	eventless := map[string]string{}
	for dir, place := range held {
		if place != (watchedPlace{}) && sendsNoEvents(dir) {
			eventless[""] = dir
		}
	}
	held.addLinks(found)
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
	e.found.Store(&terrain{agents: found, anchors: held, eventless: eventless})
}
