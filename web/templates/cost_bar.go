package templates

import (
	"strconv"
	"unicode/utf8"

	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
)

// costBar is what a CLAUDE.md consists of, as parts of one bar that is as long as the limit, or as the file.
type costBar struct {
	Parts []barPart
	Kinds []barKind
	Limit int // where the limit is on the bar; 0: at its end, or there is none
	Chars int // of the whole file
}

// barPart is one part of the bar.
type barPart struct {
	ID       string // of the memory; else what kind of part it is
	Memory   bool
	Agent    string // the slug of whose memory it is
	Kind     string // a type, or one of the kinds below
	Name     string
	Chars    int
	X, Width string // in units of the bar's view box
}

// barKind sums up the parts of a kind, for the legend.
type barKind struct {
	Kind  string
	Name  string
	Parts int // how many memories; 0: none of it is a memory
	Chars int
}

// The kinds of parts besides the types.
const (
	handwrittenPart = "handwritten"
	standingPart    = "standing"
	oneLinePart     = "one-line"
)

const (
	barLength = 1000
	barHeight = 24
	// partsOnBar is how many memories have a part of their own: more would be thinner than what somebody can point at.
	partsOnBar = 200
)

// bar lays the parts of the file out in the order: written by hand, standing text, memories by type, entries of one line.
func (v ClaudeMD) bar() costBar {
	b := costBar{Chars: v.Chars}
	standing, lines, lined := 0, 0, 0
	if outside := utf8.RuneCountInString(v.Before) + utf8.RuneCountInString(v.After); isBlank(v.Before + v.After) {
		standing = outside // blank lines that part the block from nothing
	} else {
		b.add(barPart{ID: handwrittenPart, Kind: handwrittenPart, Name: "Written by hand", Chars: outside})
	}
	var sections []barPart
	for _, p := range v.Parts {
		chars := utf8.RuneCountInString(p.Text)
		switch {
		case p.Memory == "", p.Text == "": // the second is only counted
			standing += chars
		case p.Listed:
			lines, lined = lines+chars, lined+1
		default:
			sections = append(sections, barPart{ID: p.Memory, Memory: true, Agent: v.ownerOf(p), Kind: string(p.Type), Name: p.Name, Chars: chars})
		}
	}
	b.add(barPart{ID: standingPart, Kind: standingPart, Name: "Standing text", Chars: standing})
	for i, p := range sections {
		if i >= partsOnBar && b.Parts[len(b.Parts)-1].Kind == p.Kind {
			b.merge(p)
			continue
		}
		b.add(p)
	}
	if lined > 0 {
		b.add(barPart{ID: oneLinePart, Kind: oneLinePart, Name: "One-line entries", Chars: lines})
		b.Kinds[len(b.Kinds)-1].Parts = lined
	}
	b.lay(max(v.Chars, v.Limit, 1))
	if v.Limit > 0 && v.Chars > v.Limit {
		b.Limit = v.Limit * barLength / v.Chars
	}
	return b
}

func (b *costBar) add(p barPart) {
	b.Parts = append(b.Parts, p)
	b.count(p)
}

// merge adds a memory to the part before it.
func (b *costBar) merge(p barPart) {
	last := &b.Parts[len(b.Parts)-1]
	last.Memory, last.Name = false, "More memories"
	last.Chars += p.Chars
	b.count(p)
}

func (b *costBar) count(p barPart) {
	if len(b.Kinds) == 0 || b.Kinds[len(b.Kinds)-1].Kind != p.Kind {
		name := p.Name
		if p.Memory {
			name = typeName(memories.Type(p.Kind))
		}
		b.Kinds = append(b.Kinds, barKind{Kind: p.Kind, Name: name})
	}
	kind := &b.Kinds[len(b.Kinds)-1]
	kind.Chars += p.Chars
	if p.Memory {
		kind.Parts++
	}
}

// lay gives each part its place on a bar that stands for so many characters.
func (b *costBar) lay(whole int) {
	at := 0
	for i := range b.Parts {
		p := &b.Parts[i]
		p.X, p.Width = units(at, whole), units(p.Chars, whole)
		at += p.Chars
	}
}

// units writes a length on the bar, with two decimals.
func units(chars, whole int) string {
	return strconv.FormatFloat(float64(chars)*barLength/float64(whole), 'f', 2, 64)
}

// says names a part with what it takes.
func (p barPart) says() string { return p.Name + ": " + size(p.Chars) }

// fill is what a part is drawn with: types by their patterns, the rest by the style sheet.
func (p barPart) fill() string { return fillOf(p.Kind) }

func fillOf(kind string) string {
	if t, ok := memories.ParseType(kind); ok {
		return filledWith(string(t))
	}
	return "currentColor"
}

// takes says what a kind takes, for the legend.
func (k barKind) takes() string {
	if k.Parts == 0 {
		return number(k.Chars)
	}
	return number(k.Chars) + " in " + counted(k.Parts, "memory", "memories")
}

// costID is the part of the bar that a memory is in.
func costID(e ClaudeMDEntry) string {
	if e.Short {
		return oneLinePart
	}
	return e.ID
}

func tokensOf(chars int) int { return claudemd.ApproximateTokens(chars) }
