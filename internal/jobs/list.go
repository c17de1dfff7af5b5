package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"memoir/internal/records"
)

// State is the state of a job.
type State string

// The states of a job.
const (
	Waiting   State = "waiting" // for its start, for a server, or for a retry
	Running   State = "running"
	Done      State = "done"
	Failed    State = "failed"    // after the maximum number of attempts
	Cancelled State = "cancelled" // a retry cannot help
)

// states maps River's states.
var states = map[string]State{
	"available": Waiting, "pending": Waiting, "retryable": Waiting, "scheduled": Waiting, "running": Running,
	"completed": Done, "discarded": Failed, "cancelled": Cancelled,
}

// Entry is one job and its state, for users.
type Entry struct {
	ID         int64
	Kind       string
	State      State
	Key        string
	Attempts   int
	CreatedAt  time.Time
	RunAt      time.Time // planned or actual start
	FinishedAt time.Time // zero if it is not finished
	Result               // of all attempts together
	Problem    string    // error of the last attempt; empty if it succeeded
}

// Tokens are the tokens sent to models and received from them.
type Tokens struct{ Input, Output int64 }

// Cost is the number of tokens that an agent's jobs used.
type Cost struct {
	Days int // up to today
	Tokens
	ByDay []records.DayTokens // by day in UTC, oldest first, without empty days
}

// MaxListed is the maximum number of jobs in a list (arbitrary).
const MaxListed = 100

// List returns an agent's jobs of all kinds, at most MaxListed: unfinished ones first, then the
// newest. Finished jobs are deleted after Kept. An agent without jobs, or an unknown one, gives an
// empty list and no error.
func List(ctx context.Context, store records.Jobs, agentID int64) ([]Entry, error) {
	rows, err := store.Jobs(ctx, agentID, MaxListed)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, len(rows))
	for i, row := range rows {
		var stored output
		if err := json.Unmarshal(row.Output, &stored); err != nil {
			return nil, fmt.Errorf("read output of job %d: %w", row.ID, err)
		}
		entries[i] = Entry{
			ID: row.ID, Kind: row.Kind, State: states[row.State], Key: row.Key, Attempts: row.Attempts, CreatedAt: row.CreatedAt, RunAt: row.RunAt,
			FinishedAt: row.FinishedAt, Problem: stored.Problem,
			Result: Result{Message: stored.Said, Model: stored.Model, InputTokens: stored.InputTokens, OutputTokens: stored.OutputTokens},
		}
	}
	return entries, nil
}

// CostOf returns the number of tokens that the agent's jobs used in the 30 days before now, in all
// and by day. Failed jobs count. Without jobs the numbers are 0 and ByDay is empty.
func CostOf(ctx context.Context, store records.Jobs, agentID int64, now time.Time) (Cost, error) {
	days, err := store.JobTokens(ctx, agentID, now.Add(-Kept))
	if err != nil {
		return Cost{}, err
	}
	cost := Cost{Days: int(Kept / (24 * time.Hour)), ByDay: days}
	for _, d := range days {
		cost.Input += d.Input
		cost.Output += d.Output
	}
	return cost, nil
}
