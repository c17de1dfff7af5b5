// Package claudemd compiles memories into the text of CLAUDE.md: in full while they fit, else one line each.
// It also finds and replaces Memoir's part of a CLAUDE.md that a person has written.
package claudemd

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"memoir/internal/memories"
)

// Heading is a memory as the compiled CLAUDE.md needs it before its body: where it stands, and what its one line says.
type Summary struct {
	ID, Name    string
	Team        bool   // it is in team memory
	Shared      string // the slug of the agent whose it is, and which shares it with all others; empty: it is the agent's own
	Type        memories.Type
	Description string
	Revision    [16]byte // names the content: one memory has the same body as long as it has the same revision
	Size        int      // of the body in bytes, roughly: how far sections are read ahead goes by it
	// ModifiedAt is what its age counts from; zero where nobody asks.
	ModifiedAt time.Time
	Recorded   Cost // what is on record that it takes in CLAUDE.md
}

// SectionText returns the first of the memories in full (FullSection). The others are those that are likely to be asked for
// next, so that whoever has to read the bodies can read them together.
type SectionText func(next []Summary) (string, error)

// Section is a memory with all that it says.
type Section struct {
	ID, Name    string
	Team        bool // it is in team memory
	Type        memories.Type
	Description string
	Body        string
}

// Cost is what one memory takes in the compiled CLAUDE.md.
type Cost struct {
	ID     string
	Chars  int  // Unicode characters of its section or its entry, with heading and blank lines
	Listed bool // it is one line instead of a section, because the limit was reached; with no characters, it is only counted
}

// Part is a piece of the compiled block: a memory, or what stands around memories.
type Part struct {
	Text   string
	Memory string        // the id of the memory that it is; empty: standing text, or a heading of a type
	Name   string        // of the memory
	Team   bool          // the memory is in team memory
	Shared string        // as in Heading
	Type   memories.Type // of the memory
	Listed bool          // it is one line instead of a section; without a text, it is only counted
	Chars  int           // Unicode characters of Text
}

// charsPerToken is how many characters a token has on average in English prose; what a model counts differs with the
// language and the model.
const charsPerToken = 4

// ApproximateTokens returns roughly how many tokens a model makes of so many Unicode characters, rounded up.
func ApproximateTokens(chars int) int { return (chars + charsPerToken - 1) / charsPerToken }

// CompilerVersion is raised whenever Compile makes something else of the same memories than before: every CLAUDE.md is
// compiled anew then.
const CompilerVersion = 5

// maxBlock bounds the block, in bytes. Claude Code skips a CLAUDE.md of more than 4 MiB altogether, so that whoever has tens of
// thousands of memories would have none; this leaves a quarter of that to what is written by hand.
const maxBlock = 3 << 20

// Compile is CompileParts for whoever has all bodies at hand. It returns the block and what each memory takes in it.
func Compile(ms []Section, limit, outside int) (block []byte, costs []Cost) {
	headings := make([]Summary, len(ms))
	bodies := make(map[[16]byte]string, len(ms))
	for i, m := range ms {
		sum := sha256.Sum256([]byte(m.Body))
		headings[i] = Summary{ID: m.ID, Name: m.Name, Team: m.Team, Type: m.Type, Description: m.Description, Revision: [16]byte(sum[:16]), Size: len(m.Body)}
		bodies[headings[i].Revision] = m.Body
	}
	err := CompileParts(headings, Intro{}, limit, outside, func(next []Summary) (string, error) {
		return FullSection(next[0], bodies[next[0].Revision]), nil
	}, func(p Part) {
		block = append(block, p.Text...)
		if p.Memory != "" {
			costs = append(costs, p.Cost())
		}
	})
	if err != nil {
		panic(err) // nothing is read that could fail
	}
	return block, costs
}

// Cost returns what the memory that it is takes.
func (p Part) Cost() Cost { return Cost{ID: p.Memory, Chars: p.Chars, Listed: p.Listed} }

// CompileParts gives add the pieces of the block that Memoir owns of a CLAUDE.md, one after the other, from its begin marker to its end
// marker without a line end behind it: their texts make the block. The same memories in any order give the same bytes. A memory without
// a type is left out.
//
// limit is the size of the whole file and outside what it takes without the block (Document.Outside), both in Unicode
// characters. Memories are kept in full until the first that would take the file past the limit. That one and the memories after it
// become one-line entries until the file has twice the limit or the block 3 MiB. Then one line gives the number of the others. A limit
// of 0 or less is none.
//
// text is asked for one memory after the other, in the order of the block, up to the first that does not fit: what an
// agent has beyond that is never read. Its error is the one that CompileParts fails with.
func CompileParts(ms []Summary, with Intro, limit, outside int, text SectionText, add func(Part)) error {
	ordered := inOrder(ms)
	team := slices.ContainsFunc(ordered, func(m Summary) bool { return m.Team && m.Shared == "" })
	opening := partOf(beginMarker + "\n" + with.text(team))
	ending := partOf("\n" + endMarker)
	b := blockOfParts{give: add, bytes: len(opening.Text) + len(ending.Text), chars: outside + opening.Chars + ending.Chars}
	add(opening)
	var last memories.Type
	lastListed, listing := false, false
	for i, m := range ordered {
		lead := ""
		if m.Type != last {
			lead = headingOf(m.Type)
		}
		// A character has at most four bytes, so that a longer body cannot fit. It is not read, which could take seconds.
		if limit > 0 && m.Size > 4*limit {
			listing = true
		}
		if !listing {
			full, err := text(ahead(ordered[i:], limit, b.chars))
			if err != nil {
				return err
			}
			section := Part{Text: full, Memory: m.ID, Name: m.Name, Team: m.Team, Shared: m.Shared, Type: m.Type, Chars: utf8.RuneCountInString(full)}
			total := b.chars + utf8.RuneCountInString(lead) + section.Chars
			if listing = limit > 0 && total > limit || !b.hasBytes(len(lead)+len(full)); !listing {
				b.add(lead, section)
				last, lastListed = m.Type, false
				continue
			}
		}
		entry := Part{Memory: m.ID, Name: m.Name, Team: m.Team, Shared: m.Shared, Type: m.Type, Listed: true}
		if b.counted > 0 {
			b.count(entry)
			continue
		}
		switch {
		case lead != "":
			lead += "\n"
		case !lastListed:
			lead = shortened + "\n"
		}
		line := Entry(m)
		chars := utf8.RuneCountInString(line)
		total := b.chars + utf8.RuneCountInString(lead) + chars + memories.MaxEntryLength
		if limit > 0 && total > 2*limit || !b.hasBytes(len(lead)+len(line)) {
			b.count(entry)
			continue
		}
		entry.Text, entry.Chars = line, chars
		b.add(lead, entry)
		last, lastListed = m.Type, true
	}
	if b.counted > 0 {
		text := countedText(b.counted)
		if !lastListed {
			text = "\n" + text
		}
		b.add("", partOf(text))
	}
	add(ending)
	return nil
}

// blockOfParts is a block while it is put together.
type blockOfParts struct {
	give    func(Part)
	chars   int // of the whole file
	bytes   int // of the block
	counted int // memories that are neither a section nor an entry
}

// hasBytes reports whether the block has room for more bytes and for the line with the number of the other memories.
func (b *blockOfParts) hasBytes(more int) bool {
	return b.bytes+more+memories.MaxEntryLength <= maxBlock
}

// count passes on a memory that has no text in the block.
func (b *blockOfParts) count(entry Part) {
	b.counted++
	b.give(entry)
}

func (b *blockOfParts) add(lead string, p Part) {
	if lead != "" {
		leading := partOf(lead)
		b.give(leading)
		b.chars += leading.Chars
	}
	b.give(p)
	b.chars += p.Chars
	b.bytes += len(lead) + len(p.Text)
}

// partOf returns standing text as a part.
func partOf(text string) Part { return Part{Text: text, Chars: utf8.RuneCountInString(text)} }

// aheadWithoutLimit is how much is read at once where nothing limits it, in bytes.
const aheadWithoutLimit = 1 << 20

// EntryCost returns what a memory takes in the compiled CLAUDE.md as a one-line entry.
func EntryCost(m Summary) Cost {
	return Cost{ID: m.ID, Chars: utf8.RuneCountInString(Entry(m)), Listed: true}
}

// nextInLine is how many memories are read at least: when one of those in full is deleted, the next one takes its place.
const nextInLine = 4

// ahead returns the first of the memories and those after it that are likely to be needed in full as well. Twice the room
// that is left is what they may have together: a size is that of a file with its frontmatter, and a memory less is read
// twice as often as one too many is read in vain.
func ahead(ms []Summary, limit, chars int) []Summary {
	most := 2 * (limit - chars)
	if limit <= 0 {
		most = aheadWithoutLimit
	}
	n := 1
	for size := ms[0].Size; n < len(ms); n++ {
		if size += ms[n].Size; size > most && n >= nextInLine {
			break
		}
	}
	return ms[:n]
}

// inOrder returns the memories that have a type, in the order of the block.
func inOrder(ms []Summary) []Summary {
	if areInOrder(ms) {
		return ms
	}
	return Sorted(slices.DeleteFunc(slices.Clone(ms), func(m Summary) bool { return m.hasNoType() }))
}

// Sorted returns the memories in the order of the block.
func Sorted(ms []Summary) []Summary {
	type place struct {
		key uint64
		of  int32
	}
	places := make([]place, len(ms))
	for i := range ms {
		places[i] = place{ms[i].sortKey(), int32(i)}
	}
	slices.SortFunc(places, func(a, b place) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return inBlock(&ms[a.of], &ms[b.of])
	})
	sorted := make([]Summary, len(ms))
	for i, p := range places {
		sorted[i] = ms[p.of]
	}
	return sorted
}

// sortKey is in the order of inBlock wherever it differs: the type and how remote the memory is, in 5 bits, and the beginning of its
// name. Thirty thousand memories are sorted in a third of the time by that.
func (m *Summary) sortKey() uint64 {
	var name [8]byte
	copy(name[:], m.Name)
	return uint64(m.Type.Order()+1)<<61 | uint64(m.remoteness())<<59 | binary.BigEndian.Uint64(name[:])>>5
}

// areInOrder says whether that is all of them, as they stand.
func areInOrder(ms []Summary) bool {
	for i := range ms {
		if ms[i].hasNoType() || i > 0 && inBlock(&ms[i-1], &ms[i]) > 0 {
			return false
		}
	}
	return true
}

func (m *Summary) hasNoType() bool { return m.Type.Order() < 0 }

// inBlock compares two memories by their places in the block: by type, the agent's own before its team's and those before what all
// agents share, then by the bytes of the name.
func inBlock(a, b *Summary) int {
	if a.Type != b.Type {
		return cmp.Compare(a.Type.Order(), b.Type.Order())
	}
	if byOwner := cmp.Compare(a.remoteness(), b.remoteness()); byOwner != 0 {
		return byOwner
	}
	if byName := strings.Compare(a.Name, b.Name); byName != 0 {
		return byName
	}
	return cmp.Or(strings.Compare(a.ID, b.ID), bytes.Compare(a.Revision[:], b.Revision[:]), strings.Compare(a.Description, b.Description))
}

// remoteness is by how many a memory is shared: 0 for the agent's own, 1 for its team's, 2 for all agents'.
func (m *Summary) remoteness() int {
	switch {
	case m.Shared != "":
		return 2
	case m.Team:
		return 1
	}
	return 0
}

// Merged returns memories with others among them: an agent's own with those that are shared with it, say. Both are in the order of the
// block, and so is what is returned; neither is changed.
func Merged(ms, others []Summary) []Summary {
	if len(others) == 0 {
		return ms
	}
	merged := make([]Summary, 0, len(ms)+len(others))
	for len(ms) > 0 && len(others) > 0 {
		if inBlock(&ms[0], &others[0]) <= 0 {
			merged, ms = append(merged, ms[0]), ms[1:]
		} else {
			merged, others = append(merged, others[0]), others[1:]
		}
	}
	return append(append(merged, ms...), others...)
}
