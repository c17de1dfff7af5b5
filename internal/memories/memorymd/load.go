package memorymd

import (
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"memoir/internal/memories/frontmatter"
	"memoir/internal/memories/mdcode"
	"memoir/internal/memories/memtext"
)

// Limits of the part of a MEMORY.md that Claude Code loads. It cuts the rest.
const (
	IndexLineCap = 200
	// IndexUnitCap is in UTF-16 code units, which are JavaScript's characters.
	IndexUnitCap = 25_000
)

// Load returns the part of a MEMORY.md that an agent loads, without frontmatter and block comments,
// and trimmed. It is cut at a line end to IndexLineCap and IndexUnitCap; a longer first line is cut
// in the middle. If something was cut, Load appends the warning that Claude Code gives.
func Load(raw []byte) string {
	loaded := Read(raw)
	if loaded.Warning == "" {
		return loaded.text
	}
	return loaded.text[:loaded.seen] + "\n\n" + loaded.Warning
}

// Loaded describes which lines of a MEMORY.md an agent loads.
type Loaded struct {
	Lines []LoadedLine
	// LineCount and Units are the size that is compared with the limits: without frontmatter and
	// block comments.
	LineCount, Units int
	// Warning is the text that the agent reads in place of the cut part, or "" if nothing was cut.
	Warning string

	text string // the text that is compared with the limits
	seen int    // bytes of text within the limits
}

// Seen returns how many lines an agent sees, including a partly seen one, but without frontmatter
// and block comments.
func (l Loaded) Seen() int {
	if l.seen == 0 {
		return 0
	}
	return strings.Count(l.text[:l.seen], "\n") + 1
}

// LineStatus is whether an agent sees a line.
type LineStatus string

const (
	LineSeen    LineStatus = "seen"
	LineLeftOut LineStatus = "left_out" // frontmatter, block comment or outer blank line: not counted
	LineCut     LineStatus = "cut"      // beyond the limits
)

// LoadedLine is a line of a MEMORY.md. A line that is cut in the middle becomes two.
type LoadedLine struct {
	Number int    // counted from 1
	Text   string // without line end; as in the file if Fate is LineLeftOut, else as the agent sees it
	Fate   LineStatus
}

// Read returns each line of a MEMORY.md with the information whether an agent loads it, and the
// size that is compared with the limits.
func Read(raw []byte) Loaded {
	head, body := frontmatter.Split(string(raw))
	body, _, _ = memtext.Sanitise(body)
	body = memtext.LineEnds.Replace(body)
	outside := outsideBlockComments(body)
	text := outside.Of(body)
	loaded := Loaded{text: trimAsJavaScript(text)}
	loaded.seen, loaded.Units = len(loaded.text), utf16Length(loaded.text)
	if loaded.text != "" {
		loaded.LineCount = strings.Count(loaded.text, "\n") + 1
	}
	if loaded.LineCount > IndexLineCap || loaded.Units > IndexUnitCap {
		loaded.seen = withinCaps(loaded.text)
		loaded.Warning = "> WARNING: MEMORY.md is " + excess(loaded.LineCount, loaded.Units) +
			". Only part of it was loaded: " + cutPart(loaded.text, loaded.seen) +
			". Keep index entries to one line under ~200 chars; move detail into topic files."
	}
	front := memtext.Lines(jsonText(head))
	starts, source := lineStarts(body), outside.Source()
	trimmedAt := strings.Index(text, loaded.text)
	loaded.addLines(append(front, memtext.Lines(body)...), func(at int) int {
		return len(front) + sort.SearchInts(starts, source(trimmedAt+at)+1)
	})
	return loaded
}

// addLines sets l.Lines. whole has all lines of the file. number returns the line, counted from 1,
// of a byte of l.text.
func (l *Loaded) addLines(whole []string, number func(at int) int) {
	done := 0 // lines of the file
	addLeftOut := func(upTo int) {
		for ; done < upTo; done++ {
			l.Lines = append(l.Lines, LoadedLine{done + 1, strings.TrimRight(whole[done], "\r\n"), LineLeftOut})
		}
	}
	for from := 0; from < len(l.text); {
		line, _, _ := strings.Cut(l.text[from:], "\n")
		to := from + len(line)
		// The line on which a comment ends contains the text after the comment.
		n := number(min(to, len(l.text)-1))
		addLeftOut(n - 1)
		if seen := line[:min(max(l.seen-from, 0), len(line))]; seen != "" || to <= l.seen {
			l.Lines = append(l.Lines, LoadedLine{n, seen, LineSeen})
		}
		if to > l.seen {
			l.Lines = append(l.Lines, LoadedLine{n, line[min(max(l.seen-from, 0), len(line)):], LineCut})
		}
		done = n
		from = to + 1
	}
	addLeftOut(len(whole))
}

// lineStarts returns the offset of each line of a text with LF line ends.
func lineStarts(text string) []int {
	starts := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// withinCaps returns how many bytes of a text are within both limits: at most IndexLineCap lines,
// and cut at a line end to IndexUnitCap.
func withinCaps(text string) int {
	if lines := strings.SplitN(text, "\n", IndexLineCap+1); len(lines) > IndexLineCap {
		text = strings.Join(lines[:IndexLineCap], "\n")
	}
	if utf16Length(text) > IndexUnitCap {
		text = cutAtLineEnd(text)
	}
	return len(text)
}

// excess describes by how much an index exceeds the limits, as Claude Code does.
func excess(lines, units int) string {
	switch {
	case units <= IndexUnitCap:
		return fmt.Sprintf("%d lines (limit: %d)", lines, IndexLineCap)
	case lines <= IndexLineCap:
		return fmt.Sprintf("%s (limit: %s) — index entries are too long", kilobytes(units), kilobytes(IndexUnitCap))
	default:
		return fmt.Sprintf("%d lines and %s", lines, kilobytes(units))
	}
}

// quotedUnits is how many UTF-16 units of the first cut line Claude Code quotes in its warning, with
// the "…" of a longer line. Measured with Claude Code 2.1.331.
const quotedUnits = 80

// cutPart describes the cut part of a text of which an agent loads the first seen bytes, as Claude
// Code does. Blank lines are not quoted.
func cutPart(text string, seen int) string {
	before := strings.Count(text[:seen], "\n") + 1 // the lines of which a part is loaded
	if text[seen] != '\n' {
		return fmt.Sprintf("everything after the first %d characters of line 1 was cut off", IndexUnitCap)
	}
	rest := text[seen+1:]
	lines := before + strings.Count(rest, "\n") + 1
	where := fmt.Sprintf("%d of %d lines were cut off, starting at line %d", lines-before, lines, before+1)
	first, _, _ := strings.Cut(rest, "\n")
	if first = trimAsJavaScript(first); first == "" {
		return where
	}
	if utf16Length(first) > quotedUnits {
		first = firstUnits(first, quotedUnits-1) + "…"
	}
	return where + ` ("` + first + `")`
}

// firstUnits returns the beginning of a text, with at most n UTF-16 units.
func firstUnits(text string, n int) string {
	units := 0
	for i, r := range text {
		if units += utf16.RuneLen(r); units > n {
			return text[:i]
		}
	}
	return text
}

// kilobytes formats a size as 24.4KB, 28KB or 1.5MB.
func kilobytes(n int) string {
	size, unit := float64(n)/1024, "KB"
	if size >= 1024 {
		size, unit = size/1024, "MB"
	}
	return strings.TrimSuffix(strconv.FormatFloat(size, 'f', 1, 64), ".0") + unit
}

// cutAtLineEnd cuts a text to IndexUnitCap, before the last line end within it, or in the middle of
// the first line if that is longer.
func cutAtLineEnd(text string) string {
	units, lineEnd, hard := 0, 0, 0
	for i, r := range text {
		if units > IndexUnitCap {
			break
		}
		if r == '\n' {
			lineEnd = i
		}
		if units += utf16.RuneLen(r); units <= IndexUnitCap {
			hard = i + utf8.RuneLen(r)
		}
	}
	if lineEnd > 0 {
		return text[:lineEnd]
	}
	return text[:hard]
}

func utf16Length(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// trimAsJavaScript removes white space at both ends as String.prototype.trim does, for which the
// byte order mark is white space and U+0085 is not.
func trimAsJavaScript(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r == '\uFEFF' || r != '\u0085' && unicode.IsSpace(r) })
}

var comment = regexp.MustCompile(`(?s)<!--.*?-->`)

// outsideBlockComments returns the spans of a text outside HTML comments that start a block.
// Comments inside paragraphs or code, and unclosed ones, are part of the spans.
func outsideBlockComments(text string) mdcode.Spans {
	var outside mdcode.Spans
	from := 0
	keep := func(to int) {
		if from < to {
			outside = append(outside, [2]int{from, to})
		}
	}
	if strings.Contains(text, "<!--") {
		for n := mdcode.ParseBlocks(text).FirstChild(); n != nil; n = n.NextSibling() {
			block, ok := n.(*ast.HTMLBlock)
			if !ok || block.HTMLBlockType != ast.HTMLBlockType2 {
				continue
			}
			start, end := block.Lines().At(0).Start, block.Lines().At(block.Lines().Len()-1).Stop
			if block.HasClosure() {
				end = block.ClosureLine.Stop
			}
			keep(start)
			from = start
			if strings.TrimSpace(comment.ReplaceAllString(text[start:end], "")) == "" {
				// The client leaves out the empty lines after it too.
				from = end + len(text[end:]) - len(strings.TrimLeft(text[end:], "\n"))
				continue
			}
			for _, c := range comment.FindAllStringIndex(text[start:end], -1) {
				keep(start + c[0])
				from = start + c[1]
			}
		}
	}
	keep(len(text))
	return outside
}
