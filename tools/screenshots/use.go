package main

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// reviewer is the agent of most pictures.
const reviewer = "code-reviewer"

// use does with the examples what people and agents do, so that there is something in the history, the activity, the
// trash and under what needs attention.
func (s *server) use(ctx context.Context) error {
	blocked := filepath.Join(s.agents, reviewer, "memory", "feedback_blocking_vs_nit.md")
	deletedText, err := os.ReadFile(blocked)
	if err != nil {
		return err
	}
	diffs := filepath.Join(s.agents, reviewer, "memory", "small-diffs.md")
	text, err := os.ReadFile(diffs)
	if err != nil {
		return err
	}
	steps := []func() error{
		// The agent writes down what it has learned anew.
		func() error {
			newer := strings.NewReplacer("Past 400 changed lines", "Past 300 changed lines", "four out of five", "nine out of ten").Replace(string(text))
			return os.WriteFile(diffs, []byte(newer), 0o644)
		},
		func() error { return s.call(ctx, http.MethodPost, "/api/v1/agents/"+reviewer+"/scan", nil, nil) },
		func() error { return s.onMemory(ctx, http.MethodPost, "Error codes", "/verify", nil) },
		func() error {
			return s.onMemory(ctx, http.MethodPatch, "Migration freeze", "", map[string]string{"description": "No schema migrations before the winter timetable is live"})
		},
		func() error { return s.onMemory(ctx, http.MethodDelete, "Blocking or nit", "", nil) },
		// An old session brings back what was deleted.
		func() error { return os.WriteFile(blocked, deletedText, 0o644) },
		func() error { return s.call(ctx, http.MethodPost, "/api/v1/scan", nil, nil) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// onMemory makes a call about a memory of the reviewer.
func (s *server) onMemory(ctx context.Context, method, name, below string, body any) error {
	path, err := s.memory(ctx, reviewer, name)
	if err != nil {
		return err
	}
	return s.call(ctx, method, path+below, body, nil)
}
