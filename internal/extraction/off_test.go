package extraction_test

import (
	"errors"
	"strings"
	"testing"

	"memoir/internal/extraction"
	"memoir/internal/memories"
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
	if err != nil || !strings.Contains(out.Message, "switched off") || len(b.model.Requests()) > 0 {
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
