package jobs

import (
	"context"
	"sync/atomic"
	"time"

	"memoir/internal/records"
)

// failedPause is the time between a failed job and the next one of EnqueueNext (arbitrary).
const failedPause = 6 * time.Hour

// BudgetStore is the database of a Budget. *postgres.Store implements and documents it.
type BudgetStore interface {
	records.Jobs
	TokensOfKind(ctx context.Context, kind string, since time.Time) (int64, error)
}

// Budget limits the tokens that the jobs of a kind use on a day (UTC), on all servers together. Its
// methods are safe for concurrent use.
type Budget struct {
	store BudgetStore
	kind  string
	daily int64
	// unrecorded are the tokens that running jobs of this server have used.
	unrecorded atomic.Int64
}

// NewBudget returns the budget of a kind of jobs. daily is the number of tokens; 0 means no limit.
func NewBudget(store BudgetStore, kind string, daily int64) *Budget {
	return &Budget{store: store, kind: kind, daily: daily}
}

// Daily returns the number of tokens of a day; 0 means no limit.
func (b *Budget) Daily() int64 { return b.daily }

// HasTokens reports whether tokens of the day are left.
func (b *Budget) HasTokens(ctx context.Context) (bool, error) {
	if b.daily <= 0 {
		return true, nil
	}
	used, err := b.store.TokensOfKind(ctx, b.kind, StartOfDay(time.Now()))
	return used+b.unrecorded.Load() < b.daily, err
}

// Use adds tokens that a running job has used. The job must call Record with their sum at its end.
func (b *Budget) Use(tokens int) { b.unrecorded.Add(int64(tokens)) }

// Record takes out the tokens of a finished job, because its result has them.
func (b *Budget) Record(result Result) {
	b.unrecorded.Add(-int64(result.InputTokens + result.OutputTokens))
}

// StartOfDay returns midnight (UTC) before a time: budgets are for a day.
func StartOfDay(at time.Time) time.Time { return at.UTC().Truncate(24 * time.Hour) }

// EnqueueNext enqueues the next job of the budget's kind for an agent, unless one is unfinished. It
// starts tomorrow (UTC) if the day's tokens are used, and failedPause after a failed one.
func (k Kind[A]) EnqueueNext(ctx context.Context, agent records.Agent, args A, key string, budget *Budget) error {
	all, err := List(ctx, budget.store, agent.ID)
	if err != nil {
		return err
	}
	var last Entry
	for _, job := range all {
		if job.Kind == budget.kind && job.ID > last.ID {
			last = job
		}
	}
	runAt := time.Time{}
	switch last.State {
	case Waiting, Running:
		return nil
	case Failed, Cancelled:
		runAt = last.FinishedAt.Add(failedPause)
	}
	hasTokens, err := budget.HasTokens(ctx)
	if err != nil {
		return err
	}
	if tomorrow := StartOfDay(time.Now()).AddDate(0, 0, 1); !hasTokens && runAt.Before(tomorrow) {
		runAt = tomorrow
	}
	return k.Enqueue(ctx, agent, args, Once{Key: key, RunAt: runAt})
}
