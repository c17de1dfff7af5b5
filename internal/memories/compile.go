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

// Compile returns the block that Memoir owns of a CLAUDE.md, from its begin marker to its end marker without a line end
// behind it, and what each memory takes, in the order of the block. The same memories in any order give the same bytes.
// A memory without a type is left out.
//
// limit is the size of the whole file and outside what it takes without the block (Document.Outside), both in Unicode
// characters. Memories are kept in full until the first that would take the file past the limit; that one and all after
// it become one-line entries, which may pass the limit. A limit of 0 or less is none.
func Compile(ms []Section, limit, outside int) (block []byte, costs []Cost) {
	var out strings.Builder
	out.WriteString(beginMarker + "\n" + memorySystem + learnedMemory)
	ending := "\n" + endMarker
	chars := outside + utf8.RuneCountInString(out.String()+ending)
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
			size := utf8.RuneCountInString(text)
			total := chars + utf8.RuneCountInString(lead) + size
			if listing = limit > 0 && total > limit; !listing {
				out.WriteString(lead + text)
				costs = append(costs, Cost{ID: m.ID, Chars: size})
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
		text := entryText(m)
		out.WriteString(lead + text)
		costs = append(costs, Cost{ID: m.ID, Chars: utf8.RuneCountInString(text), Listed: true})
		last, lastListed = m, true
	}
	out.WriteString(ending)
	return []byte(out.String()), costs
}

// inOrder returns the memories that have a type: by type, then by the bytes of the name.
func inOrder(ms []Section) []Section {
	types := Types()
	ordered := slices.DeleteFunc(slices.Clone(ms), func(m Section) bool { return !slices.Contains(types, m.Type) })
	slices.SortFunc(ordered, func(a, b Section) int {
		return cmp.Or(
			cmp.Compare(slices.Index(types, a.Type), slices.Index(types, b.Type)),
			cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.ID, b.ID),
			cmp.Compare(a.Body, b.Body),
			cmp.Compare(a.Description, b.Description),
		)
	})
	return ordered
}
