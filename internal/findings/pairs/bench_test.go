package pairs_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"memoir/internal/findings"
	"memoir/internal/findings/pairs"
)

// corpus makes up memories with words as frequent as in natural texts. Each tenth one is like the
// one before it, with another number.
type corpus struct{ count int }

func (c corpus) memory(i int) findings.Memory {
	variant := i%10 == 9
	seed := i
	if variant {
		seed--
	}
	random := rand.New(rand.NewPCG(1, uint64(seed)))
	zipf := rand.NewZipf(random, 1.07, 8, 40_000)
	var body strings.Builder
	for n := 25 + random.IntN(60); n > 0; n-- {
		body.WriteString(madeUpWord(zipf.Uint64()))
		body.WriteString([]string{" ", " ", " ", " the ", ". ", " is "}[random.IntN(6)])
	}
	value := 8000 + random.IntN(1000)
	if variant {
		value += i%1000 + 1
	}
	fmt.Fprintf(&body, "\n\n**How to apply:** the limit is %d.", value)
	name := madeUpWord(zipf.Uint64()) + "-" + madeUpWord(zipf.Uint64())
	description := madeUpWord(zipf.Uint64()) + " of the " + madeUpWord(zipf.Uint64()) + " " + madeUpWord(zipf.Uint64())
	return findings.Memory{
		ID: fmt.Sprintf("%08d", i), Type: "project", Changed: time.Unix(int64(i)*86_400, 0),
		Text: findings.Text{Name: name, Description: description, Body: body.String()},
	}
}

func (c corpus) load(_ context.Context, ids []string) ([]findings.Memory, error) {
	found := make([]findings.Memory, len(ids))
	for n, id := range ids {
		var i int
		if _, err := fmt.Sscanf(id, "%d", &i); err != nil {
			return nil, err
		}
		found[n] = c.memory(i)
	}
	return found, nil
}

func madeUpWord(n uint64) string {
	syllables := []string{"ka", "lo", "mi", "ter", "van", "res", "do", "pu", "sin", "gra", "bel", "tho", "wex", "nu", "fi", "cor"}
	var word strings.Builder
	for n += 16; n > 0; n /= 16 {
		word.WriteString(syllables[n%16])
	}
	return word.String()
}

// BenchmarkPairs compares all memories of an agent. B/index is the size of the index.
func BenchmarkPairs(b *testing.B) {
	for _, count := range []int{1_000, 5_000, 100_000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			if count > 10_000 && testing.Short() {
				b.Skip("takes long")
			}
			c := corpus{count}
			for b.Loop() {
				before := heap()
				x := pairs.NewIndex()
				for i := range count {
					x.Add(c.memory(i))
				}
				found, err := x.Pairs(b.Context(), c.load)
				if err != nil || len(found) < count/12 {
					b.Fatalf("found %d pairs: %v", len(found), err)
				}
				n := len(found)
				found = nil
				b.ReportMetric(float64(heap()-before), "B/index")
				b.ReportMetric(float64(n), "pairs")
				runtime.KeepAlive(x)
			}
		})
	}
}

func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// BenchmarkAdd is the time to take one changed memory of 10,000 and to compare it.
func BenchmarkAdd(b *testing.B) {
	c := corpus{10_000}
	x := pairs.NewIndex()
	for i := range c.count {
		x.Add(c.memory(i))
	}
	for i := 0; b.Loop(); i++ {
		m := c.memory(i % c.count)
		m.Body += fmt.Sprintf(" Since revision %d.", i)
		x.Add(m)
		if _, err := x.Pairs(b.Context(), c.load, m.ID); err != nil {
			b.Fatal(err)
		}
	}
}
