// Package jobs runs background work that must not be lost. Jobs are stored in Postgres, repeated
// after failures, and run by one server at a time. Results and costs are kept for 30 days. Other
// packages register kinds of jobs. Only this package uses River, the library that runs them.
//
// A job runs at least once: if its server crashes, another server starts it again. So its work must
// have the same effect if it is repeated.
package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"memoir/internal/postgres"
	"memoir/internal/records"
)

// Options configures a Queue. Zero fields mean the defaults.
type Options struct {
	// Workers is the number of jobs that this server runs in parallel. The default is 2, because
	// jobs mostly wait for a model.
	Workers int
	// FirstRetry is the delay before the first retry of a failed job. It doubles with each failure.
	// The default is 30 s.
	FirstRetry time.Duration
	// MaxAttempts is the maximum number of attempts of a job. The default is 8, which take an hour.
	MaxAttempts int
	// Poll is the interval of the search for jobs without a notification. The default is 5 s.
	Poll time.Duration
	// ServerTimeout is how long a server may be silent before others take over its jobs. The
	// default is 45 s.
	ServerTimeout time.Duration
	// StopTimeout is how long jobs may run after Close or the end of Start's context before they
	// are cancelled. The default is 3 s.
	StopTimeout time.Duration
	// Changed is called with an agent's slug after a change of its jobs. It must not block. It may
	// be nil.
	Changed func(slug string)
	Log     *slog.Logger
}

const (
	// Kept is how long a finished job is kept.
	Kept = 30 * 24 * time.Hour
	// timeLimit is the timeout of a job (arbitrary).
	timeLimit = 10 * time.Minute
	// cancelTimeout is how long a cancelled job may take to end before Close returns without it
	// (arbitrary).
	cancelTimeout = 2 * time.Second
	// restart is the delay before a retry while Postgres is unavailable (arbitrary).
	restart = 2 * time.Second
	// maxRetry is the maximum delay between two attempts (arbitrary).
	maxRetry = time.Hour
)

// Queue adds and runs jobs. Register all kinds before Start. Its methods are safe for concurrent
// use.
type Queue struct {
	store   *postgres.Store
	options Options
	id      string // of this server
	workers *river.Workers
	client  *river.Client[pgx.Tx]
	kinds   int

	stop    context.CancelFunc
	running sync.WaitGroup

	mu sync.Mutex
	// working maps a running job to zero, and a finished one to its end.
	working map[int64]time.Time
	// after is the minimum delay of failed jobs, if their errors state one.
	after map[int64]time.Duration
}

// New returns a queue that stores jobs in the database of store. It runs no jobs before Start. It
// returns an error if River refuses the options; it sends no statement to the database.
func New(store *postgres.Store, options Options) (*Queue, error) {
	options.Workers = cmp.Or(options.Workers, 2)
	options.FirstRetry = cmp.Or(options.FirstRetry, 30*time.Second)
	options.MaxAttempts = cmp.Or(options.MaxAttempts, 8)
	options.Poll = cmp.Or(options.Poll, 5*time.Second)
	options.ServerTimeout = cmp.Or(options.ServerTimeout, 45*time.Second)
	options.StopTimeout = cmp.Or(options.StopTimeout, 3*time.Second)
	if options.Changed == nil {
		options.Changed = func(string) {}
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	q := &Queue{
		store: store, options: options, id: uuid.NewString(), workers: river.NewWorkers(), stop: func() {},
		working: map[int64]time.Time{}, after: map[int64]time.Duration{},
	}
	client, err := river.NewClient(riverpgxv5.New(store.Pool()), &river.Config{
		ID:                q.id,
		Workers:           q.workers,
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: options.Workers}},
		MaxAttempts:       options.MaxAttempts,
		JobTimeout:        timeLimit,
		Schema:            "", // the schema of Memoir's tables
		FetchCooldown:     min(100*time.Millisecond, options.Poll),
		FetchPollInterval: options.Poll,
		// Servers of different versions can share a database. Each ignores unknown kinds.
		FetchOnlyKnownKinds: true,
		SkipUnknownJobCheck: true,
		SoftStopTimeout:     options.StopTimeout,
		// heartbeat frees jobs of a dead server much sooner. This is for a job that ignores its
		// cancellation.
		RescueStuckJobsAfter:        2 * timeLimit,
		CompletedJobRetentionPeriod: Kept,
		CancelledJobRetentionPeriod: Kept,
		DiscardedJobRetentionPeriod: Kept,
		ReindexerIndexNames:         []string{}, // the tables are small
		// The jobs' records and heartbeat report errors.
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, fmt.Errorf("set up background work: %w", err)
	}
	q.client = client
	return q, nil
}

// envelope is a job as River stores it. Jobs with equal unique fields are duplicates.
type envelope struct {
	kind  string
	Agent int64           `json:"agent" river:"unique"`
	Slug  string          `json:"slug"`
	Key   string          `json:"key" river:"unique"`
	Work  json.RawMessage `json:"work"`
}

func (e envelope) Kind() string { return e.kind }

// Job describes the running job, besides its arguments.
type Job struct {
	ID      int64
	AgentID int64
	Slug    string // of the agent
	Key     string
	Attempt int // from 1
}

// Result is the result of an attempt. Failed attempts have results too, for their tokens.
type Result struct {
	// Message is one sentence for users, or empty.
	Message string
	// Model is the model that was used. It is empty without a model.
	Model                     string
	InputTokens, OutputTokens int
}

// Kind is a registered kind of job with arguments of type A, which are stored as JSON.
type Kind[A any] struct {
	queue *Queue
	name  string
}

// Register registers a kind of job and its work, and returns the kind for Enqueue. Call it before
// Start. The context of work ends after timeLimit or when the server stops. After an error or a
// panic the job is repeated, up to Options.MaxAttempts. Permanent errors and errors whose method
// Again returns false end it. Later sets the time of the next run. Servers of other versions may
// read the arguments, so a changed A must accept older JSON.
func Register[A any](q *Queue, name string, work func(ctx context.Context, job Job, args A) (Result, error)) Kind[A] {
	river.AddWorkerArgs(q.workers, envelope{kind: name}, &worker{queue: q, work: func(ctx context.Context, job Job, raw json.RawMessage) (Result, error) {
		var args A
		if err := json.Unmarshal(raw, &args); err != nil {
			return Result{}, Permanent(fmt.Errorf("parse arguments: %w", err))
		}
		return work(ctx, job, args)
	}})
	q.kinds++
	return Kind[A]{q, name}
}

// Once specifies when a job runs and which jobs are its duplicates.
type Once struct {
	// Key identifies the job among those of its kind and agent. Only one unfinished job per key
	// exists.
	Key string
	// RunAt is the earliest start. Zero means now.
	RunAt time.Time
	// Postpone moves a waiting duplicate to RunAt, with the new arguments. A running duplicate runs
	// once more at RunAt, so that no change is missed. If it is false, an existing job stays
	// unchanged.
	Postpone bool
}

// Enqueue stores a job for an agent and calls Options.Changed. It does not wait for the job. If
// the agent has an unfinished job of the kind and key, no second one is stored. If once.Postpone
// is set, that job is moved; otherwise it stays unchanged. Both are no error. Enqueue returns
// memories.ErrNotFound if the agent was forgotten, and memories.ErrUnavailable without the
// database.
func (k Kind[A]) Enqueue(ctx context.Context, agent records.Agent, args A, once Once) error {
	work, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("add job: %w", err)
	}
	e := envelope{kind: k.name, Agent: agent.ID, Slug: agent.Slug, Key: once.Key, Work: work}
	raw, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("add job: %w", err)
	}
	postpone := time.Time{}
	if once.Postpone {
		postpone = once.RunAt
		if postpone.IsZero() {
			postpone = time.Now()
		}
	}
	err = k.queue.store.AddJob(ctx, agent.ID, raw, postpone, func(tx pgx.Tx) (int64, bool, error) {
		added, err := k.queue.client.InsertTx(ctx, tx, e, &river.InsertOpts{
			ScheduledAt: once.RunAt,
			UniqueOpts:  river.UniqueOpts{ByArgs: true, ByState: unfinished},
		})
		if err != nil {
			return 0, false, err
		}
		return added.Job.ID, !added.UniqueSkippedAsDuplicate, nil
	})
	if err == nil {
		k.queue.options.Changed(agent.Slug)
	}
	return err
}

// unfinished are the states that exclude a duplicate.
var unfinished = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
}
