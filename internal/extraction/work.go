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
	var unseen *unseenError
	if errors.As(err, &unseen) || err == nil && !x.Reads() {
		again, failed := x.leaveToAnother(ctx, task)
		if failed != nil {
			return jobs.Outcome{}, failed
		}
		if !again.IsZero() {
			return jobs.Outcome{Said: "It waits for the server that sees its transcript."}, jobs.Later(again)
		}
	}
	outcome := jobs.Outcome{Said: out.Said, Model: out.Model, InputTokens: out.InputTokens, OutputTokens: out.OutputTokens}
	var invalid *memories.InvalidError
	if errors.Is(err, memories.ErrNotFound) || errors.As(err, &invalid) { // it does not get better
		err = jobs.Permanent(err)
	}
	return outcome, err
}

// How soon a conversation that this server does not see may be taken up again, by whichever server comes first, and for how long after
// it was heard of: then its transcript has gone. The longer it is ago, the rarer.
const (
	soonest   = time.Second
	rarest    = 10 * time.Minute
	leftAfter = 24 * time.Hour
)

// leaveToAnother returns when a conversation is to be taken up again that this server does not see, or does not read; zero: never, since
// there is no other server, or none that has read it for a day.
func (x *Extractor) leaveToAnother(ctx context.Context, task Task) (time.Time, error) {
	alone, err := x.options.Queue.Alone(ctx)
	if err != nil || alone {
		return time.Time{}, err
	}
	c, err := x.store.Conversation(ctx, task.AgentID, task.Session)
	ago := time.Since(c.HeardAt)
	if err != nil || ago > leftAfter {
		return time.Time{}, err
	}
	return time.Now().Add(min(max(ago/8, soonest), rarest)), nil
}

// waiting is how often it is looked whether a job has ended.
const waiting = 200 * time.Millisecond

// Wait returns how the reading went that was asked for: when it is done, or has failed for the first time; then it is tried again as
// long as the job says that it waits. ended is false where it has done neither in that time.
func (x *Extractor) Wait(ctx context.Context, d Deferred, most time.Duration) (job jobs.Entry, ended bool, err error) {
	over := time.NewTimer(most)
	defer over.Stop()
	for {
		all, err := jobs.List(ctx, x.store, d.AgentID)
		if err != nil {
			return jobs.Entry{}, false, err
		}
		i := slices.IndexFunc(all, func(e jobs.Entry) bool { return e.Kind == JobKind && e.Key == d.Key })
		switch {
		case i < 0:
			return jobs.Entry{}, false, memories.ErrNotFound // with its agent
		case all[i].State == jobs.Running, all[i].State == jobs.Waiting && all[i].Problem == "":
		default:
			return all[i], true, nil
		}
		select {
		case <-ctx.Done():
			return jobs.Entry{}, false, ctx.Err()
		case <-over.C:
			return all[i], false, nil
		case <-time.After(waiting):
		}
	}
}
