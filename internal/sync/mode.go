package sync

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"syscall"
	"time"
)

// The ways of noticing changes.
const (
	WatchMode = "watch" // the system tells of each
	PollMode  = "poll"  // of some or of all it does not, and what it does not tell of is looked at again and again
)

// unwatched are the agents of which no event tells, or not all; the empty slug stands for the set of agents.
type unwatched struct {
	all   bool
	slugs map[string]struct{}
}

func (u unwatched) includes(slug string) bool {
	_, is := u.slugs[slug]
	return u.all || is
}

// unwatched says what has to be looked at again and again.
func (e *Engine) unwatched() unwatched {
	u := e.watcher.unwatched()
	for slug := range e.terrain().eventless {
		u.slugs[slug] = struct{}{}
	}
	return u
}

// mode says how changes are noticed, and in words, as a note to it, why not by events alone.
func (e *Engine) mode() (mode, note string) {
	why := e.whyNotByEvents()
	if why == "" {
		return WatchMode, ""
	}
	return PollMode, fmt.Sprintf("%s; Memoir looks by itself every %v instead", why, e.meter.pollsEvery().Round(time.Second))
}

func (e *Engine) whyNotByEvents() string {
	reach := e.watcher.reach()
	eventless := e.terrain().eventless
	switch {
	case e.options.Poll:
		return "the settings ask for it (--watch=poll)"
	case reach.unopened != nil:
		return fmt.Sprintf("the system lets no further program watch files (%v); raise fs.inotify.max_user_instances, or the number of files that may be open",
			plainly(reach.unopened))
	case reach.refused > 0:
		return fmt.Sprintf("the system lets %d of %d directories be watched (%v); raise fs.inotify.max_user_watches, or the number of files that may be open",
			reach.watched, reach.watched+reach.refused, plainly(reach.refusal))
	case len(eventless) > 0:
		return fmt.Sprintf("the file system of %s does not say what changes", slices.Min(slices.Collect(maps.Values(eventless))))
	}
	return ""
}

// plainly is what the system said, without the words of those in between.
func plainly(err error) error {
	var said syscall.Errno
	if errors.As(err, &said) {
		return said
	}
	return err
}
