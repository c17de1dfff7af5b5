package sync

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
)

const (
	// showAfter is how long a watched scan fails before it is shown. A scan that fails once is tried again and usually succeeds.
	showAfter = 10 * time.Second
	// widenAfter is the number of failures in a row after which a scan of single paths becomes one of the whole agent.
	widenAfter = 2
)

// failing is a watched scan that fails again and again.
type failing struct {
	since  time.Time // of the first failure
	times  int       // in a row
	isFull bool      // the last one was of the whole agent
	err    error     // of the last one
}

// fail notes that a watched scan failed. The result reports whether its paths are to be dropped and the whole agent scanned instead.
func (s *scanTracker) fail(slug string, isFull bool, err error) (widen bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.failing[slug]
	if f.times == 0 {
		f.since = time.Now()
	}
	f.times, f.isFull, f.err = f.times+1, isFull, err
	s.failing[slug] = f
	return f.times >= widenAfter
}

// succeed notes that a scan succeeded. A scan of single paths does not end the failing of whole scans.
func (s *scanTracker) succeed(slug string, isFull bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if isFull {
		delete(s.failed, slug)
	}
	if isFull || !s.failing[slug].isFull {
		delete(s.failing, slug)
	}
}

// blockedDirs are the directories of an agent that cannot be looked into, by their paths in it.
type blockedDirs map[string]agents.Blocked

// block notes the directories of an agent that a scan of the given paths could not look into; of no agent, those of discovery.
func (s *scanTracker) block(slug string, paths []string, found []agents.Blocked, within func(agents.Blocked) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	dirs := s.blocked[slug]
	for p := range dirs {
		if isIn(paths, p) {
			delete(dirs, p)
		}
	}
	for _, b := range found {
		if dirs == nil {
			dirs = blockedDirs{}
			s.blocked[slug] = dirs
		}
		dirs[within(b)] = b
	}
	if len(dirs) == 0 {
		delete(s.blocked, slug)
	}
}

// unblock notes that a directory of an agent can be looked into.
func (s *scanTracker) unblock(slug, within string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.blocked[slug], within)
}

// forget drops all that is known of the scans of agents that are not known any longer.
func (s *scanTracker) forget(isKnown func(slug string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	isGone := func(slug string) bool { return slug != "" && !isKnown(slug) }
	maps.DeleteFunc(s.failed, func(slug string, _ error) bool { return isGone(slug) })
	maps.DeleteFunc(s.failing, func(slug string, _ failing) bool { return isGone(slug) })
	maps.DeleteFunc(s.blocked, func(slug string, _ blockedDirs) bool { return isGone(slug) })
}

// reason describes one of the directories, and says how many more there are.
func (dirs blockedDirs) reason() string {
	if len(dirs) == 0 {
		return ""
	}
	first := dirs[slices.Min(slices.Collect(maps.Keys(dirs)))]
	text := fmt.Sprintf("%s cannot be read (%s).", first.Dir, first.Reason)
	if more := len(dirs) - 1; more > 0 {
		text = fmt.Sprintf("%s cannot be read (%s), and %d more.", first.Dir, first.Reason, more)
	}
	return text
}

// A ScanProblem is an agent that cannot be scanned, or a directory that cannot be read.
type ScanProblem struct {
	Agent  string // slug; empty: of no known agent
	Path   string // the directory, absolute; empty: the whole scan fails
	Owner  string // the user that owns the directory; empty: unknown
	Reason string
}

// ScanProblems returns the agents and directories that cannot be scanned on this server: those of no agent first, then by agent.
func (e *Engine) ScanProblems() []ScanProblem {
	s := e.scans
	s.mu.Lock()
	defer s.mu.Unlock()
	byPath := map[string]ScanProblem{}
	for slug, dirs := range s.blocked {
		for _, b := range dirs {
			if slug != "" || byPath[b.Dir].Agent == "" { // discovery may have come by an agent's directory, too
				byPath[b.Dir] = ScanProblem{Agent: slug, Path: b.Dir, Owner: b.Owner, Reason: b.Reason}
			}
		}
	}
	all := slices.Collect(maps.Values(byPath))
	reasons := map[string]string{}
	for slug, f := range s.failing {
		if time.Since(f.since) > s.showAfter {
			reasons[slug] = f.err.Error()
		}
	}
	for slug, err := range s.failed {
		reasons[slug] = err.Error()
	}
	for slug, since := range s.since {
		if took := time.Since(since); took > e.overdue() {
			reasons[slug] = "the scan has been running for " + roughly(took)
		}
	}
	for slug, reason := range reasons {
		all = append(all, ScanProblem{Agent: slug, Reason: reason})
	}
	slices.SortFunc(all, func(a, b ScanProblem) int {
		return cmp.Or(cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Path, b.Path))
	})
	return all
}

// RunsAs returns the name of the user that this process runs as.
var RunsAs = sync.OnceValue(func() string {
	if self, err := user.Current(); err == nil {
		return self.Username
	}
	return strconv.Itoa(os.Geteuid())
})

// recordBlocked notes which directories of the agent a scan of the given paths could not look into.
func (h *hold) recordBlocked(listing agents.Listing, paths []string) {
	h.scans.block(h.onDisk.Slug, paths, listing.Blocked, func(b agents.Blocked) string {
		return cmp.Or(strings.TrimPrefix(strings.TrimPrefix(b.Dir, h.onDisk.Dir), "/"), ".")
	})
}

// recordClosed notes whether the agent's directory itself cannot be opened.
func (h *hold) recordClosed() {
	if files.IsExhausted(h.closed) {
		return // the scan fails, which is shown as such
	}
	if h.closed == nil || h.joinedTo(h.onDisk) != "" {
		h.scans.unblock(h.onDisk.Slug, ".")
		return
	}
	closed := agents.BlockedDir(h.onDisk.Dir, h.closed)
	h.scans.block(h.onDisk.Slug, []string{"."}, []agents.Blocked{closed}, func(agents.Blocked) string { return "." })
}

// recordDiscovery notes which directories discovery could not look into.
func (e *Engine) recordDiscovery(found []agents.Blocked) {
	e.scans.block("", []string{"."}, found, func(b agents.Blocked) string { return b.Dir })
}
