package memories

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Section is a memory as the compiled CLAUDE.md needs it.
type Section struct {
	ID, Name    string
	Type        Type
	Description string
	Body        string
}

// Cost is what one memory takes in the compiled CLAUDE.md.
type Cost struct {
	ID     string
	Chars  int  // Unicode characters of its section or its entry, with heading and blank lines
	Listed bool // it is one line instead of a section, because the limit was reached
}

// Part is a piece of the compiled block: a memory, or what stands around memories.
type Part struct {
	Text   string
	Memory string // the id of the memory that it is; empty: standing text, or a heading of a type
	Name   string // of the memory
	Type   Type   // of the memory
	Listed bool   // it is one line instead of a section
}

// charsPerToken is how many characters a token has on average in English prose; what a model counts differs with the
// language and the model.
const charsPerToken = 4

// ApproximateTokens returns roughly how many tokens a model makes of so many Unicode characters, rounded up.
func ApproximateTokens(chars int) int { return (chars + charsPerToken - 1) / charsPerToken }

// Compile returns the block that Memoir owns of a CLAUDE.md, from its begin marker to its end marker without a line end
// behind it, and what each memory takes, in the order of the block. The same memories in any order give the same bytes.
// A memory without a type is left out.
//
// limit is the size of the whole file and outside what it takes without the block (Document.Outside), both in Unicode
// characters. Memories are kept in full until the first that would take the file past the limit; that one and all after
// it become one-line entries, which may pass the limit. A limit of 0 or less is none.
func Compile(ms []Section, limit, outside int) (block []byte, costs []Cost) {
	return Joined(CompileParts(ms, limit, outside))
}

// Joined returns the block that consists of the parts, and what each memory takes in it.
func Joined(parts []Part) (block []byte, costs []Cost) {
	var out strings.Builder
	for _, p := range parts {
		out.WriteString(p.Text)
		if p.Memory != "" {
			costs = append(costs, Cost{ID: p.Memory, Chars: utf8.RuneCountInString(p.Text), Listed: p.Listed})
		}
	}
	return []byte(out.String()), costs
}

// CompileParts is Compile for whoever shows which piece of the block is what. Joined makes the block of them.
func CompileParts(ms []Section, limit, outside int) []Part {
	opening := Part{Text: beginMarker + "\n" + memorySystem + learnedMemory}
	ending := Part{Text: "\n" + endMarker}
	parts := []Part{opening}
	chars := outside + utf8.RuneCountInString(opening.Text+ending.Text)
	listing := false
	var last Section
	var lastListed bool
	for _, m := range inOrder(ms) {
		lead := ""
		if m.Type != last.Type {
			lead = m.Type.heading()
		}
		if !listing {
			text := sectionText(m)
			total := chars + utf8.RuneCountInString(lead+text)
			if listing = limit > 0 && total > limit; !listing {
				parts = append(withLead(parts, lead), Part{Text: text, Memory: m.ID, Name: m.Name, Type: m.Type})
				chars, last, lastListed = total, m, false
				continue
			}
		}
		switch {
		case lead != "":
			lead += "\n"
		case !lastListed:
			lead = shortened + "\n"
		}
		parts = append(withLead(parts, lead), Part{Text: entryText(m), Memory: m.ID, Name: m.Name, Type: m.Type, Listed: true})
		last, lastListed = m, true
	}
	return append(parts, ending)
}

func withLead(parts []Part, lead string) []Part {
	if lead == "" {
		return parts
	}
	return append(parts, Part{Text: lead})
}

// inOrder returns the memories that have a type: by type, then by the bytes of the name.
func inOrder(ms []Section) []Section {
	types := Types()
	ordered := slices.DeleteFunc(slices.Clone(ms), func(m Section) bool { return !slices.Contains(types, m.Type) })
	slices.SortFunc(ordered, func(a, b Section) int {
		if a.Type != b.Type {
			return cmp.Compare(slices.Index(types, a.Type), slices.Index(types, b.Type))
		}
		if byName := cmp.Compare(a.Name, b.Name); byName != 0 {
			return byName
		}
		return cmp.Or(
			cmp.Compare(a.ID, b.ID),
			cmp.Compare(a.Body, b.Body),
			cmp.Compare(a.Description, b.Description),
		)
	})
	return ordered
}
