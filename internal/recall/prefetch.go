package recall

import (
	"context"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// Begin starts a recall that nobody waits for, and returns its id, by which Fetch hands out what it gave. It fails as Recall does,
// and with ErrBusy.
func (r *Recaller) Begin(ctx context.Context, request Request) (id string, err error) {
	from, record, err := r.begin(ctx, &request)
	if err != nil {
		return "", err
	}
	select {
	case r.prefetches <- struct{}{}:
	default:
		return "", ErrBusy
	}
	if err := r.store.SaveRecall(ctx, record); err != nil {
		<-r.prefetches
		return "", err
	}
	r.running.Go(func() {
		defer func() { <-r.prefetches }()
		if err := r.complete(from, record, request); err != nil {
			r.options.Log.Warn("a recall in the background failed", "error", err)
		}
	})
	return record.ID.String(), nil
}

// ErrBusy says that too many recalls are running that nobody waits for.
var ErrBusy = &memories.ConflictError{Reason: "Too many recalls are running already. Nothing was begun. Try again shortly."}

// settle chooses, and leaves what was chosen to be fetched.
func (r *Recaller) complete(from records.RecallSources, record records.Recall, request Request) error {
	ctx, cancel := context.WithTimeout(r.ended, abandoned)
	defer cancel()
	if err := r.choose(ctx, from, &record, request); err != nil {
		return err
	}
	record.State = records.RecallSettled
	return r.store.SaveRecall(ctx, record)
}

// Fetch returns how a recall stands, without waiting, and the first time after it has settled what it gave. It fails with
// memories.ErrNotFound. With readOnly, what it gave stays to be fetched.
func (r *Recaller) Fetch(ctx context.Context, slug, id string, readOnly bool) (Result, error) {
	from, err := r.store.RecallSources(ctx, slug)
	if err != nil {
		return Result{}, err
	}
	record, err := r.store.RecallByID(ctx, from[0].ID, id)
	if err != nil {
		return Result{}, err
	}
	switch {
	case record.State == records.RecallPending && r.now().Sub(record.At) < abandoned+time.Second:
		result := resultOf(record)
		result.Pending = true
		return result, nil
	case record.State == records.RecallPending:
		record.Note = "It was given up: it failed, or the server ended meanwhile."
		return resultOf(record), nil
	case record.State == records.RecallDelivered:
		return r.nothingMore(ctx, record)
	}
	result, _, err := r.deliver(ctx, from, record, Request{ReadOnly: readOnly})
	return result, err
}

// nothingMore is what is left of a recall that has been handed out.
func (r *Recaller) nothingMore(ctx context.Context, record records.Recall) (Result, error) {
	result := resultOf(record)
	if record.Session == "" {
		return result, nil
	}
	given, err := r.store.Delivered(ctx, record.AgentID, record.Session)
	result.BudgetLeft -= given.Bytes
	return result, err
}
