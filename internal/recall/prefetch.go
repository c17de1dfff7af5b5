package recall

import (
	"context"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// Begin saves a record of a recall, starts the recall in the background, and returns the record's
// id for Fetch. The recall continues after the end of ctx. Its failure is only logged; Fetch then
// returns a note. Begin returns ErrBusy if maxBackground recalls run, memories.ErrNotFound for an
// unknown agent, and *memories.InvalidError for an invalid request.
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
			r.options.Log.Warn("background recall failed", "error", err)
		}
	})
	return record.ID.String(), nil
}

// ErrBusy means that too many recalls are running in the background.
var ErrBusy = &memories.ConflictError{Reason: "Too many recalls are running. Nothing was started. Try again shortly."}

// complete chooses memories for a recall and saves its record as settled, so that Fetch can
// deliver them. After maxPending it stops with an error, and after any error the record stays
// pending.
func (r *Recaller) complete(from records.RecallSources, record records.Recall, request Request) error {
	ctx, cancel := context.WithTimeout(r.closeCtx, maxPending)
	defer cancel()
	if err := r.choose(ctx, from, &record, request); err != nil {
		return err
	}
	record.State = records.RecallSettled
	return r.store.SaveRecall(ctx, record)
}

// Fetch returns the result of a recall that Begin started, without waiting. While the recall runs,
// Result.Pending is true. The first call after that returns the memories and records their
// delivery, as Recall does. With readOnly it records nothing. Calls after the delivery return no
// memories and no error. If the recall did not end within maxPending, Result.Note reports it. It
// returns memories.ErrNotFound for an unknown agent or id.
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
	case record.State == records.RecallPending && r.now().Sub(record.At) < maxPending+time.Second:
		result := resultOf(record)
		result.Pending = true
		return result, nil
	case record.State == records.RecallPending:
		record.Note = "Not finished: it failed, or the server stopped."
		return resultOf(record), nil
	case record.State == records.RecallDelivered:
		return r.nothingMore(ctx, record)
	}
	return r.deliver(ctx, from, []records.Recall{record}, Request{ReadOnly: readOnly})
}

// nothingMore returns the result of a recall whose memories were delivered before. It has no
// memories. BudgetLeft is the rest of the session's budget now, or SessionBudget without a
// session.
func (r *Recaller) nothingMore(ctx context.Context, record records.Recall) (Result, error) {
	result := resultOf(record)
	if record.Session == "" {
		return result, nil
	}
	given, err := r.store.Delivered(ctx, record.AgentID, record.Session)
	result.BudgetLeft -= given.Bytes
	return result, err
}
