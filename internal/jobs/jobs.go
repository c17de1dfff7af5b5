// Package jobs does work in the background that must not be lost: it is kept in Postgres, survives the server that was at it, is tried again
// when it fails, and is done by one server at a time however many there are. What came of it, and what it has cost, is kept for 30 days.
// The package knows nothing of what the work is: rooms register their kinds with it. It is the only one that knows River, which does the work.
//
// A job is run at least once, and once as a rule: a server that dies in the middle of one has another begin it anew. Whoever does the work
// therefore keeps what it finds in such a way that a second time changes nothing.
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

// Options are the settings of a Queue. The zero value of each stands for what its comment says.
type Options struct {
	// Workers is how many jobs this server is at together; 2: they mostly wait for a model.
	Workers int
	// TimeLimit is how long a job may take; 10 minutes.
	TimeLimit time.Duration
	// FirstRetry is after which time a job that has failed is tried again. It doubles with each failure; 30 s.
	FirstRetry time.Duration
	// MostAttempts is how often a job is tried before it has failed for good; 8, which is an hour.
	MostAttempts int
	// Poll is how often it is looked for work that no notification told of; 5 s.
	Poll time.Duration
	// Silence is how long a server may be silent before others take over what it was at; 45 s.
	Silence time.Duration
	// Farewell is how long jobs may go on after Close was called or the context of Start has ended, before they are cancelled; 3 s.
	Farewell time.Duration
	// Changed is called with an agent's slug when there is something new to show of its jobs. It must not wait. Nil: nothing is.
	Changed func(slug string)
	Log     *slog.Logger
}

const (
	// Kept is how long a job is kept after it is finished.
	Kept = 30 * 24 * time.Hour
	// parting is how long a job that was cancelled may take to end before it is left alone.
	parting = 2 * time.Second
	// restart is how long it waits for Postgres before it is looked for again.
	restart = 2 * time.Second
	// longestRetry bounds the time between two attempts.
	longestRetry = time.Hour
)

// Queue adds jobs and works at them. Register all kinds before Start. Its methods are safe for concurrent use.
type Queue struct {
	store   *postgres.Store
	options Options
	id      string // of this server, among those that share the database
	workers *river.Workers
	client  *river.Client[pgx.Tx]
	kinds   int

	stop    context.CancelFunc
	running sync.WaitGroup

	mu sync.Mutex
	// working are the jobs that this server is at, with zero, and those that it was at, with when it ended.
	working map[int64]time.Time
	// after is when jobs that have just failed may be tried again, as far as their errors say so.
	after map[int64]time.Duration
}

// New returns a queue that takes jobs, and works at none before Start.
func New(store *postgres.Store, options Options) (*Queue, error) {
	options.Workers = cmp.Or(options.Workers, 2)
	options.TimeLimit = cmp.Or(options.TimeLimit, 10*time.Minute)
	options.FirstRetry = cmp.Or(options.FirstRetry, 30*time.Second)
	options.MostAttempts = cmp.Or(options.MostAttempts, 8)
	options.Poll = cmp.Or(options.Poll, 5*time.Second)
	options.Silence = cmp.Or(options.Silence, 45*time.Second)
	options.Farewell = cmp.Or(options.Farewell, 3*time.Second)
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
		MaxAttempts:       options.MostAttempts,
		JobTimeout:        options.TimeLimit,
		Schema:            "", // wherever Memoir's tables are
		FetchCooldown:     min(100*time.Millisecond, options.Poll),
		FetchPollInterval: options.Poll,
		// Servers of two versions may share a database: each leaves alone what it does not know.
		FetchOnlyKnownKinds: true,
		SkipUnknownJobCheck: true,
		SoftStopTimeout:     options.Farewell,
		// What a dead server was at is freed much sooner, by beat. This is for a job that ignores its end.
		RescueStuckJobsAfter:        2 * options.TimeLimit,
		CompletedJobRetentionPeriod: Kept,
		CancelledJobRetentionPeriod: Kept,
		DiscardedJobRetentionPeriod: Kept,
		ReindexerIndexNames:         []string{}, // the tables are small
		// What River has to say is said by the jobs' own record, and by beat.
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, fmt.Errorf("set up background work: %w", err)
	}
	q.client = client
	return q, nil
}

// envelope is a job as River keeps it. What makes two jobs the same is marked.
type envelope struct {
	kind  string
	Agent int64           `json:"agent" river:"unique"`
	Slug  string          `json:"slug"`
	Key   string          `json:"key" river:"unique"`
	Work  json.RawMessage `json:"work"`
}

// Kind is the name under which River keeps it.
func (e envelope) Kind() string { return e.kind }

// Job is what a worker knows of the job that it is at, besides its arguments.
type Job struct {
	ID      int64
	AgentID int64
	Slug    string // of the agent
	Key     string
	Attempt int // 1 is the first
}

// Outcome is what came of a job. It is kept of one that fails, too, for what that has cost.
type Outcome struct {
	// Said is one sentence for people; empty where there is nothing to say.
	Said string
	// Model is the one that was asked; empty: none was.
	Model                     string
	InputTokens, OutputTokens int
}

// Kind is one kind of work, with arguments of type A, which are kept as JSON.
type Kind[A any] struct {
	queue *Queue
	name  string
}

// Register makes a kind of work known by its name, and what does it. Servers that share the database know a kind by its name, so its
// arguments may only change in ways in which JSON of before can be read.
//
// work is called with a context that ends when its time is over, or the server stops; that is no failure, and it is called again by whichever
// server is next. An error has it called again later, and later each time, unless it is of Permanent or Later, or says with a method
// Again, as those of package model do, that it is of no use or after which time it is.
func Register[A any](q *Queue, name string, work func(ctx context.Context, job Job, args A) (Outcome, error)) Kind[A] {
	river.AddWorkerArgs(q.workers, envelope{kind: name}, &worker{queue: q, work: func(ctx context.Context, job Job, raw json.RawMessage) (Outcome, error) {
		var args A
		if err := json.Unmarshal(raw, &args); err != nil {
			return Outcome{}, Permanent(fmt.Errorf("its arguments cannot be read: %w", err))
		}
		return work(ctx, job, args)
	}})
	q.kinds++
	return Kind[A]{q, name}
}

// Once says when a job is done, and what makes it the same as another.
type Once struct {
	// Key tells it from other jobs of its kind and agent. As long as one with that key is not finished, there is no second.
	Key string
	// RunAt is when it may be begun; zero: at once.
	RunAt time.Time
	// Postpone moves one that is there already, and waits, out to RunAt, with the new arguments; one that is at work is done once more then, so
	// that whatever has happened meanwhile is not missed. Otherwise one that is there stays as it is.
	Postpone bool
}

// Enqueue adds a job. It is kept, or moved, when Enqueue returns nil. It fails with memories.ErrNotFound where the agent has been forgotten, and
// with memories.ErrUnavailable.
func (k Kind[A]) Enqueue(ctx context.Context, agent records.Agent, args A, once Once) error {
	work, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("add the job: %w", err)
	}
	e := envelope{kind: k.name, Agent: agent.ID, Slug: agent.Slug, Key: once.Key, Work: work}
	raw, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("add the job: %w", err)
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

// unfinished are the states in which there is one job of a key at most.
var unfinished = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
}
