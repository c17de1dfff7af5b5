package injections

import (
	"math/bits"
	"strings"
	"sync"

	"memoir/internal/findings/prefix"
)

// maxChunk is how many bytes of a line are examined at once, and overlap how many of them again
// with the next ones. Both are arbitrary; patterns match less than overlap bytes.
const (
	maxChunk = 1000
	overlap  = 400
)

// keyword is a word with the groups of forms that it satisfies.
type keyword struct {
	text   string
	groups []group
}

type group struct {
	form int
	bit  uint8
}

// keywordIndex has the keywords of all forms.
var keywordIndex = sync.OnceValue(func() *prefix.Index[*keyword] {
	var index prefix.Index[*keyword]
	byText := map[string]*keyword{}
	for i := range forms {
		for g, words := range lists(forms[i].keywords) {
			for _, text := range words {
				k := byText[text]
				if k == nil {
					k = &keyword{text: text}
					byText[text] = k
					index.Add(text, k)
				}
				k.groups = append(k.groups, group{i, 1 << g})
			}
		}
	}
	return &index
})

// keywordsOfForms are the keywords that a line has of each form. All masks are zero between lines.
type keywordsOfForms struct {
	masks []uint8
	spans []verbSpan
}

// keywordsSeen saves 40 KB of garbage for each text.
var keywordsSeen = sync.Pool{New: func() any {
	return &keywordsOfForms{make([]uint8, len(forms)), make([]verbSpan, len(forms))}
}}

// chunks calls found with each part of the flat text that has keywords of all groups of a form. A
// part is a line, or a part of a long one.
func (s *scan) chunks(found func(form, start, end int)) {
	index, text := keywordIndex(), s.flat
	seen := keywordsSeen.Get().(*keywordsOfForms)
	defer keywordsSeen.Put(seen)
	masks, spans := seen.masks, seen.spans
	var touched []int
	for start := 0; start < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
			end = start + n
		}
		next := end + 1
		if end-start > maxChunk {
			end = start + maxChunk
			next = end - overlap
		}
		for i := start; i+1 < end; i++ {
			if isLetter(text[i]) && i > 0 && isLetter(text[i-1]) {
				continue
			}
			for _, k := range index.At(text, i) {
				if !strings.HasPrefix(text[i:end], k.text) {
					continue
				}
				for _, g := range k.groups {
					if masks[g.form] == 0 {
						touched = append(touched, g.form)
						spans[g.form] = verbSpan{verb: -1}
					}
					spans[g.form].note(g.bit, i)
					masks[g.form] |= g.bit
				}
			}
		}
		for _, form := range touched {
			if f := &forms[form]; masks[form] == 1<<f.lists()-1 && (!f.verbFirst || spans[form].isOrdered(f.lists())) {
				found(form, start, end)
			}
			masks[form] = 0
		}
		touched = touched[:0]
		start = next
	}
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' }

// verbSpan is where the keywords of a form are in a line: the first of the first list, and the last
// of each other.
type verbSpan struct {
	verb int
	last [8]int
}

func (v *verbSpan) note(bit uint8, at int) {
	if bit == 1 {
		if v.verb < 0 {
			v.verb = at
		}
		return
	}
	v.last[bits.TrailingZeros8(bit)] = at
}

// isOrdered reports whether a keyword of each list is behind the verb.
func (v *verbSpan) isOrdered(lists int) bool {
	for i := 1; i < lists; i++ {
		if v.last[i] < v.verb {
			return false
		}
	}
	return true
}
