package templates

import "time"

// Sync is the page that says how well Memoir and the disk agree.
type Sync struct {
	Frame
	FilesOnDisk    int
	Mirrored       int
	NeedsAttention int
	Pending        int
	WatchMode      string // "events", or "polling"
	// WatchNote says why the watch mode is not the best one; empty: it is.
	WatchNote    string
	Overflows    int
	LastFullScan time.Time
	Lag          time.Duration
}

// inStep reports whether everything on disk is on the pages.
func (v Sync) inStep() bool { return v.Pending == 0 }
