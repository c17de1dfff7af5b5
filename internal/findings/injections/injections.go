// Package injections finds text that addresses the model that reads a memory, rather than recording
// a fact: orders to ignore instructions, role markers, claims of an approval, orders to fetch and
// run something, to send data or to hide it, and characters that people do not see. It knows the
// forms of ten languages. Texts that quote or document an attack, and strict rules about the
// project, are no findings.
package injections

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"memoir/internal/findings"
	"memoir/internal/findings/normtext"
)

// Reasons of findings.
const (
	Orders   = "Gives orders to the agent"
	Override = "Overrides the agent's instructions"
	Role     = "Pretends to be another speaker"
	Approval = "Claims an approval"
	Fetch    = "Orders to fetch and run something"
	Send     = "Orders to send data elsewhere"
	Secrecy  = "Hides something from the user"
	Persona  = "Changes the agent's role"
	Hidden   = "Hidden characters"
	Encoded  = "Encoded orders"
)

// Finding is text that addresses the model: text[Start:End].
type Finding struct {
	Reason     string
	Start, End int // byte offsets
}

// Find returns the injections in a text, sorted and without overlaps. It is safe for concurrent
// use.
func Find(text string) []Finding { return find(text, isAboutAttacks(text)) }

// Match returns a match of kind Injection with the spans of all fields. The reason is that of the
// first one. ok is false if there is none.
func Match(t findings.Text) (m findings.Match, ok bool) {
	about := isAboutAttacks(t.Name) || isAboutAttacks(t.Description) || isAboutAttacks(t.Body)
	for _, field := range []struct {
		name findings.Field
		text string
	}{{findings.Name, t.Name}, {findings.Description, t.Description}, {findings.Body, t.Body}} {
		for _, f := range find(field.text, about) {
			m.Spans = append(m.Spans, findings.Span{Field: field.name, Start: f.Start, End: f.End})
			if m.Reason == "" {
				m.Reason = f.Reason
			}
		}
	}
	if m.Reason == "" {
		return findings.Match{}, false
	}
	m.Kind = findings.Injection
	return m, true
}

// find finds injections. about is true if the memory is about attacks, so that it may quote them.
func find(text string, about bool) []Finding {
	if text == "" {
		return nil
	}
	s := scan{Text: normtext.New(text), about: about}
	s.flatten()
	s.findOrders()
	s.findRoles()
	s.findFetch()
	s.findComments()
	s.findEncoded()
	found := append(hidden(text), s.found...)
	slices.SortStableFunc(found, func(a, b Finding) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	var joined []Finding
	for _, f := range found {
		if last := len(joined) - 1; last >= 0 && f.Start < joined[last].End {
			joined[last].End = max(joined[last].End, f.End)
			continue
		}
		joined = append(joined, f)
	}
	return joined
}

// scan is the state of find.
type scan struct {
	normtext.Text
	flat  string  // see flatten
	moved []int32 // offsets in Plain of the bytes of flat and of its end; nil if they are equal
	about bool
	found []Finding

	marked   []mark // lazily, by quotes
	hasMarks bool
}

// add records a range of the flat text.
func (s *scan) add(reason string, start, end int) {
	for end > start && strings.IndexByte(" \n\t", s.flat[end-1]) >= 0 {
		end--
	}
	for start < end && strings.IndexByte(" \n\t", s.flat[start]) >= 0 {
		start++
	}
	from, to := s.Source(s.plain(start), s.plain(end))
	s.found = append(s.found, Finding{reason, from, to})
}

// plain returns the offset in Plain of an offset of the flat text.
func (s *scan) plain(at int) int {
	if s.moved == nil {
		return at
	}
	return int(s.moved[at])
}

// flatten sets s.flat to the text in lower case without accents, and with spaces for emphasis and
// for line ends within paragraphs.
func (s *scan) flatten() {
	lower := s.Lower
	b := make([]byte, 0, len(lower))
	for i := 0; i < len(lower); {
		c := lower[i]
		switch {
		case c == '*' || c == '\t':
			c = ' '
		case c == '\n' && i > 0 && lower[i-1] != '\n' && continues(lower[i+1:]):
			c = ' '
		case c == 0xc3 || c == 0xc4 || c == 0xc5:
			r, size := utf8.DecodeRuneInString(lower[i:])
			if to := withoutAccent(r); to != 0 {
				if s.moved == nil {
					s.moved = make([]int32, i, len(lower)+1)
					for j := range s.moved {
						s.moved[j] = int32(j)
					}
				}
				s.moved = append(s.moved, int32(i))
				b = append(b, to)
				i += size
				continue
			}
		}
		b = append(b, c)
		if s.moved != nil {
			s.moved = append(s.moved, int32(i))
		}
		i++
	}
	if s.moved != nil {
		s.moved = append(s.moved, int32(len(lower)))
	}
	s.flat = string(b)
}

// accents maps letters from U+00C0 to U+017F to ASCII letters.
var accents = sync.OnceValue(func() (table [0x180 - 0xc0]byte) {
	for i := range table {
		if c := norm.NFD.String(string(rune(0xc0 + i)))[0]; c < utf8.RuneSelf {
			table[i] = c
		}
	}
	return table
})

// withoutAccent returns the ASCII letter of an accented one, or 0 for other characters.
func withoutAccent(r rune) byte {
	if r < 0xc0 || r >= 0x180 {
		return 0
	}
	table := accents()
	return table[r-0xc0]
}

// withoutAccents returns a text with ASCII letters for accented ones.
func withoutAccents(text string) string {
	return strings.Map(func(r rune) rune {
		if c := withoutAccent(r); c != 0 {
			return rune(c)
		}
		return r
	}, text)
}

// continues reports whether a line goes on with the paragraph before it.
func continues(line string) bool {
	line = strings.TrimLeft(line, " ")
	if line == "" {
		return false
	}
	return strings.IndexByte("\n#-*>|`+<[", line[0]) < 0
}

// findOrders finds the forms of the languages.
func (s *scan) findOrders() {
	for i := range forms {
		f := &forms[i]
		if !containsAny(s.flat, f.keywords) {
			continue
		}
		for _, at := range f.pattern().FindAllStringIndex(s.flat, -1) {
			if f.needs != nil && !f.needs(s, at[0], at[1]) || !f.negates && s.isNegated(at[0]) || s.isReport(at[0], at[1]) {
				continue
			}
			s.add(f.reason, at[0], at[1])
		}
	}
}

func containsAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// sentence returns the sentence around a range, in lower case.
func (s *scan) sentence(start, end int) string {
	from, to := start, end
	for from > 0 && start-from < 240 && !isEnd(s.flat, from-1) {
		from--
	}
	for to < len(s.flat) && to-end < 240 && !isEnd(s.flat, to) {
		to++
	}
	return s.flat[from:to]
}

// before returns the part of the sentence before an offset.
func (s *scan) before(start int) string {
	from := start
	for from > 0 && start-from < 160 && !isEnd(s.flat, from-1) {
		from--
	}
	return s.flat[from:start]
}

func isEnd(text string, at int) bool {
	switch text[at] {
	case '\n':
		return true
	case '.', '!', '?':
		return at+1 < len(text) && (text[at+1] == ' ' || text[at+1] == '\n')
	}
	return strings.HasPrefix(text[at:], "。")
}
