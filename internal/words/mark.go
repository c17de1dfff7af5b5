package words

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// maxSearched is how many bytes of a text are searched for hits, far more than a page shows. It is
// arbitrary.
const maxSearched = 64 << 10

// Part is a part of a text: a hit of the search, or the text between two hits.
type Part struct {
	Text string
	Hit  bool
}

// A Search finds a typed query in texts.
type Search struct {
	words []string // each matches the start of a word
	runs  []string // texts in scripts without spaces, which match anywhere
	near  bool     // similar words match too
}

// For returns the Search for the words of a typed query. Similar words are no hits (see Near). If
// the query has no words, the Search finds nothing.
func For(query string) Search {
	s := Search{runs: Runs(query)}
	for word := range All(query) {
		switch {
		case !SetsNoSpaces(word):
			s.words = append(s.words, word)
		case !slices.ContainsFunc(s.runs, func(run string) bool { return strings.Contains(run, word) }):
			s.runs = append(s.runs, word)
		}
	}
	return s
}

// Near returns a copy of the search with similar words as hits too. It is for texts that were
// found by similar words.
func (s Search) Near() Search {
	s.near = true
	return s
}

// Mark returns the text split into hits and other parts, which alternate. The joined parts are the
// text. It finds no hits after the first 64 KiB. It returns nil for an empty text.
func (s Search) Mark(text string) []Part {
	head, rest := text, ""
	if len(text) > maxSearched {
		head, rest = cutAt(text, maxSearched)
	}
	var parts []Part
	add := func(text string, hit bool) {
		switch {
		case text == "":
		case len(parts) > 0 && parts[len(parts)-1].Hit == hit:
			parts[len(parts)-1].Text += text
		default:
			parts = append(parts, Part{text, hit})
		}
	}
	end := 0
	for _, h := range s.hits(head) {
		if h.end <= end {
			continue
		}
		start := max(h.start, end)
		add(head[end:start], false)
		add(head[start:h.end], true)
		end = h.end
	}
	add(head[end:], false)
	add(rest, false)
	return parts
}

// A hit is the position of a match in a text.
type hit struct {
	span
	of int // index of the match among the words, then the runs
}

// hits returns the matches in a text, ordered by start, of equal starts the longer first. They may
// overlap. The positions are those in text, not in the folded text.
func (s Search) hits(text string) []hit {
	if len(s.words)+len(s.runs) == 0 {
		return nil
	}
	folded, original := foldInPlace(text)
	var found []hit
	add := func(start, end, of int) {
		found = append(found, hit{span{original.of(start).start, original.of(end - 1).end}, of})
	}
	if len(s.words) > 0 {
		for w := range spans(folded, spaceless) {
			for i, typed := range s.words {
				if length := s.matches(typed, folded[w.start:w.end]); length > 0 {
					add(w.start, w.start+length, i)
				}
			}
		}
	}
	for i, run := range s.runs {
		for at := 0; ; {
			next := strings.Index(folded[at:], run)
			if next < 0 {
				break
			}
			add(at+next, at+next+len(run), len(s.words)+i)
			at += next + len(run)
		}
	}
	slices.SortFunc(found, func(a, b hit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	return found
}

// matches returns how many bytes of a word, from its start, match a typed one, both folded. A word
// that starts with typed matches with the length of typed. A similar word matches as a whole, if s
// finds similar words. Otherwise it is 0.
func (s Search) matches(typed, word string) int {
	if strings.HasPrefix(word, typed) {
		return len(typed)
	}
	if !s.near || !CanBeMeant(word) {
		return 0
	}
	if _, near := Distance(typed, word); near {
		return len(word)
	}
	return 0
}

// origin maps offsets in a folded text to the original text. Pieces are a letter with its marks.
type origin struct {
	starts []int // offsets of the pieces in the folded text, or nil if all are equal
	from   []span
}

// of returns the span in the original text of the piece that contains an offset in the folded text.
func (o origin) of(at int) span {
	if o.starts == nil {
		return span{at, at + 1}
	}
	return o.from[sort.SearchInts(o.starts, at+1)-1]
}

// foldInPlace returns a text without differences in letter case and width, and without accents.
// The origin maps each piece of the result to its position in text.
func foldInPlace(text string) (string, origin) {
	if notASCII(text) < 0 {
		return strings.ToLower(text), origin{}
	}
	var folded strings.Builder
	var o origin
	var pieces norm.Iter
	pieces.InitString(norm.NFKC, text)
	for !pieces.Done() {
		start, at := pieces.Pos(), folded.Len()
		folded.WriteString(fold(string(pieces.Next())))
		if folded.Len() > at {
			o.starts = append(o.starts, at)
			o.from = append(o.from, span{start, pieces.Pos()})
		}
	}
	return folded.String(), o
}

// cutAt splits a text at the offset, or at the start of the character that the offset is in.
func cutAt(text string, at int) (head, rest string) {
	for at > 0 && at < len(text) && text[at]&0xC0 == 0x80 {
		at--
	}
	return text[:at], text[at:]
}
