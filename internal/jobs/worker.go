package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"memoir/internal/memories"
)

// worker runs the jobs of one kind.
type worker struct {
	river.WorkerDefaults[envelope]
	queue *Queue
	work  func(context.Context, Job, json.RawMessage) (Result, error)
}

// output is the stored result of a job: the message or problem of its last attempt, and the tokens
// of all attempts.
type output struct {
	Said         string `json:"said,omitempty"`
	Problem      string `json:"problem,omitempty"`
	Model        string `json:"model,omitempty"`
	InputTokens  int    `json:"input_tokens,omitempty"`
	OutputTokens int    `json:"output_tokens,omitempty"`
	// Misconfigured means that the job waits for a change of a setting. Each start of a server
	// retries it.
	Misconfigured bool `json:"misconfigured,omitempty"`
}

// misconfiguredRetry is the delay before a misconfigured job is retried without a restart
// (arbitrary).
const misconfiguredRetry = time.Hour

// Permanent returns an error with which work ends its job without a retry. The job's state is then
// Cancelled, and its problem the text of err.
func Permanent(err error) error { return &permanent{err} }

type permanent struct{ error }

func (p *permanent) Unwrap() error { return p.error }

// Later returns an error with which work makes its job run again at the given time, on any server.
// The attempt does not count, and the job has no problem.
func Later(at time.Time) error { return &later{at} }

type later struct{ at time.Time }

func (l *later) Error() string { return "it waits until " + l.at.Format(time.RFC3339) }

// Work runs a job and stores its result; River calls it. It calls Options.Changed before and
// after. If the job was postponed during its last run and the time has not come, it does not run
// it. It then returns an error with which River runs it at that time.
func (w *worker) Work(ctx context.Context, r *river.Job[envelope]) error {
	defer w.queue.track(r.ID)()
	if again := metadataOf(r).Again; again != 0 {
		// This run was requested by a postponement during the last one. A later postponement has
		// priority.
		at := time.UnixMicro(again)
		if err := w.queue.store.CancelRerun(ctx, r.ID, at); err != nil {
			return w.record(ctx, r, Result{}, err)
		}
		if until := time.Until(at); until > 0 {
			return river.JobSnooze(until)
		}
	}
	w.queue.options.Changed(r.Args.Slug)
	defer w.queue.options.Changed(r.Args.Slug)
	result, err := w.attempt(ctx, r)
	return w.record(ctx, r, result, err)
}

// attempt does the work of a job and returns its result. It stores nothing. After a panic of the
// work, which it logs, it returns an error.
func (w *worker) attempt(ctx context.Context, r *river.Job[envelope]) (_ Result, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			w.queue.options.Log.Error("background job panicked", "kind", r.Kind, "agent", r.Args.Slug, "cause", cause, "stack", string(debug.Stack()))
			err = errors.New("it failed unexpectedly; see the log")
		}
	}()
	return w.work(ctx, Job{ID: r.ID, AgentID: r.Args.Agent, Slug: r.Args.Slug, Key: r.Args.Key, Attempt: r.Attempt}, r.Args.Work)
}

// record stores the result of an attempt, and ends the job after success or if no retry can help.
// It returns the next step for River. nil means success, err means a retry after a delay, and an
// error of River means to run the job later or to stop. A misconfigured job runs again after
// misconfiguredRetry.
func (w *worker) record(ctx context.Context, r *river.Job[envelope], result Result, err error) error {
	stored := resultOf(ctx, r, result, err)
	if err := river.RecordOutput(ctx, stored); err != nil {
		return err
	}
	var (
		wait         *later
		permanentErr *permanent
		retryable    interface{ Again() (bool, time.Duration) }
	)
	if stored.Misconfigured && ctx.Err() == nil {
		return river.JobSnooze(misconfiguredRetry)
	}
	switch {
	case err == nil:
		return w.finish(ctx, r, func(ctx context.Context, tx pgx.Tx) error {
			_, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, r)
			return err
		})
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err() // River recognises the end of the server by this error
	case errors.As(err, &wait):
		return river.JobSnooze(max(time.Until(wait.at), 0))
	case errors.Is(err, memories.ErrUnavailable):
		// The database failed, not the job.
		return river.JobSnooze(w.queue.options.FirstRetry)
	case errors.As(err, &permanentErr):
		return w.fail(ctx, r, rivertype.JobStateCancelled, stored, err)
	case errors.As(err, &retryable):
		worthwhile, after := retryable.Again()
		if !worthwhile {
			return w.fail(ctx, r, rivertype.JobStateCancelled, stored, err)
		}
		w.queue.setRetryDelay(r.ID, after)
	}
	if r.Attempt >= r.MaxAttempts {
		w.queue.takeRetryDelay(r.ID)
		return w.fail(ctx, r, rivertype.JobStateDiscarded, stored, err)
	}
	return err
}

// metadata is Memoir's data in River's metadata of a job.
type metadata struct {
	Again  int64  `json:"again"` // when to run again, in microseconds since 1970; 0 if not
	Output output `json:"output"`
}

func metadataOf(r *river.Job[envelope]) (m metadata) {
	_ = json.Unmarshal(r.Metadata, &m) // written by Memoir and River
	return m
}

// resultOf returns the job's stored result, updated by an attempt. It adds the tokens, and
// replaces the message, the problem and, if result has one, the model. It stores nothing.
func resultOf(ctx context.Context, r *river.Job[envelope], result Result, err error) output {
	stored := metadataOf(r).Output
	stored.Said, stored.Problem = result.Message, problem(ctx, err)
	var configured interface{ Misconfigured() bool }
	stored.Misconfigured = errors.As(err, &configured) && configured.Misconfigured()
	stored.InputTokens += result.InputTokens
	stored.OutputTokens += result.OutputTokens
	if result.Model != "" {
		stored.Model = result.Model
	}
	return stored
}

// fail ends the job in the given state without a retry, and stores the result. It returns an error
// with cause that stops River. If finish returns an error, because the job was postponed or the
// database failed, it returns that.
func (w *worker) fail(ctx context.Context, r *river.Job[envelope], state rivertype.JobState, stored output, cause error) error {
	raw, err := json.Marshal(stored)
	if err != nil {
		return err
	}
	err = w.finish(ctx, r, func(ctx context.Context, tx pgx.Tx) error {
		return w.queue.store.EndJob(ctx, tx, r.ID, string(state), raw)
	})
	if err != nil {
		return err
	}
	return river.JobCancel(cause) // the job has ended already
}

// finish calls end, which ends the job, in a transaction. If the job was postponed during its run,
// it does not call end, and returns an error with which River runs the job again. If the job or
// its agent was deleted, or another server runs the job now, it returns nil. While Postgres is
// unavailable, it tries again until ctx ends.
func (w *worker) finish(ctx context.Context, r *river.Job[envelope], end func(context.Context, pgx.Tx) error) error {
	finishCtx := context.WithoutCancel(ctx) // the work is done, even if its time is over
	for {
		again, err := w.queue.store.FinishJob(finishCtx, r.ID, r.Attempt, w.queue.id, func(tx pgx.Tx) error { return end(finishCtx, tx) })
		switch {
		case errors.Is(err, memories.ErrNotFound): // the agent was forgotten
			return nil
		case err == nil && !again.IsZero():
			return river.JobSnooze(max(time.Until(again), 0))
		case err == nil || !errors.Is(err, memories.ErrUnavailable):
			return err
		}
		if !pause(ctx, restart) {
			return ctx.Err()
		}
	}
}

// maxProblem is the maximum length of a stored problem, in characters (arbitrary).
const maxProblem = 500

// problem returns the reason of a failure for users, one line of at most maxProblem characters. It
// is "" if err is nil or of Later, and if the server stops. If err has a method Plain, it returns
// that, because the error's own text may be long or confidential.
func problem(ctx context.Context, err error) string {
	var (
		plainErr interface{ Plain() string }
		wait     *later
	)
	switch {
	case err == nil, errors.As(err, &wait):
		return ""
	case errors.Is(ctx.Err(), context.Canceled):
		return "" // the server stops; another one repeats the job
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return "it took too long"
	case errors.Is(err, memories.ErrUnavailable):
		return "the database was unavailable"
	case errors.As(err, &plainErr):
		return plainErr.Plain()
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	characters := []rune(strings.ToValidUTF8(strings.ReplaceAll(line, "\x00", ""), "�"))
	if len(characters) > maxProblem {
		return string(characters[:maxProblem]) + "…"
	}
	return string(characters)
}

// NextRetry returns the time of the next attempt of a failed job; River calls it. The delay doubles
// with each attempt up to maxRetry, and is at least the one that the job's error stated.
func (w *worker) NextRetry(r *river.Job[envelope]) time.Time {
	wait := maxRetry
	if doublings := r.Attempt - 1; doublings < 30 {
		wait = min(w.queue.options.FirstRetry<<max(doublings, 0), maxRetry)
	}
	return time.Now().Add(max(wait, w.queue.takeRetryDelay(r.ID)))
}
