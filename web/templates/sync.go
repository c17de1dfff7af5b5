package templates

import (
	"slices"
	"strings"
	"time"

	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// Sync is the view of the page about the state of the mirror.
type Sync struct {
	ui.Frame
	FilesOnDisk    int
	Mirrored       int
	NeedsAttention int
	Pending        int
	WatchMode      string // "events" or "polling"
	// WatchNote explains the mode, and in polling mode the reason for it.
	WatchNote    string
	Overflows    int
	LastFullScan time.Time
	LastScan     ScanResult // result of the last full scan
	Lag          time.Duration
	Unsearchable bool // some memories are not in the search index yet
	NearMisses   bool // a search can find close matches
	Agents       []AgentSync
}

func (v Sync) isUpToDate() bool { return v.Pending == 0 }

// state returns the state of the mirror in a few words.
func (v Sync) state() ui.Health {
	failing := 0
	for _, a := range v.Agents {
		if a.ScanProblem != "" {
			failing++
		}
	}
	switch {
	case failing > 0:
		return ui.Health{Tone: ui.Danger, Text: wording.Count(failing, "agent", "agents") + " cannot be scanned"}
	case v.Pending > 0:
		return ui.Health{Tone: ui.Warning, Text: wording.Number(v.Pending) + " pending"}
	case v.WatchMode == Polling:
		return ui.Health{Tone: ui.Warning, Text: "Polling"}
	}
	return ui.Health{Tone: ui.Good, Text: "In sync"}
}

// Polling is the WatchMode in which Memoir looks for changes at intervals.
const Polling = "polling"

// unwell returns the agents that are not up to date.
func (v Sync) unwell() []AgentSync {
	return slices.DeleteFunc(slices.Clone(v.Agents), AgentSync.isUpToDate)
}

func (v Sync) search() string {
	if v.Unsearchable {
		return "Being built"
	}
	return "Complete"
}

func (v Sync) searchNote() string {
	if v.NearMisses {
		return "words, prefixes and similar words"
	}
	return "words and prefixes; similar words need the extension pg_trgm"
}

// ScanResult is the view of a scan's result.
type ScanResult struct {
	Files                   int // on disk
	Added, Updated, Removed int // memories
	Took                    time.Duration
}

// Words returns the result in words: "1,204 files in 0.3 s, 3 memories added".
func (s ScanResult) Words() string {
	var found []string
	for _, part := range []struct {
		n    int
		what string
	}{{s.Added, "added"}, {s.Updated, "updated"}, {s.Removed, "removed"}} {
		if part.n > 0 {
			found = append(found, wording.Count(part.n, "memory ", "memories ")+part.what)
		}
	}
	if len(found) == 0 {
		found = []string{"no change"}
	}
	return wording.Count(s.Files, "file", "files") + " in " + wording.Fixed(s.Took.Seconds(), 1) + " s, " + strings.Join(found, ", ")
}

// AgentSync is the view of the state of one agent's mirror.
type AgentSync struct {
	Slug, Name     string
	Present        bool
	FilesOnDisk    int
	Mirrored       int
	NeedsAttention int
	Missing        int
	Pending        int
	Problem        string // with its CLAUDE.md; empty if there is no problem
	Elsewhere      bool   // another server holds the agent's lease
	ScanProblem    string // why its scan fails or hangs; empty if it does not
}

func (a AgentSync) isUpToDate() bool {
	return a.Present && a.Pending == 0 && a.Mirrored == a.FilesOnDisk && a.NeedsAttention == 0 && a.Missing == 0 && a.Problem == "" && a.ScanProblem == ""
}

// ScanProblem is the view of an unreadable directory or of an agent whose scan fails.
type ScanProblem struct {
	Agent  string // the slug; empty if unknown
	Path   string // empty if the whole scan fails
	Owner  string // the user that owns the directory; empty if unknown
	Reason string
}

// line returns one line of text: what could not be scanned, its owner if known, and the reason.
func (p ScanProblem) line() string {
	what := p.Path
	switch {
	case p.Path != "":
	case p.Agent != "":
		what = "Agent " + p.Agent
	default:
		what = "Discovery of agents"
	}
	if p.Owner != "" {
		return what + " (owner " + p.Owner + "): " + p.Reason
	}
	return what + ": " + p.Reason
}

// ScanProblems returns at most two banners: one for the directories that could not be read, one for
// the scans that fail. runsAs is the user that Memoir runs as. Without problems it returns nil.
func ScanProblems(problems []ScanProblem, runsAs string) []ui.Banner {
	var dirs, scans []string
	for _, p := range problems {
		if p.Path != "" {
			dirs = append(dirs, p.line())
		} else {
			scans = append(scans, p.line())
		}
	}
	var all []ui.Banner
	if len(dirs) > 0 {
		all = append(all, problemBanner(wording.Count(len(dirs), "directory", "directories")+" not read", dirs,
			"Memoir runs as "+runsAs+". Let that user read and enter the directory."))
	}
	if len(scans) > 0 {
		all = append(all, problemBanner(wording.Count(len(scans), "scan", "scans")+" failing", scans,
			"Mirrored memories are kept. Memoir tries again."))
	}
	return all
}

func problemBanner(title string, lines []string, wayOut string) ui.Banner {
	b := ui.Banner{Tone: ui.Warning, Title: title}
	if len(lines) == 1 {
		b.Text = strings.TrimSuffix(lines[0], ".") + ". " + wayOut
	} else {
		b.Text, b.Items = wayOut, lines
	}
	return b
}
