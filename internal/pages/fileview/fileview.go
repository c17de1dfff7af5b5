// Package fileview turns CLAUDE.md and MEMORY.md into the lines that the Context page shows: which
// lines are Memoir's, which lead to a memory, and which an agent does not load. It is pure.
package fileview

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"memoir/internal/memories/claudemd"
	"memoir/internal/memories/memorymd"
)

// The limits of a page. A file can have any size.
const (
	// PageLines is the number of lines of a page.
	PageLines = 500
	// maxPageBytes ends a page earlier, so that a document with its frame stays below 150 KB.
	maxPageBytes = 64_000
	// maxLineChars is the number of Unicode characters of a line that are shown (arbitrary).
	maxLineChars = 600
	// lineBytes is what a line takes besides its text, and linkBytes what a link takes (measured).
	lineBytes, linkBytes = 60, 110
	// foldHead and foldTail are the lines that are shown before and after a folded middle.
	foldHead, foldTail = 8, 3
)

// Line is one line of a file.
type Line struct {
	Number  int // counted from 1
	Text    string
	LeftOut int // number of Unicode characters after Text

	Owned  bool // Memoir's
	Marker bool // has a marker of Memoir, and the file's markers are damaged
	// Memory is the id of the memory that the line is about, and Owner the slug of its agent. Title is
	// the part of Text that leads to it: Before, Title, File and After are Text in four parts.
	Memory, Owner              string
	Before, Title, File, After string

	Fate     memorymd.LineStatus // empty for a line of CLAUDE.md
	Cut      bool                // the first line that the agent does not see
	Fact     string              // id of the fact that begins here
	Findings []string
}

// Page is a part of a file.
type Page struct {
	Lines []Line
	Total int // lines of the file
	// Earlier and Later are the numbers of the first lines of the pages before and after; 0 without
	// one.
	Earlier, Later int
}

// collector collects the lines of one page of a file that can have a million lines.
type collector struct {
	Page
	from int // first line wanted, counted from 1
	cut  int // number of the first line that an agent does not see, counted as Total is; 0 without one
	size int
}

// next counts a line, and reports whether the page has it.
func (c *collector) next() bool {
	c.Total++
	return c.Total >= c.from && c.Later == 0
}

// add adds the line that next has counted, unless the page is full.
func (c *collector) add(l Line) {
	c.size += len(l.Text) + lineBytes
	for _, finding := range l.Findings {
		c.size += len(finding) + lineBytes
	}
	if l.Memory != "" || strings.Contains(l.Text, "](") {
		c.size += linkBytes
	}
	// The cut is in sight: what an agent loads is small.
	if n := len(c.Lines); n == PageLines || n > 0 && c.size > maxPageBytes && c.Total > c.cut+foldTail {
		c.Later = c.Total
		return
	}
	c.Lines = append(c.Lines, l)
}

// collect returns the page that begins at a line, counted from 1, or at the last line of a shorter
// file. fill adds all lines of the file.
func collect(from, cut int, fill func(*collector)) Page {
	c := collector{from: max(from, 1), cut: cut}
	fill(&c)
	if len(c.Lines) == 0 && c.Total > 0 {
		return collect(c.Total, cut, fill)
	}
	if c.from > 1 && c.Total > 0 {
		c.Earlier = max(c.from-PageLines, 1)
	}
	return c.Page
}

// Folded is a run of lines. A hidden one is shown on demand.
type Folded struct {
	Lines  []Line
	Hidden bool
}

// Fold hides the middle of what an agent loads, so that the cut is in sight. Without a cut in p,
// nothing is hidden.
func (p Page) Fold() []Folded {
	cut := slices.IndexFunc(p.Lines, func(l Line) bool { return l.Cut })
	if cut < foldHead+2*foldTail {
		return []Folded{{Lines: p.Lines}}
	}
	return []Folded{{Lines: p.Lines[:foldHead]}, {p.Lines[foldHead : cut-foldTail], true}, {Lines: p.Lines[cut-foldTail:]}}
}

// ClaudeMD returns the page of a CLAUDE.md that begins at the line from: the users' text before
// Memoir's block, the parts of the block, and the text after it. The heading or entry of a memory
// leads to it. agent is the slug of the file's agent.
func ClaudeMD(agent, before string, parts []claudemd.Part, after string, from int) Page {
	return collect(from, 0, func(c *collector) {
		b := builder{collector: c, agent: agent}
		b.write(before, nil)
		for i := range parts {
			b.write(parts[i].Text, &parts[i])
		}
		b.write(after, nil)
		if b.started {
			b.flush()
		}
	})
}

// builder collects the lines of a text that is written in parts.
type builder struct {
	*collector
	agent string
	// started reports whether the line has text, and kept whether the page has it.
	started, kept bool
	text          strings.Builder
	line          Line
	named         *claudemd.Part // whose first line is written
}

// write adds a part of Memoir's block, or text of users if part is nil.
func (b *builder) write(text string, part *claudemd.Part) {
	for {
		line, rest, more := strings.Cut(text, "\n")
		if line != "" {
			b.start()
			b.line.Owned = b.line.Owned || part != nil
			if b.kept {
				b.text.WriteString(line)
			}
			if part != nil && part.Memory != "" && b.named != part {
				b.named = part
				b.line.Memory, b.line.Owner = part.Memory, b.agent
				if part.Shared != "" {
					b.line.Owner = part.Shared
				}
			}
		}
		if !more {
			return
		}
		if !b.started { // a blank line
			b.start()
			b.line.Owned = part != nil
		}
		b.flush()
		text = rest
	}
}

func (b *builder) start() {
	if !b.started {
		b.started, b.kept = true, b.next()
	}
}

func (b *builder) flush() {
	if b.kept {
		b.line.Number = b.Total
		b.line.Text, b.line.LeftOut = shortened(strings.TrimRight(b.text.String(), "\r"))
		if b.line.Memory != "" {
			mark, title, found := strings.Cut(b.line.Text, " ")
			if b.line.Title = b.line.Text; found {
				b.line.Before, b.line.Title = mark+" ", title
			}
		}
		b.add(b.line)
		b.text.Reset()
	}
	b.started, b.line = false, Line{}
}

// Damaged returns the page of a CLAUDE.md with damaged markers that begins at the line from. Without
// one, it begins a little above the first marker.
func Damaged(raw string, from int) Page {
	const above = 5
	marked := map[int]bool{}
	for _, m := range claudemd.Markers([]byte(raw)) {
		if marked[m.Line] = true; from == 0 {
			if from = 1; m.Line > PageLines/2 {
				from = m.Line - above
			}
		}
	}
	return collect(from, 0, func(c *collector) {
		for line := range strings.Lines(raw) {
			if c.next() {
				l := Line{Number: c.Total, Marker: marked[c.Total]}
				l.Text, l.LeftOut = shortened(strings.TrimRight(line, "\r\n"))
				c.add(l)
			}
		}
	})
}

// MemoryMD returns the page of a MEMORY.md that begins at a line. Of each run of lines that are not
// part of the file for an agent, such as a comment, it keeps the first three, and counts no other.
// facts has the ids of facts by the number of their first line.
func MemoryMD(loaded memorymd.Loaded, findings []memorymd.Finding, facts map[int]string, from int) Page {
	about := map[int][]string{}
	for _, f := range findings {
		if f.Line > 0 && f.Code != memorymd.FindingPastCaps {
			about[f.Line] = append(about[f.Line], f.Message)
		}
	}
	cut := 0
	eachLoaded(loaded, func(n, i int) bool {
		if loaded.Lines[i].Fate == memorymd.LineCut {
			cut = n
		}
		return cut == 0
	})
	return collect(from, cut, func(c *collector) {
		eachLoaded(loaded, func(n, i int) bool {
			if !c.next() {
				return true
			}
			line := loaded.Lines[i]
			l := Line{Number: line.Number, Fate: line.Fate, Cut: n == cut}
			l.Text, l.LeftOut = shortened(line.Text)
			if i == 0 || loaded.Lines[i-1].Number != line.Number { // a line that is cut within is there twice
				l.Findings, l.Fact = about[line.Number], facts[line.Number]
			}
			c.add(l)
			return true
		})
	})
}

// eachLoaded calls each with the lines that are shown, until it returns false: with their number,
// counted from 1, and their index in loaded.Lines.
func eachLoaded(loaded memorymd.Loaded, each func(n, i int) bool) {
	const maxRun = 3
	run, n := 0, 0
	for i, line := range loaded.Lines {
		if run++; line.Fate != memorymd.LineLeftOut {
			run = 0
		}
		if run > maxRun {
			continue
		}
		if n++; !each(n, i) {
			return
		}
	}
}

// entry matches an entry of an index that starts with a link to a file.
var entry = regexp.MustCompile(`^(\s*[-*+] )\[((?:[^\[\]\\]|\\.)+)\]\(<?([^()<>]+?)>?\)(.*)$`)

// target returns the parts of an entry, and the path to which it leads from the directory dir.
func target(text, dir string) (before, title, file, after, at string, ok bool) {
	found := entry.FindStringSubmatch(text)
	if found == nil {
		return "", "", "", "", "", false
	}
	at, err := url.PathUnescape(found[3])
	if err != nil || strings.Contains(at, ":") {
		return "", "", "", "", "", false
	}
	return found[1], found[2], found[3], found[4], path.Join(dir, at), true
}

// Targets returns the paths to which the lines of an index lead. dir is its directory.
func (p Page) Targets(dir string) []string {
	var paths []string
	for _, l := range p.Lines {
		if _, _, _, _, at, ok := target(l.Text, dir); ok {
			paths = append(paths, at)
		}
	}
	return paths
}

// Link makes the lines of an index lead to the memories of their files. ids are by path, and owner is
// the slug of the agent.
func (p Page) Link(dir, owner string, ids map[string]string) {
	for i := range p.Lines {
		l := &p.Lines[i]
		before, title, file, after, at, ok := target(l.Text, dir)
		if ok && ids[at] != "" {
			l.Memory, l.Owner, l.Before, l.Title, l.File, l.After = ids[at], owner, before, title, file, after
		}
	}
}

// shortened returns the first maxLineChars Unicode characters of text, and the number of the others.
func shortened(text string) (start string, leftOut int) {
	if len(text) <= maxLineChars {
		return text, 0
	}
	chars := []rune(text)
	if len(chars) <= maxLineChars {
		return text, 0
	}
	return string(chars[:maxLineChars]), len(chars) - maxLineChars
}
