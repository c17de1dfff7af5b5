package pairs

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"memoir/internal/findings"
	"memoir/internal/words"
)

const (
	// maxTerms limits the terms of a vector. The first ones are kept: name, description, and then
	// about 40 words of the body (arbitrary).
	maxTerms = 48
	// maxWords limits the words of a memory that are read (arbitrary).
	maxWords = 2000
	// minLead is the length in bytes of the part of a body that states the fact (arbitrary).
	minLead = 40
	// maxStems limits the words whose stems are remembered (arbitrary).
	maxStems = 1 << 14
)

// Weights of the parts of a memory. The first paragraph states the fact; the others give reasons
// and details, which two memories of one fact rarely share.
const (
	nameWeight        = 1
	descriptionWeight = 1
	leadWeight        = 1.5
	restWeight        = 0.4
)

// A term is a stem or a run of characters in a memory. It has the number of the stem in the upper
// 24 bits, then how the memory writes it, and its weight in the lower 6 bits.
type term uint32

// How a memory writes a stem inside sentences.
const (
	capital term = 1 << 6 // with a capital letter
	small   term = 1 << 7
)

const maxWeight = 1<<6 - 1

func (t term) id() uint32     { return uint32(t) >> 8 }
func (t term) weight() uint32 { return uint32(t) & maxWeight }

// vocabulary numbers terms. It never forgets one.
type vocabulary struct {
	ids   map[uint64]uint32
	stems map[stemKey]string // a cache
}

type stemKey struct {
	word string
	of   words.Language
}

func newVocabulary() vocabulary {
	return vocabulary{ids: map[uint64]uint32{}, stems: map[stemKey]string{}}
}

// vectorOf returns the terms of a memory, sorted by number: stems of its words without function
// words, and runs of two and three characters of scripts without spaces and of Hangul.
func (v *vocabulary) vectorOf(t findings.Text) []term {
	counts := map[uint32]float64{}
	add := func(text string, weight float64) {
		id := v.id(text)
		if _, known := counts[id]; known || len(counts) < maxTerms {
			counts[id] += weight
		}
	}
	spoken := words.LanguageOf(firstWords(t.Description+"\n"+t.Body, 200))
	lead, rest := splitLead(t.Body)
	for _, part := range []struct {
		text   string
		weight float64
	}{{t.Name, nameWeight}, {t.Description, descriptionWeight}, {lead, leadWeight}, {rest, restWeight}} {
		n := 0
		for word := range words.Spaced(part.text) {
			if n++; n > maxWords {
				break
			}
			if words.SetsNoSpaces(word) || words.IsFunctionWord(word, "en") || words.IsFunctionWord(word, spoken) {
				continue
			}
			weight := part.weight
			if isDigit(word[0]) {
				weight /= 2 // a differing number must not make texts of one fact dissimilar
			}
			add(v.stem(word, spoken), weight)
		}
		for _, run := range words.Runs(part.text) {
			addRuns([]rune(run), func(text string) { add(text, part.weight/2) })
		}
	}
	forms := map[uint32]term{}
	if spoken != "de" { // German nouns have capital letters
		v.addForms(forms, t.Description, spoken)
		v.addForms(forms, t.Body, spoken)
	}
	vector := make([]term, 0, len(counts))
	for id, count := range counts {
		vector = append(vector, term(id<<8|uint32(min(maxWeight, math.Round(8*weightOf(count)))))|forms[id])
	}
	slices.SortFunc(vector, func(a, b term) int { return cmp.Compare(a, b) })
	return vector
}

// splitLead splits a body after its first paragraph, without a title and of at least minLead bytes.
func splitLead(body string) (lead, rest string) {
	body = strings.TrimLeft(body, " \t\r\n")
	if strings.HasPrefix(body, "# ") {
		_, body, _ = strings.Cut(body, "\n")
		body = strings.TrimLeft(body, " \t\r\n")
	}
	at := 0
	for at < minLead {
		i := strings.Index(body[at:], "\n\n")
		if i < 0 {
			return body, ""
		}
		at += i + 2
	}
	return body[:at], body[at:]
}

// addForms adds how a text writes stems, except at the start of sentences. Only Latin words without
// accents and Cyrillic ones are examined, by a rule that is cheap rather than exact.
func (v *vocabulary) addForms(forms map[uint32]term, text string, spoken words.Language) {
	before := '.'
	for word := range strings.FieldsSeq(text) {
		if len(forms) >= 2*maxTerms {
			return
		}
		bare := strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		last, _ := utf8.DecodeLastRuneInString(word)
		first, _ := utf8.DecodeRuneInString(bare)
		isInside := !strings.ContainsRune(".:!?*#-", before)
		before = last
		if !isInside || !unicode.IsLetter(first) || strings.HasPrefix(word, "`") {
			continue
		}
		folded := strings.ToLower(bare)
		form := small
		if unicode.IsUpper(first) {
			form = capital
		}
		if id, known := v.ids[hashOf(v.stem(folded, spoken))]; known {
			forms[id] |= form
		}
	}
}

// weightOf dampens the number of times that a memory has a term.
func weightOf(count float64) float64 {
	if count < 1 {
		return count
	}
	return 1 + math.Log(count)
}

func addRuns(run []rune, add func(string)) {
	for i := range run {
		for n := 2; n <= 2 && i+n <= len(run); n++ {
			add(string(run[i : i+n]))
		}
	}
}

func firstWords(text string, most int) []string {
	var first []string
	for word := range words.Spaced(text) {
		if first = append(first, word); len(first) == most {
			break
		}
	}
	return first
}

// id returns the number of a term. Terms are known by a hash of 64 bits.
func (v *vocabulary) id(text string) uint32 {
	h := hashOf(text)
	id, known := v.ids[h]
	if !known {
		id = uint32(len(v.ids)) % maxTermID
		v.ids[h] = id
	}
	return id
}

func (v *vocabulary) stem(word string, spoken words.Language) string {
	key := stemKey{word, spoken}
	stem, known := v.stems[key]
	if !known {
		if len(v.stems) == maxStems {
			clear(v.stems)
		}
		stem = canonical(words.Stem(word, spoken))
		v.stems[key] = stem
	}
	return stem
}

func hashOf(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
