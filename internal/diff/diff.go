// Package diff compares two texts by lines, and changed lines by words. It is a pure function with
// a bounded cost: the comparison gives up early for large texts, and long results are shortened and
// counted. It renders nothing. The pages call it, and package templates renders the result.
package diff

import (
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// context is how many unchanged lines are shown around a change, as in other tools.
const context = 3

// Diff is the difference between two texts. It has no hunks if they have the same lines.
type Diff struct {
	Hunks []Hunk
	// Added and Removed count all changed lines, including omitted ones.
	Added, Removed int
	// LeftOut counts the omitted changed lines.
	LeftOut int
	// Below is the number of unchanged lines after the last hunk; 0 if LeftOut is not 0.
	Below int
}

// Hunk is a group of nearby changes with their context.
type Hunk struct {
	// Above is the number of unchanged lines between the previous hunk, or the start, and this one.
	Above int
	Lines []Line
}

// Kind is whether a line is in both texts or in one.
type Kind int

const (
	Same    Kind = iota // in both texts
	Removed             // in the first text only
	Added               // in the second text only
)

// Line is a line without its line end.
type Line struct {
	Kind   Kind
	Pieces []Piece // empty for an empty line
}

// Piece is a part of a line.
type Piece struct {
	Text string
	// Changed means that the other text's lines do not have these words. Lines without a similar
	// counterpart have no changed pieces: they are added or removed as a whole.
	Changed bool
	// LeftOut is the number of omitted Unicode characters. Such a piece has no text.
	LeftOut int
}

// Texts compares two texts by lines. It shows about as many lines as lines states, context
// included; further changed lines are only counted in Added, Removed and LeftOut. It ignores a
// line end at the end of a text. Equal texts have no hunks.
func Texts(before, after string, lines int) Diff {
	d := drawing{before: linesOf(before), after: linesOf(after), room: lines}
	changes := lcs.DiffLines(d.before, d.after)
	shown := 0 // lines of the first text that are processed
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

// drawing is a Diff under construction.
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

// changed adds the removed and then the added lines of a change to the last hunk. If there is too
// little room, both get a share of it, and the other lines are counted in LeftOut.
func (d *drawing) changed(c lcs.Diff) {
	removed, added := d.before[c.Start:c.End], d.after[c.ReplStart:c.ReplEnd]
	if all := len(removed) + len(added); all > d.room {
		room := max(d.room, 2)
		fewer := min(len(removed), max(room/2, room-len(added)))
		removed, added = removed[:fewer], added[:min(len(added), room-fewer)]
		d.LeftOut += all - len(removed) - len(added)
	}
	removedPieces, addedPieces := marked(removed, added)
	for i := range removed {
		d.add(Line{Removed, cut(removedPieces[i])})
	}
	for i := range added {
		d.add(Line{Added, cut(addedPieces[i])})
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
