package markdown_test

import (
	"testing"
	"time"

	"memoir/internal/markdown"
	"memoir/internal/memoirtest"
)

// TestCost_OfAPageIsBounded runs alone: it measures the CPU time of the process.
func TestCost_OfAPageIsBounded(t *testing.T) {
	for name, body := range memoirtest.NastyBodies() {
		took := memoirtest.CPUTime(t, func() {
			if _, err := markdown.Render(body, func(string) (string, bool) { return "/x", true }); err != nil {
				t.Error(err)
			}
		})
		if took > time.Second { // half a second, and as much again for slow machines: no context ends it
			t.Errorf("%s took %v", name, took)
		}
	}
}
