package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"memoir/internal/records"
)

// State says how a job stands.
type State string

// The states of a job.
const (
	Waiting   State = "waiting" // for its time, for a server, or to be tried again
	Running   State = "running"
	Done      State = "done"
	Failed    State = "failed"    // it was tried as often as may be
	Cancelled State = "cancelled" // trying again is of no use
)

// states are River's words for them.
var states = map[string]State{
	"available": Waiting, "pending": Waiting, "retryable": Waiting, "scheduled": Waiting, "running": Running,
	"completed": Done, "discarded": Failed, "cancelled": Cancelled,
}

// Entry is one job as it stands, for people.
type Entry struct {
	ID         int64
	Kind       string
	State      State
	Key        string
	Attempts   int
	CreatedAt  time.Time
	RunAt      time.Time // when it is, or was, to be begun
	FinishedAt time.Time // zero: it is not
	Outcome              // of all attempts together, as far as they are known
	Problem    string    // why the last attempt failed; empty: it did not
}

// Tokens is what a model was sent, and has said.
type Tokens struct{ Input, Output int64 }

// Cost is what an agent's jobs have cost over some days.
type Cost struct {
	Days int // up to today
	Tokens
	ByDay []records.DayTokens // oldest first, in UTC; days without any are left out
}

// Most is how many jobs a list has.
const Most = 100

// List returns an agent's jobs, Most of them: those that are not finished, then the others, the latest first.
func List(ctx context.Context, store records.Jobs, agentID int64) ([]Entry, error) {
	rows, err := store.Jobs(ctx, agentID, Most)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, len(rows))
	for i, row := range rows {
		var kept output
		if err := json.Unmarshal(row.Output, &kept); err != nil {
			return nil, fmt.Errorf("read what is kept of job %d: %w", row.ID, err)
		}
		entries[i] = Entry{
			ID: row.ID, Kind: row.Kind, State: states[row.State], Key: row.Key, Attempts: row.Attempts, CreatedAt: row.CreatedAt, RunAt: row.RunAt,
			FinishedAt: row.FinishedAt, Problem: kept.Problem,
			Outcome: Outcome{Said: kept.Said, Model: kept.Model, InputTokens: kept.InputTokens, OutputTokens: kept.OutputTokens},
		}
	}
	return entries, nil
}

// CostOf sums up what an agent's jobs have cost in the days for which they are kept.
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
