package claudemd_test

import (
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/memories/memorymd"
)

// budget is how much CPU time one use of a file may cost: 1 s, and 1 s more for slow machines.
const budget = 2 * time.Second

// TestCost_OfAFileIsBounded does not run in parallel, because it measures the CPU time of the
// process.
func TestCost_OfAFileIsBounded(t *testing.T) {
	content := memories.Content{Name: "other", Type: memories.Project, Description: "d", Body: "B"}
	for name, text := range memoirtest.NastyFiles() {
		raw := []byte(text)
		for what, use := range map[string]func(){
			"Parse":   func() { frontmatter.Parse(raw, "stem") },
			"Fixes":   func() { frontmatter.Fixes(raw, "memory/stem.md") },
			"Rewrite": func() { frontmatter.Rewrite(raw, content, time.Now()) },
			"Touch":   func() { frontmatter.Touch(raw, time.Now()) },
			"Compile": func() {
				memoirtest.Compile([]memoirtest.Section{{Name: "a", Type: memories.User, Body: text}}, 40_000, 0)
			},
			"Compile without limit": func() {
				memoirtest.Compile([]memoirtest.Section{{Name: "a", Type: memories.User, Body: text}}, 0, 0)
			},
			"InFull of what is parsed": func() { // longer bodies are not parsed
				claudemd.FullSection(claudemd.Summary{Name: "a", Type: memories.User}, text[:min(len(text), 128<<10)])
			},
			"ReadIndex":    func() { memorymd.Read(raw) },
			"ReadDocument": func() { _, _ = claudemd.ReadDocument(raw) },
		} {
			if took := memoirtest.CPUTime(t, use); took > budget {
				t.Errorf("%s of %s took %v", what, name, took)
			}
		}
	}
}
