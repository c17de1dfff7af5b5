package api_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"memoir/internal/jobs"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/model"
	"memoir/internal/waittest"
)

func TestListJobs_Tokens(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")})
	const path = "/api/v1/agents/ada/jobs"
	if empty := s.ok(200, "GET", path, nil); len(empty.list("jobs")) != 0 || tokens(empty)["input_tokens"] != 0.0 {
		t.Errorf("before there was any: %v", empty)
	} else if empty["model"] != nil || empty["hint"] != model.SwitchOn {
		t.Errorf("without a model: %v", empty)
	}
	queue, err := jobs.New(s.Store, jobs.Options{Poll: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	kind := jobs.Register(queue, "extract", func(_ context.Context, job jobs.Job, fails bool) (jobs.Result, error) {
		outcome := jobs.Result{Message: "1 memory proposed.", Model: "claude-sonnet-5", InputTokens: 900, OutputTokens: 30}
		if fails {
			return outcome, jobs.Permanent(errors.New("there is no such transcript"))
		}
		return outcome, nil
	})
	agent, err := s.Store.Agent(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	add := func(fails bool, once jobs.Once) {
		t.Helper()
		if err := kind.Enqueue(t.Context(), agent, fails, once); err != nil {
			t.Fatal(err)
		}
	}
	add(true, jobs.Once{Key: "bad"})
	add(false, jobs.Once{Key: "good"})
	add(false, jobs.Once{RunAt: time.Now().Add(time.Hour)})
	queue.Start(t.Context(), s.Engine.Ready)
	t.Cleanup(queue.Close)
	var page object
	var states map[any]object
	waittest.For(s, "the work to be done", func() bool {
		page, states = s.ok(200, "GET", path, nil), map[any]object{}
		for _, job := range page.list("jobs") {
			states[job["state"]] = job
		}
		return states["done"] != nil && states["cancelled"] != nil
	})
	if tokens(page)["input_tokens"] != 1800.0 {
		t.Errorf("it cost %v", tokens(page))
	}
	if first := page.list("jobs")[0]; first["state"] != "waiting" || first["key"] != nil || first["finished_at"] != nil || first["attempts"] != 0.0 || first["said"] != nil {
		t.Errorf("first comes %v", first)
	}
	if done := states["done"]; done["key"] != "good" || done["said"] != "1 memory proposed." || done["problem"] != nil || done["model"] != "claude-sonnet-5" ||
		done["input_tokens"] != 900.0 || done["output_tokens"] != 30.0 || done["finished_at"] == nil || done["kind"] != "extract" || done["attempts"] != 1.0 {
		t.Errorf("done is %v", done)
	}
	if ended := states["cancelled"]; ended["key"] != "bad" || ended["problem"] != "there is no such transcript" {
		t.Errorf("cancelled is %v", ended)
	}
	if days := tokens(page).list("days"); len(days) != 1 || days[0]["output_tokens"] != 60.0 {
		t.Errorf("by day it cost %v", days)
	}
	s.problem(s.call("GET", "/api/v1/agents/nobody/jobs", nil), 404)
}

// tokens returns the tokens field of a list of jobs.
func tokens(page object) object { return page["tokens"].(map[string]any) }
