package sync

import (
	"context"
	"sync"
	"time"

	"memoir/internal/sync/scan"
)

// syncStats measures how close the mirror is to the disk.
type syncStats struct {
	mu       sync.Mutex
	lastScan scan.Result
	lastAt   time.Time
	lastLag  time.Duration
}

func (s *syncStats) scanned(found scan.Result, at time.Time) {
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
	FilesOnDisk    int            // memory files, as the last scan at each directory counted them; none where it is gone
	Mirrored       int            // of those, how many the database knows
	NeedsAttention int            // memories
	Pending        int            // paths that wait to be scanned
	WatchMode      string         // watch.EventMode or watch.PollMode
	WatchNote      string         // the reason for watch.PollMode
	Overflows      int            // how often events were lost and everything was scanned again
	LastFullScan   time.Time      // zero: none yet
	LastScan       scan.Result    // what that one found
	Lag            time.Duration  // from the last change to the end of the scan at it
	Problems       []scan.Problem // what cannot be scanned
}

// Status reads the meter.
func (e *Engine) Status(ctx context.Context) (Status, error) {
	mirrored, attention, err := e.store.Mirrored(ctx)
	if err != nil {
		return Status{}, err
	}
	s := Status{Mirrored: mirrored, NeedsAttention: attention, Pending: e.queue.Pending(), Overflows: e.watcher.Overflows(), Problems: e.scans.List()}
	s.WatchMode, s.WatchNote = e.watcher.Mode(e.discoverer.Snapshot().NoEvents)
	figures, err := e.node.AllAgentStats(ctx)
	if err != nil {
		return Status{}, err
	}
	for id, f := range figures {
		s.FilesOnDisk += f.Files
		if e.node.Term(id) == 0 {
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
	Elsewhere      bool   // another server holds the lease of it
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
	figures, err := e.node.AllAgentStats(ctx)
	if err != nil {
		return nil, err
	}
	holders, err := e.store.Holders(ctx)
	if err != nil {
		return nil, err
	}
	scanProblems := e.scans.Problems()
	all := make([]AgentStatus, len(rows))
	for i, row := range rows {
		all[i] = AgentStatus{
			Slug: row.Slug, Name: row.DisplayName, Present: row.Present, FilesOnDisk: figures[row.ID].Files, Mirrored: mirrored[row.ID],
			NeedsAttention: row.Counts.NeedsAttention, Missing: row.Counts.Missing, Pending: figures[row.ID].Pending,
			Problem: row.ClaudeMD.Problem, Elsewhere: holders[row.ID] != 0 && e.node.Term(row.ID) == 0,
			ScanProblem: scanProblems[row.Slug],
		}
	}
	return all, nil
}

// ScanProblems returns the agents and directories that this server cannot scan. Those of no agent
// come first, then they are sorted by agent.
func (e *Engine) ScanProblems() []scan.Problem { return e.scans.List() }
