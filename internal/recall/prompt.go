package recall

import (
	"context"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"memoir/internal/records"
)

// maxLate is how long a late result waits for the session's next prompt.
const maxLate = 10 * time.Minute

// ForPrompt recalls memories for a prompt and returns them within the given time. If the recall
// takes longer, it returns an empty result. The memories are then delivered with the session's
// next prompt, if it follows within maxLate. It also returns an empty result while maxBackground
// recalls run, and after an error, which it logs.
func (r *Recaller) ForPrompt(request Request, within time.Duration) Result {
	select {
	case r.prefetches <- struct{}{}:
	default:
		return Result{}
	}
	timer := time.NewTimer(within)
	defer timer.Stop()
	// The first one decides: the result is delivered now, or taken back for the next prompt.
	var decided atomic.Bool
	answer := make(chan Result, 1)
	r.running.Go(func() {
		defer func() { <-r.prefetches }()
		ctx, cancel := context.WithTimeout(r.closeCtx, maxPending)
		defer cancel()
		result, given, err := r.withLate(ctx, request)
		if err != nil {
			r.options.Log.Warn("recall for prompt failed", "agent", request.Agent, "error", err)
		} else if decided.CompareAndSwap(false, true) {
			answer <- result
			return
		}
		if len(given) == 0 {
			answer <- Result{}
			return
		}
		if err := r.store.Undeliver(ctx, given); err != nil {
			r.options.Log.Warn("late recall lost", "agent", request.Agent, "error", err)
		}
		answer <- Result{}
	})
	select {
	case result := <-answer:
		return result
	case <-timer.C:
	}
	if decided.CompareAndSwap(false, true) {
		return Result{}
	}
	return <-answer
}

// withLate recalls memories for a prompt and delivers them after the memories that came too late
// for earlier prompts of the session. given are the records that this call marked as delivered,
// also if it returns an error. A read-only request gets no late results and has no given.
func (r *Recaller) withLate(ctx context.Context, request Request) (result Result, given []records.Recall, err error) {
	if request.ReadOnly {
		result, err = r.Recall(ctx, request)
		return result, nil, err
	}
	from, record, err := r.begin(ctx, &request)
	if err != nil {
		return Result{}, nil, err
	}
	waiting, err := r.waiting(ctx, record)
	if err != nil {
		return Result{}, nil, err
	}
	if err := r.choose(ctx, from, &record, request); err != nil {
		return Result{}, nil, err
	}
	var memories []Recalled
	for _, each := range append(waiting, record) {
		var won bool
		if result, won, err = r.deliver(ctx, from, each, request); err != nil {
			return Result{}, given, err
		}
		if request.MaxText > 0 {
			request.MaxText = max(1, request.MaxText-utf8.RuneCountInString(strings.Join(result.Blocks(), "")))
		}
		if won {
			given = append(given, each)
		}
		memories = append(memories, result.Memories...)
	}
	result.Memories = memories
	return result, given, nil
}

// waiting returns the records of earlier recalls for prompts of of.Session, during the last
// maxLate, whose results came too late and were not delivered. Without a session it returns nil.
func (r *Recaller) waiting(ctx context.Context, of records.Recall) ([]records.Recall, error) {
	if of.Session == "" {
		return nil, nil
	}
	ids, err := r.store.SettledRecalls(ctx, of.AgentID, of.Session, of.At.Add(-maxLate))
	if err != nil {
		return nil, err
	}
	var all []records.Recall
	for _, id := range ids {
		record, err := r.store.RecallByID(ctx, of.AgentID, id.String())
		if err != nil {
			return nil, err
		}
		// Prefetched results wait for Fetch, and another prompt may have delivered this one.
		if record.AskedBy == FromHook && record.State == records.RecallSettled {
			all = append(all, record)
		}
	}
	return all, nil
}
