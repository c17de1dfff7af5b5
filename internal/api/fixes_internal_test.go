package api

import (
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
)

// TestCost_OfAFixDiffIsBounded is not parallel, because it measures the CPU time of the process.
func TestCost_OfAFixDiffIsBounded(t *testing.T) {
	for name, before := range memoirtest.NastyBodies() {
		for how, after := range map[string]string{
			"one line":     "---\nname: a\n---\n" + before,
			"every letter": strings.ReplaceAll(before, "a", "b"),
			"every line":   strings.ReplaceAll(before, "\n", " \n"),
		} {
			took := memoirtest.CPUTime(t, func() { fixDiff("a.md", "a.md", before, after) })
			if took > 3*time.Second { // it takes a second, most of it to find secrets; the rest is for slow machines
				t.Errorf("%s, %s: took %v", name, how, took)
			}
		}
	}
}
