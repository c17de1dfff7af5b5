// Package diff says how one text became another: which lines went and which came, and inside lines that were changed,
// which words. It is a pure function from two texts to what a page shows, and stays quick and short whatever the texts
// are: the search for what they have in common gives up early rather than late, and what is too long to be read is
// left out and counted. It renders nothing. The pages call it and package templates draws what it returns.
package diff

import (
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// context is how many unchanged lines are shown above and below a change: what people know from other tools.
const context = 3

// Diff is what makes one text into another. One without hunks says that they have the same lines.
type Diff struct {
	Hunks []Hunk
	// Added and Removed count all changed lines, also those that are not shown.
	Added, Removed int
	// LeftOut counts the changed lines that are not shown, because there are too many.
	LeftOut int
	// Below is how many unchanged lines follow the last hunk, where nothing is left out.
	Below int
}

// Hunk is one or more changes near to each other, with the lines around them.
type Hunk struct {
	// Above is how many unchanged lines there are between the hunk before, or the start of the text, and this one.
	Above int
	Lines []Line
}

// Kind says which of the two texts a line is in.
type Kind int

// The kinds of lines.
const (
	Same    Kind = iota // in both
	Removed             // only in the text before
	Added               // only in the text after
)

// Line is a line of text without its end.
type Line struct {
	Kind   Kind
	Pieces []Piece // of an empty line: none
}

// Piece is a part of a line.
type Piece struct {
	Text string
	// Changed marks the words that the counterpart of the line does not have. A line that has no counterpart, or shares
	// little with it, has no marks: it is new or gone as a whole.
	Changed bool
	// LeftOut is how many Unicode characters are not shown here; such a piece has no text.
	LeftOut int
}

// Texts compares two texts and shows at most so many lines. A line end at the very end of a text makes no difference.
func Texts(before, after string, lines int) Diff {
	d := drawing{before: linesOf(before), after: linesOf(after), room: lines}
	changes := lcs.DiffLines(d.before, d.after)
	shown := 0 // lines of the text before that are dealt with
	for i, c := range changes {
		d.Removed += c.End - c.Start
		d.Added += c.ReplEnd - c.ReplStart
		if d.room <= 0 {
			d.LeftOut += c.End - c.Start + c.ReplEnd - c.ReplStart
			continue
		}
		from := max(shown, c.Start-context)
		if i == 0 || from > shown {
			d.Hunks = append(d.Hunks, Hunk{Above: from - shown})
		}
		d.unchanged(from, c.Start)
		d.changed(c)
		shown = min(len(d.before), c.End+context)
		if i+1 < len(changes) {
			shown = min(shown, changes[i+1].Start)
		}
		d.unchanged(c.End, shown)
	}
	if d.LeftOut == 0 && len(changes) > 0 {
		d.Below = len(d.before) - shown
	}
	return d.Diff
}

// drawing is a Diff in the making.
type drawing struct {
	Diff
	before, after []string
	room          int // how many more lines may be shown
}

func (d *drawing) add(lines ...Line) {
	last := &d.Hunks[len(d.Hunks)-1]
	last.Lines = append(last.Lines, lines...)
	d.room -= len(lines)
}

func (d *drawing) unchanged(from, to int) {
	for _, line := range d.before[from:to] {
		d.add(Line{Same, cut(whole(line))})
	}
}

// changed shows the removed lines and then the added ones. Where there is no room for all, both have their part of it.
func (d *drawing) changed(c lcs.Diff) {
	removed, added := d.before[c.Start:c.End], d.after[c.ReplStart:c.ReplEnd]
	if all := len(removed) + len(added); all > d.room {
		room := max(d.room, 2)
		fewer := min(len(removed), max(room/2, room-len(added)))
		removed, added = removed[:fewer], added[:min(len(added), room-fewer)]
		d.LeftOut += all - len(removed) - len(added)
	}
	gone, came := marked(removed, added)
	for i := range removed {
		d.add(Line{Removed, cut(gone[i])})
	}
	for i := range added {
		d.add(Line{Added, cut(came[i])})
	}
}

func linesOf(text string) []string {
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func whole(line string) []Piece {
	if line == "" {
		return nil
	}
	return []Piece{{Text: line}}
}
