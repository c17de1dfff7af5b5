package templates

import "strings"

// ScanProblem is the view of an unreadable directory or of an agent whose scan fails.
type ScanProblem struct {
	Agent  string // the slug; empty if unknown
	Path   string // empty if the whole scan fails
	Owner  string // the user that owns the directory; empty if unknown
	Reason string
}

// line returns the problem on one line.
func (p ScanProblem) line() string {
	what := p.Path
	switch {
	case p.Path != "":
	case p.Agent != "":
		what = "Agent " + p.Agent
	default:
		what = "Looking for agents"
	}
	if p.Owner != "" {
		return what + " (owner " + p.Owner + "): " + p.Reason
	}
	return what + ": " + p.Reason
}

// ScanProblems returns the banners for scan problems. runsAs is the user that Memoir runs as.
func ScanProblems(problems []ScanProblem, runsAs string) []Banner {
	var dirs, scans []string
	for _, p := range problems {
		if p.Path != "" {
			dirs = append(dirs, p.line())
		} else {
			scans = append(scans, p.line())
		}
	}
	var all []Banner
	if len(dirs) > 0 {
		all = append(all, problemBanner(counted(len(dirs), "directory", "directories")+" not read", dirs,
			"Memoir runs as "+runsAs+". Let that user read and enter the directory."))
	}
	if len(scans) > 0 {
		all = append(all, problemBanner(counted(len(scans), "scan", "scans")+" failing", scans,
			"Memories that were mirrored are kept. Memoir tries again."))
	}
	return all
}

func problemBanner(title string, lines []string, wayOut string) Banner {
	b := Banner{Tone: Warning, Title: title}
	if len(lines) == 1 {
		b.Text = strings.TrimSuffix(lines[0], ".") + ". " + wayOut
	} else {
		b.Text, b.Items = wayOut, lines
	}
	return b
}
