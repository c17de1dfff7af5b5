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
	// ShowAfter is how long requested scans of an agent must fail before that becomes a problem.
	// The retry after a first failure usually succeeds. Arbitrary.
	ShowAfter = 10 * time.Second
	// widenAfter is the number of failures in a row after which the whole agent is scanned instead
	// of single paths. Arbitrary.
	widenAfter = 2
)

// blockedDirs are the directories of an agent that cannot be read, by their paths relative to the
// agent's directory. Those of discovery have absolute paths.
type blockedDirs map[string]agents.Blocked

// Block records the directories in found, which a scan of paths could not read. They replace the
// recorded ones at and below paths; an empty found removes these. For a discovery, slug is empty
// and paths is ".". relPath returns the path of a directory relative to the agent's directory.
func (s *Tracker) Block(slug string, paths []string, found []agents.Blocked, relPath func(agents.Blocked) string) {
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
		dirs[relPath(b)] = b
	}
	if len(dirs) == 0 {
		delete(s.blocked, slug)
	}
}

// unblock removes the record that a directory of an agent cannot be read. It does nothing without
// one.
func (s *Tracker) unblock(slug, relPath string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.blocked[slug], relPath)
}

// Forget removes the recorded failures and unreadable directories of the agents for which isKnown
// returns false. It keeps those of discovery, and running scans.
func (s *Tracker) Forget(isKnown func(slug string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	isGone := func(slug string) bool { return slug != "" && !isKnown(slug) }
	maps.DeleteFunc(s.failed, func(slug string, _ error) bool { return isGone(slug) })
	maps.DeleteFunc(s.failing, func(slug string, _ failing) bool { return isGone(slug) })
	maps.DeleteFunc(s.blocked, func(slug string, _ blockedDirs) bool { return isGone(slug) })
}

// reason returns a sentence for users about the first directory by path, with the number of the
// others. It returns "" without directories.
func (dirs blockedDirs) reason() string {
	if len(dirs) == 0 {
		return ""
	}
	first := dirs[slices.Min(slices.Collect(maps.Keys(dirs)))]
	if more := len(dirs) - 1; more > 0 {
		return fmt.Sprintf("%s cannot be read (%s), and %d more.", first.Dir, first.Reason, more)
	}
	return fmt.Sprintf("%s cannot be read (%s).", first.Dir, first.Reason)
}

// Problem is a scan that fails or is overdue, or a directory that cannot be read.
type Problem struct {
	Agent  string // slug, or empty for a problem of discovery
	Path   string // of the directory, absolute, or empty if the whole scan fails
	Owner  string // name of the user who owns the directory, or empty if unknown
	Reason string // a few words
}

// List returns all problems of scans on this server, sorted by agent and path. There is one for
// each unreadable directory, and one for each agent whose scan fails or is overdue. Problems of
// discovery have an empty Agent and are first. If an agent's scan and discovery cannot read the
// same directory, it returns only the agent's problem. It returns nil without problems.
func (s *Tracker) List() []Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	byPath := map[string]Problem{}
	for slug, dirs := range s.blocked {
		for _, b := range dirs {
			if slug != "" || byPath[b.Dir].Agent == "" {
				byPath[b.Dir] = Problem{Agent: slug, Path: b.Dir, Owner: b.Owner, Reason: b.Reason}
			}
		}
	}
	all := slices.Collect(maps.Values(byPath))
	reasons := map[string]string{}
	for slug, err := range s.shownErrors() {
		reasons[slug] = err.Error()
	}
	for slug, start := range s.started {
		if took := time.Since(start); took > s.Overdue {
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

// RunsAs returns the name of the user that this process runs as, or the user id if the name is
// unknown.
var RunsAs = sync.OnceValue(func() string {
	if self, err := user.Current(); err == nil {
		return self.Username
	}
	return strconv.Itoa(os.Geteuid())
})

// recordBlocked records in s.Scans the directories that the listing could not read. They replace
// the recorded ones at and below paths.
func (s *Scanner) recordBlocked(tx *agenttx.Tx, listing agents.Listing, paths []string) {
	s.Scans.Block(tx.Agent.Slug, paths, listing.Blocked, func(b agents.Blocked) string {
		return cmp.Or(strings.TrimPrefix(strings.TrimPrefix(b.Dir, tx.Agent.Dir), "/"), ".")
	})
}

// recordClosed records in s.Scans that the agent's directory itself cannot be opened, or removes
// that record if it can. A link to another agent's directory is no problem. It does nothing if too
// many files are open, because the scan then fails anyway.
func (s *Scanner) recordClosed(tx *agenttx.Tx) {
	if files.IsExhausted(tx.Closed) {
		return // the scan fails, and that becomes the problem
	}
	if tx.Closed == nil || s.LinkTarget(tx.Agent) != "" {
		s.Scans.unblock(tx.Agent.Slug, ".")
		return
	}
	closed := agents.BlockedDir(tx.Agent.Dir, tx.Closed)
	s.Scans.Block(tx.Agent.Slug, []string{"."}, []agents.Blocked{closed}, func(agents.Blocked) string { return "." })
}
