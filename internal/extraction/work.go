package extraction

import (
	"context"
	"errors"
	"slices"
	"time"

	"memoir/internal/jobs"
	"memoir/internal/memories"
)

// work is the job that reads a conversation. If this server cannot see the transcript or reads
// none, the job waits for another server, unless there is none or the conversation is old. A
// missing conversation and a wrong transcript fail it without a retry.
func (x *Extractor) work(ctx context.Context, _ jobs.Job, task Task) (jobs.Result, error) {
	out, err := x.Run(ctx, task)
	var unseen *unseenError
	if errors.As(err, &unseen) || err == nil && !x.Reads() {
		retryAt, failed := x.retryTime(ctx, task)
		if failed != nil {
			return jobs.Result{}, failed
		}
		if !retryAt.IsZero() {
			return jobs.Result{Message: "It waits for the server that sees its transcript."}, jobs.Later(retryAt)
		}
	}
	result := jobs.Result{Message: out.Message, Model: out.Model, InputTokens: out.InputTokens, OutputTokens: out.OutputTokens}
	var invalid *memories.InvalidError
	if errors.Is(err, memories.ErrNotFound) || errors.As(err, &invalid) { // a retry cannot help
		err = jobs.Permanent(err)
	}
	return result, err
}

// The delays before another server may read a conversation that this server cannot see, and the age
// after which no server tries again (arbitrary). The delay grows with the age.
const (
	minRetry = time.Second
	maxRetry = 10 * time.Minute
	retryFor = 24 * time.Hour
)

// retryTime returns when another server should try the conversation: after an eighth of its age. It
// is zero if no other server runs jobs or the conversation is older than retryFor.
func (x *Extractor) retryTime(ctx context.Context, task Task) (time.Time, error) {
	alone, err := x.options.Queue.Alone(ctx)
	if err != nil || alone {
		return time.Time{}, err
	}
	c, err := x.store.Conversation(ctx, task.AgentID, task.Session)
	ago := time.Since(c.LastActivityAt)
	if err != nil || ago > retryFor {
		return time.Time{}, err
	}
	return time.Now().Add(min(max(ago/8, minRetry), maxRetry)), nil
}

// pollInterval is the interval of the checks for the end of a job (arbitrary).
const pollInterval = 200 * time.Millisecond

// Wait waits until the job of a requested reading has finished or failed once, and returns it with
// done true. A failed job may still wait for a retry. After the timeout it returns the unfinished
// job with done false. It returns memories.ErrNotFound if the job was deleted with its agent.
func (x *Extractor) Wait(ctx context.Context, d Deferred, timeout time.Duration) (job jobs.Entry, done bool, err error) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	for {
		all, err := jobs.List(ctx, x.store, d.AgentID)
		if err != nil {
			return jobs.Entry{}, false, err
		}
		i := slices.IndexFunc(all, func(e jobs.Entry) bool { return e.Kind == JobKind && e.Key == d.Key })
		switch {
		case i < 0:
			return jobs.Entry{}, false, memories.ErrNotFound
		case all[i].State == jobs.Running, all[i].State == jobs.Waiting && all[i].Problem == "":
		default:
			return all[i], true, nil
		}
		select {
		case <-ctx.Done():
			return jobs.Entry{}, false, ctx.Err()
		case <-timer.C:
			return all[i], false, nil
		case <-time.After(pollInterval):
		}
	}
}
