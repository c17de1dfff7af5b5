package extraction

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"memoir/internal/jobs"
	"memoir/internal/memories"
)

// work is the work of the job that reads a conversation. If this server cannot see the transcript
// or reads no conversations, or the day's tokens are used, it returns jobs.Later, so that another server tries, unless retryTime
// is zero. For a missing conversation and a wrong transcript it returns jobs.Permanent. The result
// has the used tokens, also with an error.
func (x *Extractor) work(ctx context.Context, job jobs.Job, task Task) (jobs.Result, error) {
	isAsked := strings.HasSuffix(job.Key, requestedSuffix)
	if !isAsked {
		used, err := x.TokensToday(ctx)
		if err != nil {
			return jobs.Result{}, err
		}
		if limit := x.options.DailyTokens; limit > 0 && used >= limit {
			return jobs.Result{Message: fmt.Sprintf("It waits until tomorrow (UTC): %d of today's %d tokens are used (--extract-daily-tokens).", used, limit)}, jobs.Later(jobs.StartOfDay(time.Now()).AddDate(0, 0, 1))
		}
	}
	out, err := x.run(ctx, task, isAsked)
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

// TokensToday returns how many tokens of the model reading has used since the start of the day (UTC).
func (x *Extractor) TokensToday(ctx context.Context) (int64, error) {
	return x.store.TokensOfKind(ctx, JobKind, jobs.StartOfDay(time.Now()))
}

// DailyTokens returns Options.DailyTokens.
func (x *Extractor) DailyTokens() int64 { return x.options.DailyTokens }

// retryTime returns when another server should try the conversation. It is after an eighth of the
// time since the last activity, but at least minRetry and at most maxRetry. It is the zero time if
// no other server runs jobs or the last activity is longer ago than retryFor.
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

// Wait waits until the job of a requested reading has finished, or its first attempt has failed,
// and returns it with done true. A failure is no error; it is in job.Problem, and the job may
// still be retried. After the timeout Wait returns the unfinished job with done false. It returns
// memories.ErrNotFound if the job does not exist, and ctx.Err() if ctx ends.
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
