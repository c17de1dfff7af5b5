package memories

import (
	"cmp"
	"slices"
	"strings"
)

// IndexNeighbour is the next line of an index above or below another one that is not blank.
type IndexNeighbour struct {
	Text  string `json:"text"`  // without its end; empty: there is none, the index begins or ends here
	Blank int    `json:"blank"` // how many blank lines are between the two
}

// neighbour returns the next line from a place on that is not blank, going up by -1 or down by 1.
func neighbour(lines []string, from, by int) *IndexNeighbour {
	n := &IndexNeighbour{}
	for i := from + by; i >= 0 && i < len(lines); i += by {
		if !isBlank(lines[i]) {
			n.Text = textOf(lines[i])
			break
		}
		n.Blank++
	}
	return n
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

// textOf returns a line as an IndexLine keeps it.
func textOf(line string) string { return jsonText(strings.TrimRight(line, "\r\n")) }

// placing finds where lines belong that were taken out of an index. Each of them knows its neighbours of that time; those may have been
// taken out since, or been put back, and others may have been taken out from between before.
type placing struct {
	lines  []string
	at     map[string][]int        // where the lines are, by text
	out    map[string]*IndexLine   // what was taken out, by text
	over   map[string][]*IndexLine // what was taken out, by the text that stood below
	places map[*IndexLine]int
}

// nowhere is a place that nobody knows.
const nowhere = -1

func newPlacing(lines []string, out []*IndexLine) *placing {
	p := &placing{lines, map[string][]int{}, map[string]*IndexLine{}, map[string][]*IndexLine{}, map[*IndexLine]int{}}
	for i, line := range lines {
		if !isBlank(line) {
			p.at[textOf(line)] = append(p.at[textOf(line)], i)
		}
	}
	for _, line := range out {
		if p.out[line.Text] != nil {
			continue
		}
		p.out[line.Text] = line
		if line.Below != nil {
			p.over[line.Below.Text] = append(p.over[line.Below.Text], line)
		}
	}
	return p
}

// place returns where a line that was taken out belongs: below what stood above it, and below what was taken out before it from in
// between and is back.
func (p *placing) place(line *IndexLine) int {
	if at, asked := p.places[line]; asked {
		return at
	}
	p.places[line] = nowhere // for lines that were moved by hand, so that each stood above the other at its time
	at := nowhere
	if line.Above != nil {
		at = p.below(*line.Above, line.Line-2-line.Above.Blank)
	}
	end := p.end(line)
	for _, other := range p.over[line.Text] {
		if from := p.below(IndexNeighbour{other.Text, other.Below.Blank}, other.Line-1); from <= end {
			at = max(at, from)
		}
	}
	p.places[line] = at
	return at
}

// end returns the lowest place that a line may have: above what stood below it.
func (p *placing) end(line *IndexLine) int {
	blank := 0
	for range len(p.out) + 1 {
		if line.Below == nil {
			break
		}
		blank += line.Below.Blank
		if line.Below.Text == "" {
			return p.upOver(len(p.lines), blank)
		}
		at, out := p.find(line.Below.Text, line.Line-1+line.Below.Blank)
		if out == nil {
			return p.upOver(at, blank)
		}
		line = out
	}
	return len(p.lines)
}

// below returns the place below a line and blank ones, whether the line is there or has only its place.
func (p *placing) below(above IndexNeighbour, near int) int {
	at := 0
	if above.Text != "" {
		line, out := p.find(above.Text, near)
		switch {
		case out != nil:
			at = p.place(out)
		case line == nowhere:
			at = nowhere
		default:
			at = line + 1
		}
	}
	for n := above.Blank; at != nowhere && n > 0 && at < len(p.lines) && isBlank(p.lines[at]); n-- {
		at++
	}
	return at
}

// upOver returns the place above blank lines that are above a place; below all for one that nobody knows.
func (p *placing) upOver(at, blank int) int {
	if at == nowhere {
		return len(p.lines)
	}
	for ; blank > 0 && at > 0 && isBlank(p.lines[at-1]); blank-- {
		at--
	}
	return at
}

// find returns where a line is, that which is nearest to a place of several, or the line as it was taken out. Of one that had more
// links, what is left of it counts.
func (p *placing) find(text string, near int) (at int, out *IndexLine) {
	for range len(p.out) + 1 {
		if found := p.at[text]; len(found) > 0 {
			return slices.MinFunc(found, func(a, b int) int { return distance(a, near) - distance(b, near) }), nil
		}
		out = p.out[text]
		if out == nil || out.Rest == "" {
			return nowhere, out
		}
		text = out.Rest
	}
	return nowhere, nil
}

// upsideDown returns lines from the last to the first, and what was taken out of them as if it had been so then: the highest place of a
// line is the lowest there.
func upsideDown(lines []string, out []*IndexLine) (turned []string, turnedOut []*IndexLine) {
	turned = slices.Clone(lines)
	slices.Reverse(turned)
	for _, line := range out {
		other := *line
		other.Above, other.Below, other.Line = line.Below, line.Above, len(lines)+1-line.Line
		turnedOut = append(turnedOut, &other)
	}
	return turned, turnedOut
}

// NoteRestored notes in lines that are still out of an index that others are back in it, and returns those in which it did: what only the
// others knew about their order would be lost with them.
func NoteRestored(index []byte, back []IndexLine, out ...*IndexLine) (noted []*IndexLine) {
	_, lines := cutIndex(index)
	for i := range back {
		noted = append(noted, noteRestored(lines, &back[i], out)...)
	}
	return noted
}

func noteRestored(lines []string, back *IndexLine, out []*IndexLine) (noted []*IndexLine) {
	down := newPlacing(lines, out)
	text := back.Text
	if len(down.at[text]) == 0 {
		text = cmp.Or(back.Entry, text)
	}
	if len(down.at[text]) == 0 {
		return nil
	}
	turned, turnedOut := upsideDown(lines, append(slices.Clip(out), back))
	up := newPlacing(turned, turnedOut[:len(out)])
	for i, line := range out {
		below, above := down.meets(back, line, text), up.meets(turnedOut[len(out)], turnedOut[i], text)
		if below {
			line.Above = &IndexNeighbour{text, back.Below.Blank}
		}
		if above {
			line.Below = &IndexNeighbour{text, back.Above.Blank}
		}
		if rejoined := text == back.Text && line.rejoins(back); below || above || rejoined {
			noted = append(noted, line)
		}
	}
	return noted
}

// meets says whether a line that is back, as this text, is to be noted as what stood above one that is out. It is not where what is known
// already leads to the same place, nor to one further down, nor where that line was moved by hand before it was taken out.
func (p *placing) meets(back, out *IndexLine, text string) bool {
	if back.Below == nil || back.Below.Text != out.Text {
		return false
	}
	at := p.below(IndexNeighbour{text, back.Below.Blank}, back.Line-1)
	return p.place(out) < at && at <= p.end(out)
}

// rejoins notes that what was left of a line is whole again.
func (l *IndexLine) rejoins(back *IndexLine) (noted bool) {
	for _, n := range []*IndexNeighbour{l.Above, l.Below} {
		if back.Rest != "" && n != nil && n.Text == back.Rest {
			n.Text, noted = back.Text, true
		}
	}
	return noted
}
