package main

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// reviewer is the agent in most pictures.
const reviewer = "code-reviewer"

// onCall is the agent with a log and a near duplicate.
const onCall = "on-call"

// entries are the log entries of onCall.
var entries = []map[string]string{
	{"text": "Took over from the night: nothing open, storm warning for the northern line from 15:00."},
	{"text": "Printer at pier 4 restarted from afar; the first ticket came out clean."},
	{"text": "Sales 12 % below last week for 20 minutes, within bounds: wrote to the channel, paged nobody."},
	{"text": "Queue lag at 14 s for ten minutes after worker a was restarted. Worker b was left alone until it had fallen below 5 s.\n\nNo ticket was sent twice.", "title": "Queue lag at noon"},
}

// again is a near duplicate of a memory of onCall.
var again = map[string]string{
	"name": "Queue workers one at a time", "type": "feedback",
	"description": "Restart ticket queue workers one by one, and wait for the lag to fall in between",
	"body": "Never restart both ticket queue workers at once.\n\n**Why:** On 2026-09-08 both were restarted together, 340 tickets were sent twice, and a coach party of 52 came aboard on 26 paid seats.\n\n" +
		"**How to apply:**\n\n```sh\npierctl restart ticket-worker-a --wait-for-lag 5s\npierctl restart ticket-worker-b --wait-for-lag 5s   # only when the first has answered \"ready\"\n```",
}

// use changes memories and files over the API and on disk, as users and agents do, so that the
// history, activity, trash and attention pages have content.
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
		// The agent updates a memory.
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
		// An old session restores a deleted file.
		func() error { return os.WriteFile(blocked, deletedText, 0o644) },
		func() error { return s.call(ctx, http.MethodPost, "/api/v1/scan", nil, nil) },
		func() error { return s.call(ctx, http.MethodPost, "/api/v1/agents/"+onCall+"/memories", again, nil) },
		func() error {
			return s.call(ctx, http.MethodPost, "/api/v1/agents/"+onCall+"/consolidation?wait=60", nil, nil)
		},
	}
	for _, entry := range entries {
		steps = append(steps, func() error { return s.call(ctx, http.MethodPost, "/api/v1/agents/"+onCall+"/logs", entry, nil) })
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return s.waitForReview(ctx)
}

// waitForReview waits until the review has items, and their number stays the same for some seconds.
func (s *server) waitForReview(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	const settled = 5 // equal answers in a row, a second apart (arbitrary)
	for before, equal := 0, 0; equal < settled; {
		var queue struct{ Total int }
		if err := s.call(limited, http.MethodGet, "/api/v1/review?limit=1", nil, &queue); err != nil {
			return err
		}
		if equal++; queue.Total == 0 || queue.Total != before {
			before, equal = queue.Total, 0
		}
		select {
		case <-limited.Done():
			return limited.Err()
		case <-time.After(time.Second):
		}
	}
	return nil
}

// onMemory sends a request about the memory of reviewer with this name, with body as JSON. Its path
// is the memory's path in the API, followed by below. It returns an error if there is no such
// memory or the status is from 400.
func (s *server) onMemory(ctx context.Context, method, name, below string, body any) error {
	path, err := s.memory(ctx, reviewer, name)
	if err != nil {
		return err
	}
	return s.call(ctx, method, path+below, body, nil)
}
