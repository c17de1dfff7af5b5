package diff_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"memoir/internal/diff"
	"memoir/internal/memoirtest"
)

// TestCost_OfADiffIsBounded does not run in parallel, because it measures the CPU time of the
// process. It compares texts of 1 MiB with versions that share much or little.
func TestCost_OfADiffIsBounded(t *testing.T) {
	const limit = time.Second // 0.5 s, doubled for slow machines
	bodies := memoirtest.NastyBodies()
	for name, before := range bodies {
		for how, after := range map[string]string{
			"halves exchanged":  before[len(before)/2:] + before[:len(before)/2],
			"every letter":      strings.Map(rotated, before),
			"scattered bytes":   scattered(before),
			"lines in disorder": disordered(before, "\n"),
			"words in disorder": disordered(before, " "),
			"another text":      bodies["paragraphs"],
		} {
			took := memoirtest.CPUTime(t, func() { diff.Texts(before, after, 100) })
			if took > limit {
				t.Errorf("%s, %s: took %v", name, how, took)
			}
		}
	}
}

// rotated replaces each letter by the next one.
func rotated(r rune) rune {
	if r >= 'a' && r < 'z' {
		return r + 1
	}
	return r
}

// scattered replaces a few bytes.
func scattered(text string) string {
	random, out := rand.New(rand.NewPCG(1, 2)), []byte(text)
	for at := 0; at < len(out); at += 1 + random.IntN(60) {
		if out[at] < 0x80 {
			out[at] = 'z'
		}
	}
	return string(out)
}

// disordered swaps parts of a text at random.
func disordered(text, between string) string {
	parts := strings.Split(text, between)
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return strings.Join(parts, between)
}
