package templates

import (
	"strings"
	"time"
)

// Sync is the page that says how well Memoir and the disk agree.
type Sync struct {
	Frame
	FilesOnDisk    int
	Mirrored       int
	NeedsAttention int
	Pending        int
	WatchMode      string // "events", or "polling"
	// WatchNote says how it watches, and why it does not by events where it does not.
	WatchNote    string
	Overflows    int
	LastFullScan time.Time
	LastScan     ScanResult // of the last full scan
	Lag          time.Duration
	Unsearchable bool // some of what is mirrored is not in the search index yet
	NearMisses   bool // a search finds what only comes close
	Agents       []AgentSync
}

// inStep reports whether everything on disk is on the pages.
func (v Sync) inStep() bool { return v.Pending == 0 }

// notScanned counts the agents whose scan fails, or does not end.
func (v Sync) notScanned() (n int) {
	for _, a := range v.Agents {
		if a.ScanProblem != "" {
			n++
		}
	}
	return n
}

func (v Sync) search() string {
	if v.Unsearchable {
		return "being filled"
	}
	return "complete"
}

func (v Sync) searchNote() string {
	if v.NearMisses {
		return "by words, their beginnings, and what comes close to them"
	}
	return "by words and their beginnings; what only comes close needs the extension pg_trgm, which this database does not have"
}

// ScanResult is what a scan found.
type ScanResult struct {
	Files                   int // on disk
	Added, Updated, Removed int // memories
	Took                    time.Duration
}

// Words says what the scan found, as the rest of a sentence: "looked at 1,204 files in 0.3 s: 3 memories added".
func (s ScanResult) Words() string {
	var found []string
	for _, part := range []struct {
		n    int
		what string
	}{{s.Added, "added"}, {s.Updated, "updated"}, {s.Removed, "removed"}} {
		if part.n > 0 {
			found = append(found, counted(part.n, "memory ", "memories ")+part.what)
		}
	}
	if len(found) == 0 {
		found = []string{"nothing had changed"}
	}
	return "looked at " + counted(s.Files, "file", "files") + english.Sprintf(" in %.1f s: ", s.Took.Seconds()) + strings.Join(found, ", ")
}

// AgentSync is how well Memoir and one agent's directory agree.
type AgentSync struct {
	Slug, Name     string
	Present        bool
	FilesOnDisk    int
	Mirrored       int
	NeedsAttention int
	Missing        int
	Pending        int
	Problem        string // of its CLAUDE.md; empty: none
	Elsewhere      bool   // another server of this database looks after it
	ScanProblem    string // why it is not scanned with all others; empty: it is
}

// inStep reports whether there is nothing to say about the agent.
func (a AgentSync) inStep() bool {
	return a.Present && a.Pending == 0 && a.Mirrored == a.FilesOnDisk && a.NeedsAttention == 0 && a.Missing == 0 && a.Problem == "" && a.ScanProblem == ""
}
