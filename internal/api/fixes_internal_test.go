package api

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"memoir/internal/memoirtest"
)

func TestFixDiff_IsThatOfTheWholeFile(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var lines []string
		for range random.IntN(12) {
			lines = append(lines, []string{"", "a", "b", "@@ -1 +1 @@"}[random.IntN(4)])
		}
		return strings.Join(lines, "\n")
	}
	for range 5000 {
		common := text()
		before, after := common+text()+common, common+text()+common
		start, end := commonEnds(before, after)
		want, err := udiff.ToUnified("a.md", "b.md", before, lineEdits(before, after, start, end), udiff.DefaultContextLines)
		if err != nil {
			t.Fatal(err)
		}
		if got := fixDiff("a.md", "b.md", before, after); got != want {
			t.Fatalf("of %q and %q:\n%s\nwant\n%s", before, after, got, want)
		}
	}
}

// TestCost_OfAFixDiffIsBounded is not parallel, because it measures the CPU time of the process.
func TestCost_OfAFixDiffIsBounded(t *testing.T) {
	for name, before := range memoirtest.NastyBodies() {
		for how, after := range map[string]string{
			"one line":     "---\nname: a\n---\n" + before,
			"every letter": strings.ReplaceAll(before, "a", "b"),
			"every line":   strings.ReplaceAll(before, "\n", " \n"),
		} {
			took := memoirtest.CPUTime(t, func() { fixDiff("a.md", "a.md", before, after) })
			if took > time.Second { // it takes half a second; the rest is for slow machines
				t.Errorf("%s, %s: took %v", name, how, took)
			}
		}
	}
}
