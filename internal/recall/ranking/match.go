package ranking

import (
	"slices"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/words"
)

// A Field is the field of a memory that contains a term.
type Field int

const (
	inName    Field = iota
	inPhrases       // as which it is asked
	inDescription
	inBody
	numFields
)

func (f Field) String() string { return [...]string{"name", "questions", "description", "text"}[f] }

// IsSummary reports whether the field summarises a memory: it is not its text.
func (f Field) IsSummary() bool { return f != inBody }

// index finds the terms of a question in the words of a text.
type index struct {
	needles map[string][]needle // by the first word
	terms   int
	words   []string // of the field that is read, kept because it is large
}

// A needle is a variant of a term, as a sequence of words. Runs have a word for each character.
type needle struct {
	term    int
	variant Variant
	rest    []string // the words after the first one
}

func indexOf(terms []Term) *index {
	of := &index{needles: map[string][]needle{}, terms: len(terms)}
	for i, t := range terms {
		for _, v := range t.Variants {
			n := needle{term: i, variant: v}
			first := v.Word
			if v.Run {
				characters := strings.Split(v.Word, "")
				first, n.rest = characters[0], characters[1:]
			}
			of.needles[first] = append(of.needles[first], n)
		}
	}
	return of
}

// document is a memory with the terms that it has.
type document struct {
	memories.Memory
	lengths [numFields]int // in words
	found   []found        // by term
	places  []place        // in the order of the text
}

// maxBeginning is the length of the part of a body that tells its language and what it replaces, in
// bytes. Arbitrary.
const maxBeginning = 2000

// beginning returns the description and the beginning of the body.
func (d document) beginning() string {
	return d.Description + "\n" + d.Body[:min(len(d.Body), maxBeginning)]
}

// found is where and how often a memory has a term.
type found struct {
	counts [numFields]float64 // sums of the degrees of the variants
	best   Variant            // of the highest degree, in the field with the most weight
	in     Field
}

// place is a place of a term in the fields of a memory, one after the other, counted in words.
type place struct{ at, term int }

// read returns a document with the terms of the index.
func (of *index) read(m memories.Memory) document {
	d := document{Memory: m, found: make([]found, of.terms)}
	texts := [numFields]string{inName: m.Name, inPhrases: strings.Join(m.AskedAs, "\n"), inDescription: m.Description, inBody: m.Body}
	if m.Line > 0 {
		texts[inName] = "" // the name of an index's fact is the index's, not the fact's
	}
	start := 0
	for field, text := range texts {
		all := slices.AppendSeq(of.words[:0], words.All(text))
		of.words = all
		for at, word := range all {
			for _, n := range of.needles[word] {
				if n.follows(all[at+1:]) {
					d.add(n, Field(field), start+at)
				}
			}
			for _, reading := range words.Readings(all[at:]) {
				for _, n := range of.needles[reading] {
					d.add(n, Field(field), start+at)
				}
			}
		}
		d.lengths[field] = len(all)
		start += len(all)
	}
	return d
}

// follows reports whether the words begin with the rest of the variant.
func (n needle) follows(next []string) bool {
	if len(next) < len(n.rest) {
		return false
	}
	for i, word := range n.rest {
		if next[i] != word {
			return false
		}
	}
	return true
}

func (d *document) add(n needle, in Field, at int) {
	f := &d.found[n.term]
	f.counts[in] += n.variant.degree
	if n.variant.degree > f.best.degree {
		f.best, f.in = n.variant, in
	}
	d.places = append(d.places, place{at, n.term})
}
