package sync

import (
	"context"
	"slices"
	"sync"
	"time"

	"memoir/internal/access"
	"memoir/internal/sync/scan"
)

// syncStats are statistics of this server's scans, for Status.
type syncStats struct {
	mu       sync.Mutex
	lastScan scan.Result   // of the last full scan
	lastAt   time.Time     // when that ended; zero before the first
	lastLag  time.Duration // of the last queued scan
}

// recordFullScan records the result of a full scan that has ended now, for Status.
func (s *syncStats) recordFullScan(result scan.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastScan, s.lastAt = result, time.Now()
}

// recordLag records for Status how long the last queued scan took, from the change on disk to its
// end.
func (s *syncStats) recordLag(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastLag = d
}

// Status describes how close the database is to the disk. Agents of all servers count; watching,
// full scans, Lag and Problems are those of this server.
type Status struct {
	FilesOnDisk    int // memory files of present agents, by their last scans
	Mirrored       int // memory files of present agents in the database
	NeedsAttention int // memories that need attention
	Pending        int // paths that wait to be scanned
	// WatchMode is watch.EventMode or watch.PollMode. WatchNote is the reason for watch.PollMode.
	WatchMode, WatchNote string
	Overflows            int            // lost events; each led to a full scan
	LastFullScan         time.Time      // when the last full scan ended; zero before the first
	LastScan             scan.Result    // of that full scan
	Lag                  time.Duration  // from the last change to the end of its scan
	Problems             []scan.Problem // see ScanProblems
}

// Status returns the status of all agents of all servers together, and of this server's scans. It
// fails only with errors of the database.
func (e *Engine) Status(ctx context.Context) (Status, error) {
	mirrored, attention, err := e.store.Mirrored(ctx)
	if err != nil {
		return Status{}, err
	}
	s := Status{Mirrored: mirrored, NeedsAttention: attention, Pending: e.queue.Pending(), Overflows: e.watcher.Overflows(), Problems: e.ScanProblems(ctx)}
	s.WatchMode, s.WatchNote = e.watcher.Mode(e.discoverer.Snapshot().NoEvents)
	stats, err := e.node.AllAgentStats(ctx)
	if err != nil {
		return Status{}, err
	}
	for id, agent := range stats {
		s.FilesOnDisk += agent.Files
		if e.node.Term(id) == 0 { // the queue counts the others
			s.Pending += agent.Pending
		}
	}
	e.stats.mu.Lock()
	defer e.stats.mu.Unlock()
	s.LastFullScan, s.LastScan, s.Lag = e.stats.lastAt, e.stats.lastScan, e.stats.lastLag
	return s, nil
}

// Pending returns the number of paths that wait for a scan on this server.
func (e *Engine) Pending() int { return e.queue.Pending() }

// AgentStatus describes how close the database is to the directory of one agent.
type AgentStatus struct {
	Slug, Name     string // Name is the display name
	Present        bool   // the directory exists
	FilesOnDisk    int    // memory files, by the last scans; 0 if the directory is absent
	Mirrored       int    // memory files in the database
	NeedsAttention int    // memories that need attention
	Missing        int    // missing memories
	Pending        int    // paths that wait to be scanned
	Problem        string // why CLAUDE.md is not current; empty if it is
	Elsewhere      bool   // another server holds the lease
	ScanProblem    string // why this server cannot scan the agent; empty if it can
}

// AgentStatuses returns the status of every agent of all servers, sorted by slug, also of agents
// whose directory is absent or a link. It fails only with errors of the database.
func (e *Engine) AgentStatuses(ctx context.Context) ([]AgentStatus, error) {
	rows, err := e.store.Agents(ctx)
	if err != nil {
		return nil, err
	}
	mirrored, err := e.store.MirroredByAgent(ctx)
	if err != nil {
		return nil, err
	}
	stats, err := e.node.AllAgentStats(ctx)
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
			Slug: row.Slug, Name: row.DisplayName, Present: row.Present, FilesOnDisk: stats[row.ID].Files, Mirrored: mirrored[row.ID],
			NeedsAttention: row.Counts.NeedsAttention, Missing: row.Counts.Missing, Pending: stats[row.ID].Pending,
			Problem: row.ClaudeMD.Problem, Elsewhere: holders[row.ID] != 0 && e.node.Term(row.ID) == 0,
			ScanProblem: scanProblems[row.Slug],
		}
	}
	return all, nil
}

// ScanProblems returns the agents and directories that this server cannot scan, sorted by agent and
// path. Directories of no known agent come first. It returns nothing if all can be scanned. It leaves
// out agents that the request of ctx may not see, and for a request that sees some agents, the
// directories of no known agent.
func (e *Engine) ScanProblems(ctx context.Context) []ScanProblem {
	grant := access.Of(ctx)
	return slices.DeleteFunc(e.scans.List(), func(p ScanProblem) bool { return !grant.Sees(p.Agent) || p.Agent == "" && !grant.SeesAll() })
}
