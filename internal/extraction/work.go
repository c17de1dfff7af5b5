package extraction

import (
	"context"
	"errors"
	"slices"
	"time"

	"memoir/internal/jobs"
	"memoir/internal/memories"
)

// work is what the queue calls.
func (x *Extractor) work(ctx context.Context, _ jobs.Job, task Task) (jobs.Outcome, error) {
	out, err := x.Run(ctx, task)
	outcome := jobs.Outcome{Said: out.Said, Model: out.Model, InputTokens: out.InputTokens, OutputTokens: out.OutputTokens}
	var invalid *memories.InvalidError
	if errors.Is(err, memories.ErrNotFound) || errors.As(err, &invalid) { // it does not get better
		err = jobs.Permanent(err)
	}
	return outcome, err
}

// waiting is how often it is looked whether a job has ended.
const waiting = 200 * time.Millisecond

// Wait returns how the reading went that was asked for: when it is done, or has failed for the first time; then it is tried again as
// long as the job says that it waits.
func (x *Extractor) Wait(ctx context.Context, d Deferred) (jobs.Entry, error) {
	for {
		all, err := jobs.List(ctx, x.store, d.AgentID)
		if err != nil {
			return jobs.Entry{}, err
		}
		i := slices.IndexFunc(all, func(e jobs.Entry) bool { return e.Kind == JobKind && e.Key == d.Key })
		switch {
		case i < 0:
			return jobs.Entry{}, memories.ErrNotFound // with its agent
		case all[i].State == jobs.Running, all[i].State == jobs.Waiting && all[i].Problem == "":
		default:
			return all[i], nil
		}
		select {
		case <-ctx.Done():
			return jobs.Entry{}, ctx.Err()
		case <-time.After(waiting):
		}
	}
}
