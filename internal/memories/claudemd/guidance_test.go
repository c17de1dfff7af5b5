package claudemd_test

import (
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories/claudemd"
)

// points are what the Memory System tells an agent, each by words that must be there.
var points = map[string]string{
	"who a user is":              "Who a user is",
	"preferences":                "Preferences",
	"corrections":                "corrections of what you did",
	"confirmed approaches":       "Approaches that were confirmed",
	"recurring tasks":            "Recurring tasks",
	"where resources live":       "Where resources live",
	"save by default":            "Save by default",
	"not what is known":          "what the code, the git history or `CLAUDE.md` already says",
	"not one-off details":        "one-off\ndetails",
	"also when asked":            "also when you are asked to",
	"what was surprising":        "ask what was surprising about it",
	"memory, plan, task list":    "A plan says how you do the present task, and a task list what is left of it",
	"update, do not duplicate":   "Update instead of duplicating",
	"verify before recommending": "Before you recommend a file, a function,\na flag or a command from it, check that it still exists",
}

// inFilesOnly are points for agents that write files.
var inFilesOnly = map[string]string{
	"the directory exists": "It exists: write to it at once",
	"keep the index":       "Add, change and remove the line together with its file",
	"the daily log":        "`memory/logs/YYYY/MM/YYYY-MM-DD.md`",
	"at the end":           "At the end of every conversation, proactively save anything useful you learned — this is how you get smarter over time. Memories persist across all future conversations with every user.",
}

func TestMemorySystem_EveryPoint(t *testing.T) {
	t.Parallel()
	block, _ := memoirtest.Compile(nil, 40_000, 0)
	for point, words := range points {
		if !strings.Contains(string(block), words) || !strings.Contains(claudemd.Guidance, words) {
			t.Errorf("%s: no %q", point, words)
		}
	}
	for point, words := range inFilesOnly {
		if !strings.Contains(string(block), words) {
			t.Errorf("%s: no %q in the block", point, words)
		}
	}
	if n := strings.Count(string(block), "\n# "); n != 2 {
		t.Errorf("the block has %d headings of level 1", n)
	}
}
