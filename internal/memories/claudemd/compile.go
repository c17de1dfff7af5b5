// Package claudemd compiles memories into the text of CLAUDE.md: in full while they fit, then as
// one-line entries. It finds and replaces Memoir's block in a CLAUDE.md, and keeps the text around
// it. It reads and writes no files; internal/sync/publish does. The pages use it for previews.
package claudemd

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"memoir/internal/memories"
)

// Summary is a memory without its body, as Compile needs it.
type Summary struct {
	ID, Name    string
	Team        bool   // in team memory
	Shared      string // slug of the agent that shares it with all agents; empty for the agent's own
	Type        memories.Type
	Description string
	Revision    [16]byte // identifies the body: equal revisions of a memory have equal bodies
	Size        int      // approximate size of the body in bytes
	// ModifiedAt is the time from which the memory's age counts; zero if unknown.
	ModifiedAt time.Time
	Recorded   Cost // its stored size in CLAUDE.md
}

// SectionText returns the FullSection of next[0]. The others in next are likely to be requested
// next, so that the function can read their bodies together.
type SectionText func(next []Summary) (string, error)

// Cost is the size of a memory in the compiled CLAUDE.md.
type Cost struct {
	ID     string
	Chars  int  // Unicode characters of its section or entry, with heading and blank lines
	Listed bool // a one-line entry, not a section; with Chars 0, only part of the final count
}

// Part is a piece of the compiled block: a memory, or text between memories.
type Part struct {
	Text   string
	Memory string        // id of the memory; empty for other text
	Name   string        // name of the memory
	Team   bool          // in team memory
	Shared string        // as in Summary
	Type   memories.Type // type of the memory
	Listed bool          // a one-line entry; without Text, only part of the final count
	Chars  int           // Unicode characters of Text; bytes with Intro.OtherAgents
}

// charsPerToken is the average number of characters per token in English prose. It depends on
// language and model.
const charsPerToken = 4

// ApproximateTokens estimates the number of tokens in this many Unicode characters, rounded up.
func ApproximateTokens(chars int) int { return (chars + charsPerToken - 1) / charsPerToken }

// CompilerVersion must be raised when Compile's result changes for the same memories. Every
// CLAUDE.md is then compiled again.
const CompilerVersion = 6

// maxBlock limits the block, in bytes. Claude Code ignores a CLAUDE.md of more than 4 MiB; 1 MiB is
// reserved for the text around the block.
const maxBlock = 3 << 20

// Cost returns the Unicode characters that the part's memory takes in CLAUDE.md, and whether it is
// a one-line entry. The ID is empty for a part that is not a memory.
func (p Part) Cost() Cost { return Cost{ID: p.Memory, Chars: p.Chars, Listed: p.Listed} }

// CompileParts calls add with each piece of Memoir's block, in order; memories without a type are
// omitted. The first memory that would make the file larger than limit, and all after it, become
// one-line entries. The first entry that would make it larger than 2 × limit, and all after it, are
// only counted. maxBlock limits the block in the same ways. limit and outside, the file's size
// without the block, are in Unicode characters, or in bytes with Intro.OtherAgents. A limit of 0
// means none. An error of text ends it.
func CompileParts(ms []Summary, with Intro, limit, outside int, text SectionText, add func(Part)) error {
	ordered := slices.DeleteFunc(slices.Clone(ms), func(m Summary) bool { return m.Type.Order() < 0 })
	Sort(ordered)
	team := slices.ContainsFunc(ordered, func(m Summary) bool { return m.Team && m.Shared == "" })
	b := blockOfParts{give: add, size: with.size()}
	opening := b.partOf(beginMarker + "\n" + with.text(team))
	ending := b.partOf("\n" + endMarker)
	b.bytes, b.chars = len(opening.Text)+len(ending.Text), outside+opening.Chars+ending.Chars
	add(opening)
	var last memories.Type
	lastListed, listing := false, false
	for i, m := range ordered {
		lead := ""
		if m.Type != last {
			lead = headingOf(m.Type)
		}
		// A character has at most four bytes, so that a longer body cannot fit. It is not read,
		// which could take seconds.
		if limit > 0 && m.Size > 4*limit {
			listing = true
		}
		if !listing {
			full, err := text(ahead(ordered[i:], limit, b.chars))
			if err != nil {
				return err
			}
			section := Part{Text: full, Memory: m.ID, Name: m.Name, Team: m.Team, Shared: m.Shared, Type: m.Type, Chars: b.size(full)}
			total := b.chars + b.size(lead) + section.Chars
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
		chars := b.size(line)
		total := b.chars + b.size(lead) + chars + memories.MaxEntryLength
		if limit > 0 && total > 2*limit || !b.hasBytes(len(lead)+len(line)) {
			b.count(entry)
			continue
		}
		entry.Text, entry.Chars = line, chars
		b.add(lead, entry)
		last, lastListed = m.Type, true
	}
	if b.counted > 0 {
		text := with.countedText(b.counted)
		if !lastListed {
			text = "\n" + text
		}
		b.add("", b.partOf(text))
	}
	add(ending)
	return nil
}

// blockOfParts is a block under construction.
type blockOfParts struct {
	give    func(Part)
	size    func(text string) int
	chars   int // size of the whole file
	bytes   int // bytes of the block
	counted int // memories that are without a section or an entry
}

// hasBytes reports whether the block has room for more bytes and for the final count.
func (b *blockOfParts) hasBytes(more int) bool {
	return b.bytes+more+memories.MaxEntryLength <= maxBlock
}

// count adds a memory to the number in the final line, and passes on its part, which has no text.
func (b *blockOfParts) count(entry Part) {
	b.counted++
	b.give(entry)
}

// add passes on lead, if it is not empty, and the part p, and adds both to the sizes.
func (b *blockOfParts) add(lead string, p Part) {
	if lead != "" {
		leading := b.partOf(lead)
		b.give(leading)
		b.chars += leading.Chars
	}
	b.give(p)
	b.chars += p.Chars
	b.bytes += len(lead) + len(p.Text)
}

// partOf returns a part that is not a memory.
func (b *blockOfParts) partOf(text string) Part { return Part{Text: text, Chars: b.size(text)} }

// maxAheadBytes is how many bytes of bodies are read together without a limit. It is arbitrary.
const maxAheadBytes = 1 << 20

// EntryCost returns the Unicode characters that a memory takes in CLAUDE.md as a one-line entry.
// Listed is true.
func EntryCost(m Summary) Cost {
	return Cost{ID: m.ID, Chars: utf8.RuneCountInString(Entry(m)), Listed: true}
}

// minAhead is how many memories are read together at least. If one in full is deleted, the next one
// takes its place. It is arbitrary.
const minAhead = 4

// ahead returns the first memory and those after it that probably fit too, at least minAhead if
// there are as many. Their sizes may sum to twice the remaining characters, because Size includes
// frontmatter, and a missing body costs another read. Without a limit, they may sum to
// maxAheadBytes.
func ahead(ms []Summary, limit, chars int) []Summary {
	maxSize := 2 * (limit - chars)
	if limit <= 0 {
		maxSize = maxAheadBytes
	}
	n := 1
	for size := ms[0].Size; n < len(ms); n++ {
		if size += ms[n].Size; size > maxSize && n >= minAhead {
			break
		}
	}
	return ms[:n]
}

// Sort sorts ms in the order of the block: by type, then by owner, then by name. The agent's own
// memories precede its team's, and those precede shared ones. Memories without a type are first.
func Sort(ms []Summary) { slices.SortFunc(ms, inBlock) }

// inBlock returns -1, 0 or 1 for the order of two memories in the block: type, remoteness, bytes of
// the name. Equal names are ordered by id, revision and description. Memories without a type are
// first.
func inBlock(a, b Summary) int {
	return cmp.Or(
		cmp.Compare(a.Type.Order(), b.Type.Order()),
		cmp.Compare(a.remoteness(), b.remoteness()),
		strings.Compare(a.Name, b.Name),
		strings.Compare(a.ID, b.ID),
		bytes.Compare(a.Revision[:], b.Revision[:]),
		strings.Compare(a.Description, b.Description),
	)
}

// remoteness returns 0 for the agent's own memories, 1 for its team's, and 2 for memories that all
// agents share.
func (m Summary) remoteness() int {
	switch {
	case m.Shared != "":
		return 2
	case m.Team:
		return 1
	}
	return 0
}
