package reviewcards

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/aymanbagabas/go-udiff/lcs"

	"memoir/internal/marked"
)

// maxCompared is the maximum number of words of a text that Differing compares (arbitrary).
const maxCompared = 3000

// minShared is the share of the shorter text, in percent, that the longer one needs: with less in
// common, marks do not help (arbitrary).
const minShared = 40

// maxAdded is the maximum number of words that only one text has in a place and that are marked: a
// reader sees that a text goes on (arbitrary).
const maxAdded = 12

var word = regexp.MustCompile(`[\pL\pN\pM]+(?:[’'.,:/_-][\pL\pN\pM]+)*|[^\s\pL\pN]`)

// Differing returns, for each text, the runs of words that the others do not have in that place,
// without long additions. It compares each text with the first. It returns nil if the texts are equal,
// too long, or have too little in common.
func Differing(texts []string) [][]marked.Span {
	if len(texts) < 2 {
		return nil
	}
	at, all := make([][][]int, len(texts)), make([][]string, len(texts))
	for i, text := range texts {
		at[i] = word.FindAllStringIndex(text, maxCompared+1)
		if len(at[i]) > maxCompared {
			return nil
		}
		for _, span := range at[i] {
			all[i] = append(all[i], text[span[0]:span[1]])
		}
	}
	changed := make([][]bool, len(texts))
	for i := range texts {
		changed[i] = make([]bool, len(all[i]))
	}
	isMarked := false
	for i := 1; i < len(texts); i++ {
		shared := len(all[0])
		for _, d := range lcs.DiffLines(all[0], all[i]) {
			removed, added := d.End-d.Start, d.ReplEnd-d.ReplStart
			shared -= removed
			if removed == 0 && added > maxAdded || added == 0 && removed > maxAdded {
				continue
			}
			mark(changed[0][d.Start:d.End])
			mark(changed[i][d.ReplStart:d.ReplEnd])
			isMarked = true
		}
		if shared*100 < min(len(all[0]), len(all[i]))*minShared {
			return nil
		}
	}
	if !isMarked {
		return nil
	}
	spans := make([][]marked.Span, len(texts))
	for i, text := range texts {
		spans[i] = runs(text, at[i], changed[i])
	}
	return spans
}

func mark(changed []bool) {
	for i := range changed {
		changed[i] = true
	}
}

// runs joins neighbouring marked words. Marks of signs alone are left out.
func runs(text string, at [][]int, changed []bool) (spans []marked.Span) {
	for n, is := range changed {
		if !is {
			continue
		}
		if n > 0 && changed[n-1] && len(spans) > 0 && !strings.Contains(text[spans[len(spans)-1].End:at[n][0]], "\n") {
			spans[len(spans)-1].End = at[n][1]
			continue
		}
		spans = append(spans, marked.Span{Start: at[n][0], End: at[n][1]})
	}
	return slices.DeleteFunc(spans, func(s marked.Span) bool {
		return !strings.ContainsFunc(text[s.Start:s.End], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
	})
}
