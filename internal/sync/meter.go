package sync

import (
	"context"
	"sync"
	"time"
)

// meter measures how close the mirror is to the disk.
type meter struct {
	mu       sync.Mutex
	lastScan Scan
	lastAt   time.Time
	lastLag  time.Duration
}

func (m *meter) scanned(found Scan, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lastScan, m.lastAt = found, at
}

func (m *meter) lag(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lastLag = d
}

// Status is how close the mirror is to the disk.
type Status struct {
	FilesOnDisk    int           // memory files, as the last look at each directory counted them; none where it is gone
	Mirrored       int           // of those, how many the database knows
	NeedsAttention int           // memories
	Pending        int           // paths that wait to be looked at
	WatchMode      string        // watch.EventMode or watch.PollMode
	WatchNote      string        // the reason for watch.PollMode
	Overflows      int           // how often events were lost and everything was looked at again
	LastFullScan   time.Time     // zero: none yet
	LastScan       Scan          // what that one found
	Lag            time.Duration // from the last change to the end of the look at it
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
	figures, err := e.figuresOfAll(ctx)
	if err != nil {
		return Status{}, err
	}
	for id, f := range figures {
		s.FilesOnDisk += f.Files
		if e.term(id) == 0 {
			s.Pending += f.Pending
		}
	}
	e.meter.mu.Lock()
	defer e.meter.mu.Unlock()
	s.LastFullScan, s.LastScan, s.Lag = e.meter.lastAt, e.meter.lastScan, e.meter.lastLag
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
	Pending        int    // paths that wait to be looked at
	Problem        string // why its CLAUDE.md is not up to date; empty: it is
	Elsewhere      bool   // another server looks after it
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
	figures, err := e.figuresOfAll(ctx)
	if err != nil {
		return nil, err
	}
	holders, err := e.store.Holders(ctx)
	if err != nil {
		return nil, err
	}
	scanProblems := e.scanning.problems(e.overdue())
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
