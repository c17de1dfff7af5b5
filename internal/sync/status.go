package sync

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// syncStats measures how close the mirror is to the disk.
type syncStats struct {
	mu       sync.Mutex
	lastScan ScanResult
	lastAt   time.Time
	lastLag  time.Duration
}

func (s *syncStats) scanned(found ScanResult, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastScan, s.lastAt = found, at
}

func (s *syncStats) lag(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastLag = d
}

// Status is how close the mirror is to the disk.
type Status struct {
	FilesOnDisk    int           // memory files, as the last scan at each directory counted them; none where it is gone
	Mirrored       int           // of those, how many the database knows
	NeedsAttention int           // memories
	Pending        int           // paths that wait to be scanned
	WatchMode      string        // watch.EventMode or watch.PollMode
	WatchNote      string        // the reason for watch.PollMode
	Overflows      int           // how often events were lost and everything was scanned again
	LastFullScan   time.Time     // zero: none yet
	LastScan       ScanResult    // what that one found
	Lag            time.Duration // from the last change to the end of the scan at it
	Problems       []ScanProblem // what cannot be scanned
}

// Status reads the meter.
func (e *Engine) Status(ctx context.Context) (Status, error) {
	mirrored, attention, err := e.store.Mirrored(ctx)
	if err != nil {
		return Status{}, err
	}
	s := Status{Mirrored: mirrored, NeedsAttention: attention, Pending: e.queue.Pending(), Overflows: e.watcher.Overflows(), Problems: e.ScanProblems()}
	s.WatchMode, s.WatchNote = e.watcher.Mode(e.snapshot().noEvents)
	figures, err := e.allAgentStats(ctx)
	if err != nil {
		return Status{}, err
	}
	for id, f := range figures {
		s.FilesOnDisk += f.Files
		if e.term(id) == 0 {
			s.Pending += f.Pending
		}
	}
	e.stats.mu.Lock()
	defer e.stats.mu.Unlock()
	s.LastFullScan, s.LastScan, s.Lag = e.stats.lastAt, e.stats.lastScan, e.stats.lastLag
	return s, nil
}

// AgentStatus is how close the mirror of one agent is to its directory.
type AgentStatus struct {
	Slug, Name     string
	Present        bool   // its directory is there
	FilesOnDisk    int    // memory files, as the last look counted them; none where the directory is gone
	Mirrored       int    // of those, how many the database knows
	NeedsAttention int    // memories
	Missing        int    // memories that are held, because most of them went at once
	Pending        int    // paths that wait to be scanned
	Problem        string // why its CLAUDE.md is not up to date; empty: it is
	Elsewhere      bool   // another server holds its lease
	ScanProblem    string // why it is not scanned with all others; empty: it is
}

// AgentStatuses reads the meter agent by agent, by slug.
func (e *Engine) AgentStatuses(ctx context.Context) ([]AgentStatus, error) {
	rows, err := e.store.Agents(ctx)
	if err != nil {
		return nil, err
	}
	mirrored, err := e.store.MirroredByAgent(ctx)
	if err != nil {
		return nil, err
	}
	figures, err := e.allAgentStats(ctx)
	if err != nil {
		return nil, err
	}
	holders, err := e.store.Holders(ctx)
	if err != nil {
		return nil, err
	}
	scanProblems := e.scans.problems(e.overdue())
	all := make([]AgentStatus, len(rows))
	for i, row := range rows {
		all[i] = AgentStatus{
			Slug: row.Slug, Name: row.DisplayName, Present: row.Present, FilesOnDisk: figures[row.ID].Files, Mirrored: mirrored[row.ID],
			NeedsAttention: row.Counts.NeedsAttention, Missing: row.Counts.Missing, Pending: figures[row.ID].Pending,
			Problem: row.ClaudeMD.Problem, Elsewhere: holders[row.ID] != 0 && e.term(row.ID) == 0,
			ScanProblem: scanProblems[row.Slug],
		}
	}
	return all, nil
}

// A tally counts the memory files that the last looks at an agent's directory found on disk. One that could not be read yet, because
// somebody is writing it, waits to be scanned again, and counts then.
type fileCounter struct {
	files atomic.Int64
	// unseen are the files that the rows have on disk and the last scan did not find there, without concluding anything from it, as
	// where the primary directory has been moved away. They are not counted.
	unseen map[string]struct{}
}

// update takes in a scan of the paths, which found so many files where the rows had so many before, and did not see some of those.
func (c *fileCounter) update(paths []string, files, before int, unseen []string) {
	for p := range c.unseen {
		if isIn(paths, p) {
			delete(c.unseen, p)
			before--
		}
	}
	if c.unseen == nil {
		c.unseen = map[string]struct{}{}
	}
	for _, p := range unseen {
		c.unseen[p] = struct{}{}
	}
	if isFullScan(paths) {
		c.files.Store(int64(files))
		return
	}
	c.files.Add(int64(files - before))
}

// removed takes in that a file which the rows had on disk was removed: the scan that follows goes by the rows.
func (c *fileCounter) removed(path string) {
	if _, is := c.unseen[path]; is {
		delete(c.unseen, path)
		return
	}
	c.files.Add(-1)
}
