package sync

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"memoir/internal/agents"
)

// glance is the time between two glances at the anchors: with the debounce and the look itself, an agent below a new root
// is there within 3 s.
const glance = time.Second

// anchors are the paths that everything else hangs on, with what stands there: the directories that the settings name, and
// the links by which agents are found. No event tells that one of them leads elsewhere, because a directory above it
// was moved, a link on the way changed, or something mounted; one stat of each does.
type anchors map[string]watchedPlace

func anchorsOf(dirs []string) anchors {
	held := make(anchors, len(dirs))
	for _, dir := range dirs {
		held[dir] = whereItLeads(dir)
	}
	return held
}

// addLinks adds links, and the agents whose directories are some.
func (a anchors) addLinks(links []string, found []agents.Agent) {
	for _, link := range links {
		a[link] = whereItLeads(link)
	}
	for _, agent := range found {
		if _, known := a[agent.Dir]; !known && agents.IsLink(agent.Dir) {
			a[agent.Dir] = whereItLeads(agent.Dir)
		}
	}
}

// whereItLeads is the directory that stands at a path now; the zero place: none.
func whereItLeads(dir string) watchedPlace {
	info, err := os.Stat(dir)
	if err != nil {
		return watchedPlace{}
	}
	return placeOf(dir, info)
}

// watchAnchors has agents looked for when an anchor leads elsewhere than when they were last looked for.
func (e *Engine) watchAnchors(ctx context.Context) {
	ticks := time.NewTicker(glance)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		for dir, was := range e.terrain().anchors {
			if whereItLeads(dir) != was {
				e.queue.add("", ".")
			}
		}
		if e.sourcesHaveChanged() {
			e.queue.add("", ".")
		}
	}
}

// sourcesHaveChanged says whether a file or directory has changed that the last discovery went by, and that no event tells of.
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

// moved says whether the directory lies at an anchor, or below one, that led elsewhere before.
func (a anchors) moved(before anchors, dir string) bool {
	for anchor, place := range a {
		was, known := before[anchor]
		if known && was != place && (dir == anchor || strings.HasPrefix(dir, anchor+string(filepath.Separator))) {
			return true
		}
	}
	return false
}
