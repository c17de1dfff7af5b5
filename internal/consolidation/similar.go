package consolidation

import (
	"cmp"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"memoir/internal/words"
)

// Search for near duplicates. Comparing all pairs of 10,000 memories would take 50 million
// comparisons. MinHash gives each memory a signature; two signatures share as many values as their
// texts have in common. Locality-sensitive hashing then compares only pairs with an equal band.

const (
	bands, rows = 16, 4 // texts with a likeness of 0.7 share a band with a probability of 0.99
	// minLikeness is the minimum likeness of near duplicates (arbitrary).
	minLikeness = 0.7
	// shingleWords is the number of words in a shingle (arbitrary).
	shingleWords = 3
	// maxBandMembers is the maximum number of memories with an equal band. A larger group has only
	// its style in common (arbitrary).
	maxBandMembers = 64
)

type signature [bands * rows]uint32

// seeds are the multipliers of the hash functions of a signature. They are random but the same in
// each run.
var seeds = func() (s [bands * rows]uint64) {
	random := rand.New(rand.NewPCG(0, 0))
	for i := range s {
		s[i] = random.Uint64() | 1
	}
	return s
}()

// shinglesOf returns the sorted hashes of all sequences of shingleWords words among the first
// maxWords words of a text, each once. A shorter text has one hash, and a text without words none.
// In scripts without spaces, each character is a word.
func shinglesOf(text string) []uint64 {
	all := wordsOf(text)
	if len(all) == 0 {
		return nil
	}
	var found []uint64
	for i := range max(1, len(all)-shingleWords+1) {
		h := fnv.New64a()
		for _, word := range all[i:min(len(all), i+shingleWords)] {
			h.Write([]byte(word))
			h.Write([]byte{0})
		}
		found = append(found, h.Sum64())
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// maxWords is the maximum number of compared words of a memory (arbitrary).
const maxWords = 4000

func wordsOf(text string) []string {
	var all []string
	for word := range words.Spaced(text) {
		if all = append(all, word); len(all) == maxWords {
			break
		}
	}
	return all
}

// signatureOf returns the MinHash signature of a set of shingles: for each of the hash functions,
// the smallest hash of a shingle. Without shingles, all values are the largest possible.
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

// pair is the indexes of two texts.
type pair struct{ a, b int }

// candidates returns the pairs of signatures that are equal in at least one of their bands, sorted
// and each once. It ignores signatures of texts without words, and pairs that are equal only in
// bands that more than maxBandMembers signatures share.
func candidates(signatures []signature) []pair {
	found := map[pair]bool{}
	for band := range bands {
		buckets := map[[rows]uint32][]int{}
		for i, s := range signatures {
			key := [rows]uint32(s[band*rows : (band+1)*rows])
			if key[0] != math.MaxUint32 { // not a text without words
				buckets[key] = append(buckets[key], i)
			}
		}
		for _, members := range buckets {
			if len(members) > maxBandMembers {
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

// likeness returns the Jaccard index of two sorted sets: the share of their elements that both
// have, from 0 to 1. It is 0 if both are empty.
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

// turns are words that change the meaning of a sentence.
var turns = map[string]bool{
	"not": true, "no": true, "never": true, "without": true, "except": true, "only": true, "unless": true, "dont": true, "don": true, "isn": true,
	"always": true, "before": true, "after": true, "nicht": true, "kein": true, "keine": true, "nie": true, "ne": true, "pas": true, "jamais": true, "nunca": true,
}

// differInFacts reports whether two similar texts seem to state different facts, such as the ports
// of two servers. They do if one has a word such as "not", "always" or "before" that the other
// lacks. They also do if each has a number, a name or a path that the other lacks.
func differInFacts(a, b string) bool {
	inA, inB := tokensOf(a), tokensOf(b)
	onlyA, onlyB := without(inA, inB), without(inB, inA)
	// A token in one text only is an addition. Tokens in both that replace each other are different
	// facts.
	for _, token := range slices.Concat(onlyA, onlyB) {
		if turns[strings.ToLower(token)] {
			return true
		}
	}
	return slices.ContainsFunc(onlyA, isSpecific) && slices.ContainsFunc(onlyB, isSpecific)
}

// tokensOf returns the set of words of a text, in their original case. A word is a run of letters,
// digits and -_./:@#, without these signs at its ends.
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

// isSpecific reports whether a word looks like a name or number: it has a digit, a capital letter
// or one of -_./:@#.
func isSpecific(token string) bool {
	return strings.ContainsFunc(token, func(r rune) bool {
		return unicode.IsDigit(r) || unicode.IsUpper(r) || strings.ContainsRune("-_./:@#", r)
	})
}

// hasOwnWords reports whether text has a word that other does not have. Stop words do not count.
// Only the first maxWords words of each are compared.
func hasOwnWords(text, other string) bool {
	theirs := wordSet(other)
	return slices.ContainsFunc(wordsOf(text), func(word string) bool { return !stopWords[word] && !theirs[word] })
}

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range wordsOf(text) {
		set[word] = true
	}
	return set
}

// stopWords are words without a meaning of their own.
var stopWords = func() map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(`a an the and or of to in on at by for from with as is are was were be been it its this that these those we our you your
		they them their he she his her i my so then than too also very just please should must will would can could may might do does did has have had`) {
		all[word] = true
	}
	return all
}()
