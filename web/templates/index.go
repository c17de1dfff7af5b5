package templates

import (
	"slices"
	"strconv"

	"memoir/internal/diff"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
)

// Index is the view of an agent's Index tab: its MEMORY.md as the agent loads it.
type Index struct {
	Frame
	Agent   Agent
	Path    string // relative to the agent's directory
	Present bool
	Problem string   // why it cannot be read; empty if it can
	Others  []string // other index files, which the agent does not load
	Loaded  memorymd.Loaded
	// Findings are sorted by line. Findings about no line are last.
	Findings []memorymd.Finding
	// UpToDate reports whether a repair would change nothing.
	UpToDate bool
	// Facts maps the first line of each fact in the index to the fact's id.
	Facts map[int]string
	// Wanted are memories that never existed and to which others link, most links first.
	Wanted []memories.WantedMemory
}

// IndexRepair is the view of the preview of a repair.
type IndexRepair struct {
	Frame
	Agent Agent
	Path  string
	New   bool   // whether the file does not exist
	ETag  string // of the change shown
	Diff  diff.Diff
	// Topics are the changes of further indexes to which entries move.
	Topics []TopicChange
}

// TopicChange is the change of a further index to which MEMORY.md links.
type TopicChange struct {
	Path string // relative to the agent's directory
	Diff diff.Diff
}

// IndexPath returns the path of an agent's Index tab.
func IndexPath(slug string) string { return AgentPath(slug, indexTab) }

// FactPath returns the path of the page of a fact, or of an action on it that rest names, for
// example preview. A fact is a text of MEMORY.md that belongs to no memory file.
func FactPath(slug, id string, rest ...string) string {
	return AgentPath(slug, append([]string{indexTab, "facts", id}, rest...)...)
}

// IndexRepairPath returns the path of the preview of a repair of MEMORY.md. A POST to it writes the
// file.
func IndexRepairPath(slug string) string { return AgentPath(slug, indexTab, "repair") }

func (v IndexRepair) repair() Action {
	label := "Bring it in step"
	if v.New {
		label = "Create it"
	}
	return Action{Label: label, Path: IndexRepairPath(v.Agent.Slug), ETag: v.ETag, Style: Primary}
}

// changedLines returns the numbers of added and removed lines in words.
func (v IndexRepair) changedLines() string {
	switch {
	case v.Diff.Removed == 0:
		return counted(v.Diff.Added, "line comes", "lines come") + ", none goes."
	case v.Diff.Added == 0:
		return counted(v.Diff.Removed, "line goes", "lines go") + ", none comes."
	default:
		return counted(v.Diff.Added, "line comes", "lines come") + ", " + counted(v.Diff.Removed, "line goes", "lines go") + "."
	}
}

// The parts of an index that the page shows (arbitrary). The file can have any size; an agent loads
// 200 lines.
const (
	maxIndexLines    = 400
	maxIndexFindings = 100
	maxLineChars     = 600 // Unicode characters
	maxLeftOutRun    = 3   // lines of one run, for example of a comment
)

// indexRow is a line of an index, or a placeholder for hidden lines.
type indexRow struct {
	Number   int // 0 for a placeholder
	Text     string
	LeftOut  int // number of hidden Unicode characters
	Fate     memorymd.LineStatus
	Findings []memorymd.Finding
	Ends     bool   // the agent's view ends before it
	Fact     string // id of the fact that begins here, or empty
	Anchored bool   // it has the id of its line number
	Skipped  int    // number of lines that a placeholder replaces
}

// rows returns the lines to show, at most maxIndexLines. A placeholder at the end replaces the
// rest. In each run of lines of status LineLeftOut, a placeholder replaces all after the first
// maxLeftOutRun. Long lines are cut to maxLineChars.
func (v Index) rows() []indexRow {
	about := map[int][]memorymd.Finding{}
	for _, f := range v.Findings {
		if f.Line > 0 && f.Code != memorymd.FindingPastCaps {
			about[f.Line] = append(about[f.Line], f)
		}
	}
	var rows []indexRow
	run, ended := 0, false // length of the run of lines left out; whether the agent's view has ended
	for i, line := range v.Loaded.Lines {
		if len(rows) == maxIndexLines {
			return append(rows, indexRow{Skipped: len(v.Loaded.Lines) - i, Fate: line.Fate})
		}
		run++
		if line.Fate != memorymd.LineLeftOut {
			run = 0
		}
		if run > maxLeftOutRun {
			rows = skipOne(rows)
			continue
		}
		row := indexRow{Number: line.Number, Text: line.Text, Fate: line.Fate, Findings: about[line.Number]}
		if line.Fate == memorymd.LineCut && !ended {
			row.Ends, ended = true, true
		}
		if len(row.Findings) > 0 {
			delete(about, line.Number) // a cut line appears twice
		}
		row.Fact = v.Facts[line.Number]
		row.Anchored = i == 0 || v.Loaded.Lines[i-1].Number != line.Number
		row.Text, row.LeftOut = shortened(line.Text, maxLineChars)
		rows = append(rows, row)
	}
	return rows
}

// skipOne adds one hidden line to the placeholder at the end of rows. If rows does not end with a
// placeholder, it appends one. rows must not be empty.
func skipOne(rows []indexRow) []indexRow {
	if last := &rows[len(rows)-1]; last.Skipped > 0 {
		last.Skipped++
		return rows
	}
	return append(rows, indexRow{Skipped: 1, Fate: memorymd.LineLeftOut})
}

// shortened returns the first maxChars Unicode characters of text, and the number of the others,
// which is 0 for a shorter text.
func shortened(text string, maxChars int) (start string, leftOut int) {
	chars := []rune(text)
	if len(chars) <= maxChars {
		return text, 0
	}
	return string(chars[:maxChars]), len(chars) - maxChars
}

func (r indexRow) id() string { return "line-" + strconv.Itoa(r.Number) }

// kindOfFinding is the view of the findings of one kind.
type kindOfFinding struct {
	Code     memorymd.FindingCode
	Findings []memorymd.Finding
}

func (v Index) kinds() []kindOfFinding {
	var kinds []kindOfFinding
	for _, code := range []memorymd.FindingCode{
		memorymd.FindingPastCaps, memorymd.FindingNotLoaded, memorymd.FindingNearCaps, memorymd.FindingDeadLink, memorymd.FindingUnlisted,
		memorymd.FindingRepeated, memorymd.FindingLongEntry,
	} {
		kind := kindOfFinding{Code: code}
		for _, f := range v.Findings {
			if f.Code == code {
				kind.Findings = append(kind.Findings, f)
			}
		}
		if len(kind.Findings) > 0 {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

func (k kindOfFinding) title() string {
	n := len(k.Findings)
	switch k.Code {
	case memorymd.FindingPastCaps:
		return "The agent does not see all of it"
	case memorymd.FindingNearCaps:
		return "It is nearly full"
	case memorymd.FindingNotLoaded:
		return counted(n, "memory is", "memories are") + " not loaded"
	case memorymd.FindingDeadLink:
		return counted(n, "link leads", "links lead") + " to nothing"
	case memorymd.FindingUnlisted:
		return counted(n, "memory has", "memories have") + " no line"
	case memorymd.FindingRepeated:
		return counted(n, "line repeats a file", "lines repeat a file")
	default:
		return counted(n, "line is", "lines are") + " too long"
	}
}

func (k kindOfFinding) tone() Tone {
	switch k.Code {
	case memorymd.FindingPastCaps:
		return Danger
	case memorymd.FindingLongEntry, memorymd.FindingRepeated:
		return Quiet
	default:
		return Warning
	}
}

func (k kindOfFinding) id() string { return anchor("finding", string(k.Code)) }

func (k kindOfFinding) shown() []memorymd.Finding {
	return k.Findings[:min(len(k.Findings), maxIndexFindings)]
}

func lineShown(rows []indexRow, number int) bool {
	return slices.ContainsFunc(rows, func(r indexRow) bool { return r.Number == number })
}

// statusText returns in words that the agent does not see a line of status f, for screen readers.
// It is empty for LineSeen.
func statusText(f memorymd.LineStatus) string {
	switch f {
	case memorymd.LineCut:
		return "not seen by the agent"
	case memorymd.LineLeftOut:
		return "left out when it is loaded"
	default:
		return ""
	}
}

// skippedWords returns the end of a sentence about hidden lines: that the agent does not load them
// if f is LineLeftOut, else "".
func skippedWords(f memorymd.LineStatus) string {
	if f == memorymd.LineLeftOut {
		return ": they are no part of what the agent loads"
	}
	return ""
}
