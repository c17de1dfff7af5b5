package templates

import (
	"memoir/internal/diff"
	"memoir/internal/memories/memorymd"
	"strconv"
	"unicode/utf8"
)

// Index is an agent's Index tab: its MEMORY.md as the agent loads it.
type Index struct {
	Frame
	Agent   Agent
	Path    string // relative to the agent's directory
	Present bool
	Problem string   // why it cannot be read; empty: it can
	Others  []string // indexes beside it that the agent does not load
	Loaded  memorymd.Loaded
	// Findings are what is to be said about it: by line, and at the end what is about no line.
	Findings []memorymd.Finding
	// InStep says that a rebuild would change nothing.
	InStep bool
	// Facts are the ids of the texts that stand in the index itself, by their first lines.
	Facts map[int]string
}

// IndexRebuild is the page that shows what a rebuild of the index writes, before it does.
type IndexRebuild struct {
	Frame
	Agent Agent
	Path  string
	New   bool   // there is none yet
	ETag  string // of the change that is shown
	Diff  diff.Diff
}

// IndexPath returns the path of an agent's Index tab.
func IndexPath(slug string) string { return AgentPath(slug, indexTab) }

// FactPath returns the path of the page of a fact that stands in an index, and of making a memory of it.
func FactPath(slug, id string, rest ...string) string {
	return AgentPath(slug, append([]string{indexTab, "facts", id}, rest...)...)
}

// IndexRebuildPath returns the path of the page that shows what a rebuild writes, and of the rebuild itself.
func IndexRebuildPath(slug string) string { return AgentPath(slug, indexTab, "rebuild") }

func (v IndexRebuild) rebuild() Action {
	label := "Rebuild " + v.Path
	if v.New {
		label = "Make " + v.Path
	}
	return Action{Label: label, Path: IndexRebuildPath(v.Agent.Slug), ETag: v.ETag, Style: Primary}
}

// comesAndGoes says how much changes.
func (v IndexRebuild) comesAndGoes() string {
	switch {
	case v.Diff.Removed == 0:
		return counted(v.Diff.Added, "line comes", "lines come") + ", none goes."
	case v.Diff.Added == 0:
		return counted(v.Diff.Removed, "line goes", "lines go") + ", none comes."
	default:
		return counted(v.Diff.Added, "line comes", "lines come") + ", " + counted(v.Diff.Removed, "line goes", "lines go") + "."
	}
}

// What is shown of an index, whose file can have any size. An agent sees 200 lines.
const (
	indexLinesShown    = 400
	indexFindingsShown = 100
	indexLineShown     = 600 // Unicode characters
	leftOutShown       = 3   // lines of one comment, say
)

// indexRow is a line of an index, or what stands in place of some.
type indexRow struct {
	Number   int // 0: it is no line of the file
	Text     string
	LeftOut  int // Unicode characters of the line that are not shown
	Fate     memorymd.LineStatus
	Findings []memorymd.Finding
	Ends     bool   // the agent's view ends before it
	Fact     string // the id of the fact that begins here; empty: none does
	Anchored bool   // it is what an address of the line leads to
	Skipped  int    // lines that are not shown in its place
}

// rows are the lines that are shown.
func (v Index) rows() []indexRow {
	about := map[int][]memorymd.Finding{}
	for _, f := range v.Findings {
		if f.Line > 0 && f.Code != memorymd.FindingPastCaps {
			about[f.Line] = append(about[f.Line], f)
		}
	}
	var rows []indexRow
	run, ended := 0, false // lines left out one after the other; whether the view has ended
	for i, line := range v.Loaded.Lines {
		if len(rows) == indexLinesShown {
			return append(rows, indexRow{Skipped: len(v.Loaded.Lines) - i, Fate: line.Fate})
		}
		run++
		if line.Fate != memorymd.LineLeftOut {
			run = 0
		}
		if run > leftOutShown {
			rows = skipOne(rows)
			continue
		}
		row := indexRow{Number: line.Number, Text: line.Text, Fate: line.Fate, Findings: about[line.Number]}
		if line.Fate == memorymd.LineCut && !ended {
			row.Ends, ended = true, true
		}
		if len(row.Findings) > 0 {
			delete(about, line.Number) // a line that is cut within is two, and said once
		}
		row.Fact = v.Facts[line.Number]
		row.Anchored = i == 0 || v.Loaded.Lines[i-1].Number != line.Number
		row.Text, row.LeftOut = shortened(line.Text, indexLineShown)
		rows = append(rows, row)
	}
	return rows
}

// skipOne counts one more line that is not shown.
func skipOne(rows []indexRow) []indexRow {
	if last := &rows[len(rows)-1]; last.Skipped > 0 {
		last.Skipped++
		return rows
	}
	return append(rows, indexRow{Skipped: 1, Fate: memorymd.LineLeftOut})
}

// shortened returns the start of a text, and how many Unicode characters of it are left out.
func shortened(text string, most int) (start string, leftOut int) {
	chars := utf8.RuneCountInString(text)
	if chars <= most {
		return text, 0
	}
	for i := range text {
		if most == 0 {
			return text[:i], chars - utf8.RuneCountInString(text[:i])
		}
		most--
	}
	return text, 0
}

func (r indexRow) id() string { return "line-" + strconv.Itoa(r.Number) }

// kindOfFinding is a heading over the findings of one kind.
type kindOfFinding struct {
	Code     memorymd.FindingCode
	Findings []memorymd.Finding
}

// kinds are the findings by kind, the gravest first.
func (v Index) kinds() []kindOfFinding {
	var kinds []kindOfFinding
	for _, code := range []memorymd.FindingCode{
		memorymd.FindingPastCaps, memorymd.FindingNearCaps, memorymd.FindingDeadLink, memorymd.FindingUnlisted,
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

// id is stable, so that what a reader has opened stays open.
func (k kindOfFinding) id() string { return anchor("finding", string(k.Code)) }

// shown are the findings that are listed.
func (k kindOfFinding) shown() []memorymd.Finding {
	return k.Findings[:min(len(k.Findings), indexFindingsShown)]
}

// lineShown reports whether a line of the file is on the page.
func lineShown(rows []indexRow, number int) bool {
	for _, r := range rows {
		if r.Number == number {
			return true
		}
	}
	return false
}

// fateWords say what a line's fate is to those who hear the page.
func fateWords(f memorymd.LineStatus) string {
	switch f {
	case memorymd.LineCut:
		return "not seen by the agent"
	case memorymd.LineLeftOut:
		return "left out when it is loaded"
	default:
		return ""
	}
}

// skippedWords complete what is said of lines that are not shown.
func skippedWords(f memorymd.LineStatus) string {
	if f == memorymd.LineLeftOut {
		return ": they are no part of what the agent loads"
	}
	return ""
}
