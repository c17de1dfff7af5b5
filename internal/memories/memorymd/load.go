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

// What an agent loads of its MEMORY.md, as Claude Code has it: more than this is cut.
const (
	IndexLineCap = 200
	// IndexUnitCap is in UTF-16 code units, the characters of JavaScript.
	IndexUnitCap = 25_000
)

// Load returns a MEMORY.md as an agent loads it: without frontmatter and block comments, trimmed, cut to 200 lines
// and 25,000 UTF-16 code units at the end of a line, with a warning behind it when something was cut.
func Load(raw []byte) string {
	loaded := Read(raw)
	if loaded.Warning == "" {
		return loaded.text
	}
	return loaded.text[:loaded.seen] + "\n\n" + loaded.Warning
}

// Loaded is what an agent makes of each line of a MEMORY.md.
type Loaded struct {
	Lines []LoadedLine
	// LineCount and Units are what the caps are held against: all that is neither frontmatter nor a block comment.
	LineCount, Units int
	// Warning is what the agent reads in place of what was cut; empty: nothing was.
	Warning string

	text string // what the caps are held against
	seen int    // how many bytes of it are within the caps
}

// Seen returns how many of the lines an agent sees, also in part.
func (l Loaded) Seen() int {
	if l.seen == 0 {
		return 0
	}
	return strings.Count(l.text[:l.seen], "\n") + 1
}

// LineStatus says whether an agent sees a line.
type LineStatus string

// The fates of a line.
const (
	LineSeen    LineStatus = "seen"
	LineLeftOut LineStatus = "left_out" // frontmatter, a block comment or a blank line around the text: takes no room
	LineCut     LineStatus = "cut"      // past the caps
)

// LoadedLine is a line of a MEMORY.md. One that is cut within is two: what is seen of it, and what is not.
type LoadedLine struct {
	Number int    // in the file, from 1
	Text   string // without its end; as the agent sees it, or, of a line that is left out, as it stands in the file
	Fate   LineStatus
}

// Read says what an agent makes of a MEMORY.md, line by line.
func Read(raw []byte) Loaded {
	head, body := frontmatter.Split(string(raw))
	body, _, _ = memtext.Sanitise(body)
	body = memtext.LineEnds.Replace(body)
	kept := outsideBlockComments(body)
	text := kept.Of(body)
	loaded := Loaded{text: trimAsJavaScript(text)}
	loaded.seen, loaded.Units = len(loaded.text), utf16Length(loaded.text)
	if loaded.text != "" {
		loaded.LineCount = strings.Count(loaded.text, "\n") + 1
	}
	if loaded.LineCount > IndexLineCap || loaded.Units > IndexUnitCap {
		loaded.seen = withinCaps(loaded.text)
		loaded.Warning = "> WARNING: MEMORY.md is " + excess(loaded.LineCount, loaded.Units) + ". Only part of it was loaded. " +
			"Keep index entries to one line under ~200 chars; move detail into topic files."
	}
	front := memtext.Lines(jsonText(head))
	starts, source := lineStarts(body), kept.Source()
	trimmedAt := strings.Index(text, loaded.text)
	loaded.tell(append(front, memtext.Lines(body)...), func(at int) int {
		return len(front) + sort.SearchInts(starts, source(trimmedAt+at)+1)
	})
	return loaded
}

// tell puts the text back among all lines of the file. number says on which of them, counted from 1, a byte of the text
// stands.
func (l *Loaded) tell(whole []string, number func(at int) int) {
	told := 0 // lines of the file
	leaveOut := func(upTo int) {
		for ; told < upTo; told++ {
			l.Lines = append(l.Lines, LoadedLine{told + 1, strings.TrimRight(whole[told], "\r\n"), LineLeftOut})
		}
	}
	for from := 0; from < len(l.text); {
		line, _, _ := strings.Cut(l.text[from:], "\n")
		to := from + len(line)
		// What a comment leaves of a line that it ends on stands on that line.
		n := number(min(to, len(l.text)-1))
		leaveOut(n - 1)
		if seen := line[:min(max(l.seen-from, 0), len(line))]; seen != "" || to <= l.seen {
			l.Lines = append(l.Lines, LoadedLine{n, seen, LineSeen})
		}
		if to > l.seen {
			l.Lines = append(l.Lines, LoadedLine{n, line[min(max(l.seen-from, 0), len(line)):], LineCut})
		}
		told = n
		from = to + 1
	}
	leaveOut(len(whole))
}

// lineStarts returns where each line of a text with LF line ends begins.
func lineStarts(text string) []int {
	starts := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// withinCaps returns how many bytes of a text are within both caps.
func withinCaps(text string) int {
	if lines := strings.SplitN(text, "\n", IndexLineCap+1); len(lines) > IndexLineCap {
		text = strings.Join(lines[:IndexLineCap], "\n")
	}
	if utf16Length(text) > IndexUnitCap {
		text = cutAtLineEnd(text)
	}
	return len(text)
}

// excess says by what an index is too large.
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

// kilobytes writes a size with one decimal, and with none where that is 0: 24.4KB, 28KB, 1.5MB.
func kilobytes(n int) string {
	size, unit := float64(n)/1024, "KB"
	if size >= 1024 {
		size, unit = size/1024, "MB"
	}
	return strings.TrimSuffix(strconv.FormatFloat(size, 'f', 1, 64), ".0") + unit
}

// cutAtLineEnd cuts a text to IndexUnitCap at the last line end within, or in the line where there is none.
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

// trimAsJavaScript trims what String.prototype.trim does, which counts the byte order mark as white space.
func trimAsJavaScript(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r == '\uFEFF' || r != '\u0085' && unicode.IsSpace(r) })
}

var comment = regexp.MustCompile(`(?s)<!--.*?-->`)

// outsideBlockComments returns what is left of a text without the comments that begin a block of their own. Those within
// a paragraph or in code stay, as does one that never closes.
func outsideBlockComments(text string) mdcode.Spans {
	var kept mdcode.Spans
	from := 0
	keep := func(to int) {
		if from < to {
			kept = append(kept, [2]int{from, to})
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
				from = end
				continue
			}
			for _, c := range comment.FindAllStringIndex(text[start:end], -1) {
				keep(start + c[0])
				from = start + c[1]
			}
		}
	}
	keep(len(text))
	return kept
}
