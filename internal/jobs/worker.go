package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/tidwall/gjson"

	"memoir/internal/memories"
	"memoir/internal/postgres"
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
}

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
	if again := gjson.GetBytes(r.Metadata, "again").Int(); again != 0 {
		// It is the run after one during which it was put off. If it has been put off further since, that stays.
		at := time.UnixMicro(again)
		if err := w.queue.store.TakeAgain(ctx, r.ID, at); err != nil {
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
	kept := w.record(ctx, r, outcome, err)
	var (
		wait   *later
		lost   *permanent
		answer interface{ Again() (bool, time.Duration) }
	)
	switch {
	case err == nil:
		return w.finish(ctx, r)
	case kept != nil:
		return kept
	case ctx.Err() != nil:
		return ctx.Err() // by which River knows a job that the end of the server has ended
	case errors.As(err, &wait):
		return river.JobSnooze(max(time.Until(wait.at), 0))
	case errors.Is(err, postgres.ErrUnavailable):
		// It is not the job that has failed.
		return river.JobSnooze(w.queue.options.FirstRetry)
	case errors.As(err, &lost):
		return river.JobCancel(err)
	case errors.As(err, &answer):
		worthwhile, after := answer.Again()
		if !worthwhile {
			return river.JobCancel(err)
		}
		w.queue.mayTryAfter(r.ID, after)
	}
	return err
}

func (w *worker) record(ctx context.Context, r *river.Job[envelope], outcome Outcome, err error) error {
	var kept output
	if before := gjson.GetBytes(r.Metadata, "output"); before.Exists() {
		if err := json.Unmarshal([]byte(before.Raw), &kept); err != nil {
			return fmt.Errorf("read what is kept of the job: %w", err)
		}
	}
	kept.Said, kept.Problem = outcome.Said, problem(ctx, err)
	kept.InputTokens += outcome.InputTokens
	kept.OutputTokens += outcome.OutputTokens
	if outcome.Model != "" {
		kept.Model = outcome.Model
	}
	return river.RecordOutput(ctx, kept)
}

// finish marks the job as done, and what came of it, in one step; or has it done again, if somebody has asked for that meanwhile. Postgres
// that is away is waited for, as long as there is time: what was done is not to be done again.
func (w *worker) finish(ctx context.Context, r *river.Job[envelope]) error {
	finishing := context.WithoutCancel(ctx) // it is done, even if its time is over by now
	for {
		again, err := w.queue.store.FinishJob(finishing, r.ID, r.Attempt, w.queue.id, func(tx pgx.Tx) error {
			_, err := river.JobCompleteTx[*riverpgxv5.Driver](finishing, tx, r)
			return err
		})
		switch {
		case errors.Is(err, memories.ErrNotFound): // its agent was forgotten
			return nil
		case err == nil && !again.IsZero():
			return river.JobSnooze(max(time.Until(again), 0))
		case err == nil || !errors.Is(err, postgres.ErrUnavailable):
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
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "it took too long"
	case ctx.Err() != nil:
		return "" // the server stops: it goes on with the next
	case errors.Is(err, postgres.ErrUnavailable):
		return "the database could not be reached"
	case errors.As(err, &plain):
		return plain.Plain()
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	if characters := []rune(strings.ToValidUTF8(strings.ReplaceAll(line, "\x00", ""), "�")); len(characters) > longestProblem {
		return string(characters[:longestProblem]) + "…"
	} else {
		return string(characters)
	}
}

// NextRetry is called by River for a job that has failed and is tried again.
func (w *worker) NextRetry(r *river.Job[envelope]) time.Time {
	wait := longestRetry
	if doublings := r.Attempt - 1; doublings < 30 {
		wait = min(w.queue.options.FirstRetry<<max(doublings, 0), longestRetry)
	}
	return time.Now().Add(max(wait, w.queue.mayTry(r.ID)))
}
