package recall

import (
	"context"
	"time"

	"github.com/google/uuid"

	"memoir/internal/records"
)

// maxLate is how long a model's choice waits for the session's next hook.
const maxLate = 10 * time.Minute

// ForPrompt returns the memories for a prompt of Claude Code: the choice by keywords, and the
// result of Late. It never waits for a model. If there is one and the request has a session, it
// asks the model in the background; Late returns the choice. It records deliveries as Recall does,
// and has its errors.
func (r *Recaller) ForPrompt(ctx context.Context, request Request) (Result, error) {
	request.wordsOnly = true
	from, record, err := r.begin(ctx, &request)
	if err != nil {
		return Result{}, err
	}
	waiting, err := r.waiting(ctx, record, request)
	if err != nil {
		return Result{}, err
	}
	if err := r.choose(ctx, from, &record, request); err != nil {
		return Result{}, err
	}
	result, err := r.deliver(ctx, from, append([]records.Recall{record}, waiting...), request)
	if err == nil && r.HasModel() && request.Session != "" && record.Skipped == "" {
		r.chooseLater(from, record, request)
	}
	return result, err
}

// Late returns the memories that the model has chosen for prompts of the session during the last
// maxLate and that were not delivered yet. It does not wait for the model. The result is empty for
// a read-only request, without a model, and without a session. It records deliveries as Recall
// does, and has its errors.
func (r *Recaller) Late(ctx context.Context, request Request) (Result, error) {
	if !r.HasModel() || request.ReadOnly || request.Session == "" {
		return Result{}, nil
	}
	from, record, err := r.begin(ctx, &request)
	if err != nil {
		return Result{}, err
	}
	waiting, err := r.waiting(ctx, record, request)
	if err != nil || len(waiting) == 0 {
		return Result{}, err
	}
	return r.deliver(ctx, from, waiting, request)
}

// chooseLater starts a choice by the model in the background, among the memories that the session
// has not received and that words, the record of the choice by keywords, has not chosen. It saves
// the choice for Late. It does nothing while maxBackground recalls run.
func (r *Recaller) chooseLater(from records.RecallSources, words records.Recall, request Request) {
	select {
	case r.prefetches <- struct{}{}:
	default:
		return
	}
	r.running.Go(func() {
		defer func() { <-r.prefetches }()
		ctx, cancel := context.WithTimeout(r.closeCtx, maxPending)
		defer cancel()
		if err := r.saveModelChoice(ctx, from, words, request); err != nil && ctx.Err() == nil {
			r.options.Log.Warn("model choice not stored", "agent", request.Agent, "error", err)
		}
	})
}

// saveModelChoice asks the model for a choice and saves a record of it. The record is settled if
// memories were chosen. If the model fails, the record's note is the reason, and the error is nil.
// Without candidates it saves nothing.
func (r *Recaller) saveModelChoice(ctx context.Context, from records.RecallSources, words records.Recall, request Request) error {
	given, err := r.store.Delivered(ctx, words.AgentID, request.Session)
	if err != nil {
		return err
	}
	for _, c := range words.Chosen {
		given.Memories[c.ID] = true
	}
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	choice := records.Recall{
		ID: id, AgentID: words.AgentID, At: words.At, Session: words.Session, AskedBy: words.AskedBy, Query: words.Query, State: records.RecallDelivered,
	}
	start := time.Now()
	err = r.byModel(ctx, from, &choice, request, given)
	choice.Took = time.Since(start)
	switch {
	case err != nil && r.closeCtx.Err() != nil:
		return err
	case err != nil:
		r.options.Log.Warn("model choice failed", "agent", request.Agent, "error", err)
		choice.Note = "The model did not choose: " + shortReason(err) + "."
	case choice.Candidates == 0:
		return nil
	case len(choice.Chosen) > 0:
		choice.State = records.RecallSettled
	}
	return r.store.SaveRecall(ctx, choice)
}

// waiting returns the records of the model's choices for prompts of of.Session during the last
// maxLate that were not delivered, oldest first. It returns nil for a read-only request and without
// a session.
func (r *Recaller) waiting(ctx context.Context, of records.Recall, request Request) ([]records.Recall, error) {
	if request.ReadOnly || of.Session == "" {
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
		// Prefetched results wait for Fetch, and another hook may have delivered this one.
		if record.AskedBy == FromHook && record.State == records.RecallSettled {
			all = append(all, record)
		}
	}
	return all, nil
}
