package markdown_test

import (
	"testing"
	"time"

	"memoir/internal/markdown"
	"memoir/internal/memoirtest"
)

// TestCost_OfAPageIsBounded does not run in parallel, because it measures the CPU time of the
// process.
func TestCost_OfAPageIsBounded(t *testing.T) {
	for name, body := range memoirtest.NastyBodies() {
		took := memoirtest.CPUTime(t, func() {
			if _, err := markdown.Render(body, func(string) (string, bool) { return "/x", true }); err != nil {
				t.Error(err)
			}
		})
		if took > time.Second { // 0.5 s, doubled for slow machines
			t.Errorf("%s took %v", name, took)
		}
	}
}
