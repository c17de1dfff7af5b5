package consolidation_test

import (
	"errors"
	"os"
	"testing"

	"memoir/internal/consolidation"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestMakePlan_MemoryOff(t *testing.T) {
	t.Parallel()
	b := setup(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")}, consolidation.Options{})
	plan := b.plan("ada")
	if _, err := b.Engine.SwitchMemory(t.Context(), "ada", true); err != nil {
		t.Fatal(err)
	}
	var conflict *memories.ConflictError
	if _, err := b.MakePlan(t.Context(), "ada", memories.ByBrowser); !errors.As(err, &conflict) {
		t.Errorf("a plan: %v", err)
	}
	if _, err := b.Request(t.Context(), "ada", memories.ByBrowser, 0); !errors.As(err, &conflict) {
		t.Errorf("a plan in the background: %v", err)
	}
	if _, err := b.Apply(t.Context(), "ada", []string{plan.ID.String()}, memories.ByBrowser); !errors.As(err, &conflict) {
		t.Errorf("steps of an earlier plan: %v", err)
	}
	if _, err := b.Engine.SwitchMemory(t.Context(), "ada", false); err != nil {
		t.Fatal(err)
	}
	b.plan("ada")
}

// TestMakePlan_MemoryOffInClaude shows that nothing is consolidated, and no lock file written,
// while Claude Code's settings switch the memory off.
func TestMakePlan_MemoryOffInClaude(t *testing.T) {
	t.Parallel()
	const dir = "projects/-work/memory"
	b := &bench{Memoir: memoirtest.StartClaude(t, memoirtest.Files{dir + "/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")})}
	b.consolidate(consolidation.Options{Mode: consolidation.Auto})
	plan := b.plan("-work")
	b.Write("settings.json", `{"autoMemoryEnabled": false}`)
	b.Remove(dir + "/.consolidate-lock")
	var conflict *memories.ConflictError
	if _, err := b.MakePlan(t.Context(), "-work", memories.ByBrowser); !errors.As(err, &conflict) {
		t.Errorf("a plan: %v", err)
	}
	if _, err := b.Request(t.Context(), "-work", memories.ByBrowser, 0); !errors.As(err, &conflict) {
		t.Errorf("a plan in the background: %v", err)
	}
	if _, err := b.Apply(t.Context(), "-work", []string{plan.ID.String()}, memories.ByBrowser); !errors.As(err, &conflict) {
		t.Errorf("steps of an earlier plan: %v", err)
	}
	entries, err := os.ReadDir(b.Path(dir))
	if err != nil || len(entries) != 1 {
		t.Errorf("there are %v, %v", entries, err)
	}
	b.Remove("settings.json")
	b.plan("-work")
}
