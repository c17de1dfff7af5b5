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
	Override = "Overrides the agent’s instructions"
	Role     = "Pretends to be another speaker"
	Approval = "Claims an approval"
	Fetch    = "Orders to fetch and run something"
	Send     = "Orders to send data elsewhere"
	Secrecy  = "Hides something from the user"
	Persona  = "Changes the agent’s role"
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
func Find(text string) []Finding {
	return find(text, sync.OnceValue(func() topic { return topicOf(text) }))
}

// Match returns a match of kind Injection with the spans of all fields. The reason is that of the
// first one. ok is false without a finding.
func Match(t findings.Text) (m findings.Match, ok bool) {
	about := sync.OnceValue(func() topic { return topicOf(t.Name, t.Description, t.Body) })
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

// find finds injections. about returns the topic of the memory, which may quote attacks.
func find(text string, about func() topic) []Finding {
	if text == "" {
		return nil
	}
	s := scan{Text: normtext.New(text), topic: about}
	s.flatten()
	s.findOrders()
	s.findRoles()
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
	topic func() topic
	found []Finding

	marked   []mark // lazily, by quotes
	hasMarks bool

	formats, decoding answer // see once
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

// flatten sets s.flat to the text in lower case without accents and emphasis, with straight quotes,
// and with one space for white space and for line ends within paragraphs.
func (s *scan) flatten() {
	lower := s.Lower
	b := make([]byte, 0, len(lower))
	put := func(c byte, at int) {
		if s.moved == nil && len(b) != at {
			s.moved = make([]int32, len(b), len(lower)+1)
			for j := range s.moved {
				s.moved[j] = int32(j)
			}
		}
		if s.moved != nil {
			s.moved = append(s.moved, int32(at))
		}
		b = append(b, c)
	}
	for i := 0; i < len(lower); {
		c, size := lower[i], 1
		switch {
		case c == '*':
			i++
			continue
		case c == ' ' || c == '\t' || c == '\n' && i > 0 && lower[i-1] != '\n' && continues(lower[i+1:]):
			if c = ' '; len(b) > 0 && b[len(b)-1] == ' ' {
				i++
				continue
			}
		case c >= utf8.RuneSelf:
			var r rune
			r, size = utf8.DecodeRuneInString(lower[i:])
			if to := plainRune(r); to != 0 {
				put(to, i)
				i += size
				s.move(len(b), i, len(lower))
				continue
			}
			for j := range size - 1 {
				put(lower[i+j], i+j)
			}
			c = lower[i+size-1]
			i += size - 1
			size = 1
		}
		put(c, i)
		i += size
	}
	s.flat = string(b)
	if s.moved == nil && len(b) != len(lower) {
		s.move(len(b), -1, len(lower))
	}
	if s.moved != nil {
		s.moved = append(s.moved, int32(len(lower)))
	}
}

// move starts the map of offsets if the source is at another offset than n.
func (s *scan) move(n, at, capacity int) {
	if s.moved == nil && n != at {
		s.moved = make([]int32, n, capacity+1)
		for j := range s.moved {
			s.moved[j] = int32(j)
		}
	}
}

// plainRune returns the ASCII character for an accented letter or a typographic quote, or 0.
func plainRune(r rune) byte {
	switch r {
	case '’', '‘':
		return '\''
	case '“', '”', '„':
		return '"'
	}
	return withoutAccent(r)
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
	s.chunks(func(i, from, to int) {
		f := &forms[i]
		for _, at := range f.pattern().find(s.flat[from:to]) {
			start, end := from+at[0], from+at[1]
			if f.needs != nil && !f.needs(s, start, end) || !f.negates && s.isNegated(start) || s.isReport(f, start, end) {
				continue
			}
			s.add(f.reason, start, end)
		}
	})
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
