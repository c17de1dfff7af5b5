package scan

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
	"memoir/internal/sync/agenttx"
)

const (
	// showAfter is how long a watched scan fails before it is shown. A scan that fails once is tried again and usually succeeds.
	ShowAfter = 10 * time.Second
	// widenAfter is the number of failures in a row after which a scan of single paths becomes one of the whole agent.
	widenAfter = 2
)

// blockedDirs are the directories of an agent that cannot be looked into, by their paths in it.
type blockedDirs map[string]agents.Blocked

// block notes the directories of an agent that a scan of the given paths could not look into; of no agent, those of discovery.
func (s *Tracker) Block(slug string, paths []string, found []agents.Blocked, within func(agents.Blocked) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	dirs := s.blocked[slug]
	for p := range dirs {
		if agenttx.IsIn(paths, p) {
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
func (s *Tracker) unblock(slug, within string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.blocked[slug], within)
}

// forget drops all that is known of the scans of agents that are not known any longer.
func (s *Tracker) Forget(isKnown func(slug string) bool) {
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
type Problem struct {
	Agent  string // slug; empty: of no known agent
	Path   string // the directory, absolute; empty: the whole scan fails
	Owner  string // the user that owns the directory; empty: unknown
	Reason string
}

// ScanProblems returns the agents and directories that cannot be scanned on this server: those of no agent first, then by agent.
func (s *Tracker) List() []Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	byPath := map[string]Problem{}
	for slug, dirs := range s.blocked {
		for _, b := range dirs {
			if slug != "" || byPath[b.Dir].Agent == "" { // discovery may have come by an agent's directory, too
				byPath[b.Dir] = Problem{Agent: slug, Path: b.Dir, Owner: b.Owner, Reason: b.Reason}
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
		if took := time.Since(since); took > s.Overdue {
			reasons[slug] = "the scan has been running for " + roughly(took)
		}
	}
	for slug, reason := range reasons {
		all = append(all, Problem{Agent: slug, Reason: reason})
	}
	slices.SortFunc(all, func(a, b Problem) int {
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
func (s *Scanner) recordBlocked(tx *agenttx.Tx, listing agents.Listing, paths []string) {
	s.Scans.Block(tx.Agent.Slug, paths, listing.Blocked, func(b agents.Blocked) string {
		return cmp.Or(strings.TrimPrefix(strings.TrimPrefix(b.Dir, tx.Agent.Dir), "/"), ".")
	})
}

// recordClosed notes whether the agent's directory itself cannot be opened.
func (s *Scanner) recordClosed(tx *agenttx.Tx) {
	if files.IsExhausted(tx.Closed) {
		return // the scan fails, which is shown as such
	}
	if tx.Closed == nil || s.LinkTarget(tx.Agent) != "" {
		s.Scans.unblock(tx.Agent.Slug, ".")
		return
	}
	closed := agents.BlockedDir(tx.Agent.Dir, tx.Closed)
	s.Scans.Block(tx.Agent.Slug, []string{"."}, []agents.Blocked{closed}, func(agents.Blocked) string { return "." })
}
