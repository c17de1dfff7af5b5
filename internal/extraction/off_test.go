package extraction_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memoir/internal/extraction"
	"memoir/internal/memories"
	"memoir/internal/waittest"
)

func TestRun_MemoryOff(t *testing.T) {
	// If the agent's memory is turned off, a queued conversation is not read, and none is queued
	// later.
	t.Parallel()
	b := setup(t, extraction.Auto, found(rule("Use tabs", "always use tabs")))
	b.says("s1", said("1", "user", "Please always use tabs."))
	ask := extraction.Request{Agent: "ada", Path: b.transcript("s1")}
	deferred, err := b.extractor.Ask(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Engine.SwitchMemory(t.Context(), "ada", true); err != nil {
		t.Fatal(err)
	}
	out, err := b.extractor.Run(t.Context(), deferred.Task)
	if err != nil || !strings.Contains(out.Message, "memory is off") || len(b.model.Requests()) > 0 {
		t.Errorf("it was read: %+v, %v", out, err)
	}
	if err := b.extractor.ScheduleRead(t.Context(), "ada", b.transcript("s1")); err != nil {
		t.Error(err)
	}
	var conflict *memories.ConflictError
	if _, err := b.extractor.Ask(t.Context(), ask); !errors.As(err, &conflict) {
		t.Errorf("asked while it is off: %v", err)
	}
	if _, err := b.Engine.SwitchMemory(t.Context(), "ada", false); err != nil {
		t.Fatal(err)
	}
	if out := b.run("s1"); len(out.Proposals) != 1 {
		t.Errorf("switched on again: %+v", out)
	}
}

// TestRun_MemoryOffInClaude shows that no conversation reaches the model while Claude Code's
// settings switch the memory off, also one that was queued before.
func TestRun_MemoryOffInClaude(t *testing.T) {
	t.Parallel()
	b := setup(t, extraction.Auto, found(rule("Use tabs", "always use tabs")))
	const slug = "-work"
	if err := os.Mkdir(filepath.Join(filepath.Dir(b.transcript("s1")), "memory"), 0o755); err != nil {
		t.Fatal(err)
	}
	waittest.For(b, "the project's agent", func() bool { _, err := b.Store.Agent(t.Context(), slug); return err == nil })
	b.says("s1", said("1", "user", "Please always use tabs."))
	ask := extraction.Request{Agent: slug, Path: b.transcript("s1")}
	deferred, err := b.extractor.Ask(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(b.claude, "settings.json")
	if err := os.WriteFile(settings, []byte(`{"autoMemoryEnabled": false}`), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := b.extractor.Run(t.Context(), deferred.Task)
	if err != nil || !strings.Contains(out.Message, "Claude Code's memory is off") || len(b.model.Requests()) > 0 {
		t.Errorf("it was read: %+v, %v", out, err)
	}
	if err := b.extractor.ScheduleRead(t.Context(), slug, b.transcript("s1")); err != nil {
		t.Error(err)
	}
	for _, request := range []extraction.Request{ask, {Agent: slug, Transcript: said("1", "user", "Please always use tabs.")}} {
		var conflict *memories.ConflictError
		if _, err := b.extractor.Ask(t.Context(), request); !errors.As(err, &conflict) {
			t.Errorf("asked while it is off: %v", err)
		}
	}
	if out := b.run("s1"); len(out.Proposals) != 1 {
		t.Errorf("an agent without Claude Code: %+v", out)
	}
	if err := os.Remove(settings); err != nil {
		t.Fatal(err)
	}
	if out, err := b.extractor.Run(t.Context(), deferred.Task); err != nil || len(out.Proposals) != 1 {
		t.Errorf("switched on again: %+v, %v", out, err)
	}
}
