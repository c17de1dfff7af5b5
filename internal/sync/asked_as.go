package sync

import (
	"context"

	"memoir/internal/findings/quarantine"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/events"
	"memoir/internal/sync/ops"
)

// asking calls write and then saves the phrases as which the written memory is asked, unless phrases
// is nil. They are in the database only, so that any server can save them. It returns
// *memories.InvalidError before it calls write if they cannot be saved. If the database fails in
// between, the memory has its earlier phrases.
func (e *Engine) asking(ctx context.Context, phrases []string, write func() (Result, error)) (Result, error) {
	if phrases == nil {
		return write()
	}
	cleaned, err := memories.CleanPhrases(phrases)
	if err != nil {
		return Result{}, err
	}
	for _, phrase := range cleaned {
		if !quarantine.IsClean(phrase) {
			return Result{}, &memories.InvalidError{Field: "asked_as", Reason: "has a secret or an order to the agent; remove it"}
		}
	}
	result, err := write()
	if err != nil {
		return result, err
	}
	result.Memory.AskedAs, err = e.store.SaveAskedAs(ctx, result.Memory.ID, cleaned, memories.PhraseWriterOf(ActorOf(ctx)))
	if err == nil {
		e.hub.Emit(events.Event{Agent: result.Memory.Agent, Kind: events.Saved, Name: result.Memory.Name})
	}
	return result, err
}

// toAsk returns a memory whose phrases are to be saved. It fails with memories.ErrNotFound,
// memories.ErrChanged unless etag is current, empty or "*", and *memories.ConflictError if the
// memory is in the trash.
func (e *Engine) toAsk(ctx context.Context, slug, id, etag string) (Result, error) {
	agent, err := e.store.AgentUncounted(ctx, slug)
	if err != nil {
		return Result{}, err
	}
	m, err := e.store.Memory(ctx, agent, id)
	if err != nil {
		return Result{}, err
	}
	if m.State == memories.Deleted {
		return Result{}, ops.ErrInTrash
	}
	return Result{Memory: m, ClaudeMDProblem: agent.ClaudeMD.Problem}, ops.CheckETag(records.MemoryRow{Memory: m}, etag)
}

// withPhrasesOf gives a copy of a memory the phrases of the memory with the id.
func (e *Engine) withPhrasesOf(ctx context.Context, id string, result Result, err error) (Result, error) {
	if err != nil || result.Memory.ID == id {
		return result, err
	}
	if err := e.store.CopyAskedAs(ctx, id, result.Memory.ID); err != nil {
		return result, err
	}
	asked, err := e.store.AskedAs(ctx, result.Memory.ID)
	result.Memory.AskedAs = asked.Phrases
	return result, err
}
