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

// worker does the jobs of one kind.
type worker struct {
	river.WorkerDefaults[envelope]
	queue *Queue
	work  func(context.Context, Job, json.RawMessage) (Outcome, error)
}

// output is what is kept of a job: of its last attempt what it said or why it failed, of all of them what they have cost.
type output struct {
	Said         string `json:"said,omitempty"`
	Problem      string `json:"problem,omitempty"`
	Model        string `json:"model,omitempty"`
	InputTokens  int    `json:"input_tokens,omitempty"`
	OutputTokens int    `json:"output_tokens,omitempty"`
	// Misconfigured means that the job waits until a person has changed a setting. Each start of a server tries it again.
	Misconfigured bool `json:"misconfigured,omitempty"`
}

// configuredAgain is after which time a job is tried again that waits for a setting, without a restart.
const configuredAgain = time.Hour

// Permanent says that trying again is of no use. The job ends with this as its reason.
func Permanent(err error) error { return &permanent{err} }

type permanent struct{ error }

func (p *permanent) Unwrap() error { return p.error }

// Later says that it is too early for a job: it is done at that time, and this attempt does not count.
func Later(at time.Time) error { return &later{at} }

type later struct{ at time.Time }

func (l *later) Error() string { return "it waits until " + l.at.Format(time.RFC3339) }

// Work is called by River.
func (w *worker) Work(ctx context.Context, r *river.Job[envelope]) error {
	defer w.queue.at(r.ID)()
	if again := metadataOf(r).Again; again != 0 {
		// It is the run after one during which it was put off. If it has been put off further since, that stays.
		at := time.UnixMicro(again)
		if err := w.queue.store.CancelRerun(ctx, r.ID, at); err != nil {
			return w.ended(ctx, r, Outcome{}, err)
		}
		if until := time.Until(at); until > 0 {
			return river.JobSnooze(until)
		}
	}
	w.queue.options.Changed(r.Args.Slug)
	defer w.queue.options.Changed(r.Args.Slug)
	outcome, err := w.attempt(ctx, r)
	return w.ended(ctx, r, outcome, err)
}

// attempt does the work. A panic is a failure like any other.
func (w *worker) attempt(ctx context.Context, r *river.Job[envelope]) (_ Outcome, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			w.queue.options.Log.Error("a background job has failed unexpectedly", "kind", r.Kind, "agent", r.Args.Slug, "cause", cause, "stack", string(debug.Stack()))
			err = errors.New("it failed unexpectedly; the log says where")
		}
	}()
	return w.work(ctx, Job{ID: r.ID, AgentID: r.Args.Agent, Slug: r.Args.Slug, Key: r.Args.Key, Attempt: r.Attempt}, r.Args.Work)
}

// ended records what came of an attempt, and tells River what becomes of the job.
func (w *worker) ended(ctx context.Context, r *river.Job[envelope], outcome Outcome, err error) error {
	kept := resultOf(ctx, r, outcome, err)
	if err := river.RecordOutput(ctx, kept); err != nil {
		return err
	}
	var (
		wait   *later
		lost   *permanent
		answer interface{ Again() (bool, time.Duration) }
	)
	if kept.Misconfigured && ctx.Err() == nil {
		return river.JobSnooze(configuredAgain)
	}
	switch {
	case err == nil:
		return w.finish(ctx, r, func(ctx context.Context, tx pgx.Tx) error {
			_, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, r)
			return err
		})
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err() // by which River knows a job that the end of the server has ended
	case errors.As(err, &wait):
		return river.JobSnooze(max(time.Until(wait.at), 0))
	case errors.Is(err, memories.ErrUnavailable):
		// It is not the job that has failed.
		return river.JobSnooze(w.queue.options.FirstRetry)
	case errors.As(err, &lost):
		return w.fail(ctx, r, rivertype.JobStateCancelled, kept, err)
	case errors.As(err, &answer):
		worthwhile, after := answer.Again()
		if !worthwhile {
			return w.fail(ctx, r, rivertype.JobStateCancelled, kept, err)
		}
		w.queue.mayTryAfter(r.ID, after)
	}
	if r.Attempt >= r.MaxAttempts {
		w.queue.mayTry(r.ID)
		return w.fail(ctx, r, rivertype.JobStateDiscarded, kept, err)
	}
	return err
}

// metadata is what Memoir keeps of a job beside River's own data.
type metadata struct {
	Again  int64  `json:"again"` // when the job is to run again, in microseconds since 1970; 0: not
	Output output `json:"output"`
}

func metadataOf(r *river.Job[envelope]) (m metadata) {
	_ = json.Unmarshal(r.Metadata, &m) // Memoir and River have written it
	return m
}

// resultOf adds an attempt to what is kept of those before.
func resultOf(ctx context.Context, r *river.Job[envelope], outcome Outcome, err error) output {
	kept := metadataOf(r).Output
	kept.Said, kept.Problem = outcome.Said, problem(ctx, err)
	var configured interface{ Misconfigured() bool }
	kept.Misconfigured = errors.As(err, &configured) && configured.Misconfigured()
	kept.InputTokens += outcome.InputTokens
	kept.OutputTokens += outcome.OutputTokens
	if outcome.Model != "" {
		kept.Model = outcome.Model
	}
	return kept
}

// fail ends the job as one that is not tried again.
func (w *worker) fail(ctx context.Context, r *river.Job[envelope], state rivertype.JobState, kept output, cause error) error {
	raw, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	err = w.finish(ctx, r, func(ctx context.Context, tx pgx.Tx) error {
		return w.queue.store.EndJob(ctx, tx, r.ID, string(state), raw)
	})
	if err != nil {
		return err
	}
	return river.JobCancel(cause) // which changes nothing any more
}

// finish ends the job by calling end, in one step with whether it is to; if somebody has asked meanwhile for it to be done again, it is, however it has
// ended. Postgres that is away is waited for, as long as there is time: what was done is not to be done again.
func (w *worker) finish(ctx context.Context, r *river.Job[envelope], end func(context.Context, pgx.Tx) error) error {
	finishing := context.WithoutCancel(ctx) // it is done, even if its time is over by now
	for {
		again, err := w.queue.store.FinishJob(finishing, r.ID, r.Attempt, w.queue.id, func(tx pgx.Tx) error { return end(finishing, tx) })
		switch {
		case errors.Is(err, memories.ErrNotFound): // its agent was forgotten
			return nil
		case err == nil && !again.IsZero():
			return river.JobSnooze(max(time.Until(again), 0))
		case err == nil || !errors.Is(err, memories.ErrUnavailable):
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(restart):
		}
	}
}

// longestProblem bounds what is kept of an error, in characters.
const longestProblem = 500

// problem says for people why an attempt failed; nothing where it did not. Errors that have words of their own for that are taken by them:
// what else they hold may be long, or nobody's business.
func problem(ctx context.Context, err error) string {
	var (
		plain interface{ Plain() string }
		wait  *later
	)
	switch {
	case err == nil, errors.As(err, &wait):
		return ""
	case errors.Is(ctx.Err(), context.Canceled):
		return "" // the server stops: it goes on with the next
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return "it took too long"
	case errors.Is(err, memories.ErrUnavailable):
		return "the database could not be reached"
	case errors.As(err, &plain):
		return plain.Plain()
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	characters := []rune(strings.ToValidUTF8(strings.ReplaceAll(line, "\x00", ""), "�"))
	if len(characters) > longestProblem {
		return string(characters[:longestProblem]) + "…"
	}
	return string(characters)
}

// NextRetry is called by River for a job that has failed and is tried again.
func (w *worker) NextRetry(r *river.Job[envelope]) time.Time {
	wait := longestRetry
	if doublings := r.Attempt - 1; doublings < 30 {
		wait = min(w.queue.options.FirstRetry<<max(doublings, 0), longestRetry)
	}
	return time.Now().Add(max(wait, w.queue.mayTry(r.ID)))
}
