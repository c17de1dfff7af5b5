package consolidation

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"unicode"

	"memoir/internal/words"
)

// Which memories say nearly the same. To compare each with each would take 50 million comparisons for 10,000 memories; so each is
// summed up in a signature of which two agree in as many places as their texts have in common (MinHash), and only those are compared
// that agree in a whole band of it (locality-sensitive hashing).

const (
	bands, rows = 16, 4 // two texts that have seven tenths in common meet in a band 99 times out of 100
	// alike is the share of what two texts say together that both have to say, to be called nearly the same.
	alike = 0.7
	// shingle is how many words in a row are compared as one.
	shingle = 3
	// fullBand is how many memories may share a band before it counts as a way of writing, and is no sign.
	fullBand = 64
)

type signature [bands * rows]uint32

// seeds make the hash functions of a signature out of one.
var seeds = func() (s [bands * rows]uint64) {
	state := uint64(0x9E3779B97F4A7C15)
	for i := range s { // splitmix64
		state += 0x9E3779B97F4A7C15
		z := state
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		s[i] = z ^ z>>31 | 1
	}
	return s
}()

// shinglesOf returns the sets of words in a row that a text has, as hashes, in order. Words are those of the search: of scripts
// without spaces, pairs of characters.
func shinglesOf(text string) []uint64 {
	all := wordsOf(text)
	if len(all) == 0 {
		return nil
	}
	var found []uint64
	for i := range max(1, len(all)-shingle+1) {
		h := fnv.New64a()
		for _, word := range all[i:min(len(all), i+shingle)] {
			h.Write([]byte(word))
			h.Write([]byte{0})
		}
		found = append(found, h.Sum64())
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// mostWords bounds what is compared of one memory.
const mostWords = 4000

func wordsOf(text string) []string {
	var all []string
	for word := range words.Spaced(text) {
		if all = append(all, word); len(all) == mostWords {
			break
		}
	}
	return all
}

func signatureOf(shingles []uint64) signature {
	var s signature
	for i := range s {
		s[i] = math.MaxUint32
	}
	for _, sh := range shingles {
		for i, seed := range seeds {
			mixed := (sh ^ seed) * 0xFF51AFD7ED558CCD
			if value := uint32((mixed ^ mixed>>33) >> 16); value < s[i] {
				s[i] = value
			}
		}
	}
	return s
}

// pair are two of the texts that may be alike, by their places.
type pair struct{ a, b int }

// candidates returns the pairs of signatures that agree in a band, each once and in order.
func candidates(signatures []signature) []pair {
	found := map[pair]bool{}
	for band := range bands {
		buckets := map[[rows]uint32][]int{}
		for i, s := range signatures {
			key := [rows]uint32(s[band*rows : (band+1)*rows])
			if key[0] != math.MaxUint32 { // a text without words
				buckets[key] = append(buckets[key], i)
			}
		}
		for _, members := range buckets {
			if len(members) > fullBand {
				continue
			}
			for i, a := range members {
				for _, b := range members[i+1:] {
					found[pair{a, b}] = true
				}
			}
		}
	}
	pairs := make([]pair, 0, len(found))
	for p := range found {
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, func(x, y pair) int { return cmp.Or(x.a-y.a, x.b-y.b) })
	return pairs
}

// likeness is the share of the shingles of both that both have.
func likeness(a, b []uint64) float64 {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common, i, j = common+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	if all := len(a) + len(b) - common; all > 0 {
		return float64(common) / float64(all)
	}
	return 0
}

// turns are words that turn what is said into something else.
var turns = map[string]bool{
	"not": true, "no": true, "never": true, "without": true, "except": true, "only": true, "unless": true, "dont": true, "don": true, "isn": true,
	"always": true, "before": true, "after": true, "nicht": true, "kein": true, "keine": true, "nie": true, "ne": true, "pas": true, "jamais": true, "nunca": true,
}

// sayDifferentThings reports whether what two texts that are alike do not share looks like another fact rather than other words for
// the same one: a number, a name, a path, a word that turns the sense. Two memories may be of one form and about two things (the ports
// of two servers); those are never called duplicates.
func sayDifferentThings(a, b string) bool {
	inA, inB := tokensOf(a), tokensOf(b)
	onlyA, onlyB := without(inA, inB), without(inB, inA)
	// What only one of them says adds to it. What both put in each other's place is told apart.
	for _, token := range slices.Concat(onlyA, onlyB) {
		if turns[strings.ToLower(token)] {
			return true
		}
	}
	return slices.ContainsFunc(onlyA, isSpecific) && slices.ContainsFunc(onlyB, isSpecific)
}

// tokensOf are the words of a text as they are written, with what joins the parts of a name.
func tokensOf(text string) map[string]bool {
	tokens := map[string]bool{}
	for _, token := range strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./:@#", r)
	}) {
		if token = strings.Trim(token, "-_./:@#"); token != "" {
			tokens[token] = true
		}
	}
	return tokens
}

func without(all, others map[string]bool) []string {
	var rest []string
	for token := range all {
		if !others[token] {
			rest = append(rest, token)
		}
	}
	return rest
}

// isSpecific reports whether a word names something: it has a digit, a sign inside, or a capital.
func isSpecific(token string) bool {
	return strings.ContainsFunc(token, func(r rune) bool {
		return unicode.IsDigit(r) || unicode.IsUpper(r) || strings.ContainsRune("-_./:@#", r)
	})
}

// ownWords are the words of a text that tell something and that the other one does not have.
func ownWords(text, other string) []string {
	theirs := map[string]bool{}
	for _, word := range wordsOf(other) {
		theirs[word] = true
	}
	var own []string
	for _, word := range wordsOf(text) {
		if !theirs[word] && !slight[word] {
			own = append(own, word)
		}
	}
	return own
}

// slight are words that tell nothing by themselves.
var slight = func() map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(`a an the and or of to in on at by for from with as is are was were be been it its this that these those we our you your
		they them their he she his her i my so then than too also very just please should must will would can could may might do does did has have had`) {
		all[word] = true
	}
	return all
}()
