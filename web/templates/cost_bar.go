package templates

import (
	"strconv"
	"unicode/utf8"

	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
)

// costBar is the chart of the parts of a CLAUDE.md. Its length is the limit, or the size of the
// file if that is larger.
type costBar struct {
	Parts []barPart
	Kinds []barKind
	Limit int // position of the limit; 0 if it is at the end or absent
	Chars int // of the whole file
}

type barPart struct {
	ID       string // the memory's id, else the kind
	Memory   bool
	Agent    string // slug of the memory's owner
	Kind     string // a memory type, or one of the kinds below
	Name     string
	Chars    int
	X, Width string // in units of the view box
}

// barKind is the legend entry of one kind of part.
type barKind struct {
	Kind  string
	Name  string
	Parts int // number of memories; 0 for other parts
	Chars int
}

// The kinds of parts that are not memory types.
const (
	handwrittenPart = "handwritten"
	standingPart    = "standing"
	oneLinePart     = "one-line"
)

const (
	barLength = 1000
	barHeight = 24
	// maxBarParts is the maximum number of memories with their own part. More parts would be too
	// thin to point at.
	maxBarParts = 200
)

// bar returns the chart of the file's parts, in this order: users' text, fixed text, memories in
// full, one-line entries. Blank users' text counts as fixed text. Each memory in full has a part.
// After maxBarParts memories, one of the same type as the last part is added to that part.
func (v ClaudeMD) bar() costBar {
	b := costBar{Chars: v.Chars}
	standing, lines, lined := 0, 0, 0
	if outside := utf8.RuneCountInString(v.Before) + utf8.RuneCountInString(v.After); isBlank(v.Before + v.After) {
		standing = outside // blank lines around the block
	} else {
		b.add(barPart{ID: handwrittenPart, Kind: handwrittenPart, Name: "Written by hand", Chars: outside})
	}
	var sections []barPart
	for _, p := range v.Parts {
		chars := utf8.RuneCountInString(p.Text)
		switch {
		case p.Memory == "", p.Text == "": // a memory without text is only counted
			standing += chars
		case p.Listed:
			lines, lined = lines+chars, lined+1
		default:
			sections = append(sections, barPart{ID: p.Memory, Memory: true, Agent: v.ownerOf(p), Kind: string(p.Type), Name: p.Name, Chars: chars})
		}
	}
	b.add(barPart{ID: standingPart, Kind: standingPart, Name: "Standing text", Chars: standing})
	for i, p := range sections {
		if i >= maxBarParts && b.Parts[len(b.Parts)-1].Kind == p.Kind {
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

// lay sets the positions and widths of the parts, one after the other. whole is the number of
// characters of the full bar.
func (b *costBar) lay(whole int) {
	at := 0
	for i := range b.Parts {
		p := &b.Parts[i]
		p.X, p.Width = units(at, whole), units(p.Chars, whole)
		at += p.Chars
	}
}

// units returns the length of chars characters on a bar of whole characters, in units of the view
// box, with two decimals.
func units(chars, whole int) string {
	return strconv.FormatFloat(float64(chars)*barLength/float64(whole), 'f', 2, 64)
}

func (p barPart) summary() string { return p.Name + ": " + size(p.Chars) }

func (p barPart) fill() string { return fillOf(p.Kind) }

func fillOf(kind string) string {
	if t, ok := memories.ParseType(kind); ok {
		return filledWith(string(t))
	}
	return "currentColor"
}

// sizeText returns the number of the kind's characters in words, and the number of its memories
// unless that is 0.
func (k barKind) sizeText() string {
	if k.Parts == 0 {
		return number(k.Chars)
	}
	return number(k.Chars) + " in " + counted(k.Parts, "memory", "memories")
}

// costID returns the ID of the bar part of the memory: the memory's id, or oneLinePart for a
// one-line entry.
func costID(e ClaudeMDEntry) string {
	if e.Short {
		return oneLinePart
	}
	return e.ID
}

func tokensOf(chars int) int { return claudemd.ApproximateTokens(chars) }
