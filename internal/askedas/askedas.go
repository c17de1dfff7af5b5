// Package askedas has the background model write phrases for memories: short questions that a memory
// answers, in other words than its text, by which recall finds it. A memory whose content has changed
// gets new ones, unless a person wrote the present ones. Memories in quarantine, and those with a
// secret, are never sent.
//
// Agents and people write phrases by the engine; this package only adds those of the model. Package
// postgres/askedas stores them.
package askedas

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"memoir/internal/background"
	"memoir/internal/jobs"
	"memoir/internal/memories"
	"memoir/internal/model"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// Options configures a Writer. Zero fields mean the defaults.
type Options struct {
	// Settle is how long changes are collected before a search for memories without phrases. The
	// default is 5 s.
	Settle time.Duration
	// Model writes the phrases. If it or Queue is nil, nothing is written.
	Model model.Model
	// DailyTokens is how many tokens of the model may be used on a day (UTC). Zero means no limit.
	DailyTokens int64
	// Queue runs the questions to the model. The caller starts it after the Writer, and closes it
	// before. Its Options.Changed must send an event, so that the next memories follow.
	Queue *jobs.Queue
	Log   *slog.Logger
}

// DefaultDailyTokens is the usual value of Options.DailyTokens (arbitrary): some 400 memories.
const DefaultDailyTokens = 200_000

const (
	defaultSettle = 5 * time.Second
	// round is the time between two searches for agents whose events were missed.
	round = 10 * time.Minute
)

// Store is the database of a Writer. *postgres.Store implements and documents it.
type Store interface {
	records.Agents
	records.Recalls
	jobs.BudgetStore

	AgentsToAsk(ctx context.Context, slugs []string) ([]string, error)
	TextsToAsk(ctx context.Context, agentID int64, most int) ([]records.TextToAsk, error)
	PhrasesOfTexts(ctx context.Context, texts []records.TextToAsk) (map[uuid.UUID][]string, error)
	SaveModelPhrases(ctx context.Context, all []records.Phrases) error
}

// Writer enqueues jobs for agents with memories without phrases, if this server holds their lease.
// The jobs run on any server. Its methods are safe for concurrent use.
type Writer struct {
	engine *engine.Engine
	store  Store
	model  model.Model
	budget *jobs.Budget
	log    *slog.Logger
	kind   jobs.Kind[jobArgs]
	worker *background.Worker // nil if nothing is written

	mu  sync.Mutex
	due map[string]bool // agents with an event; "" means all
}

// Start returns a Writer and starts it. It begins when the engine is ready. The caller must call
// Close before closing the engine.
func Start(e *engine.Engine, store Store, options Options) *Writer {
	w := &Writer{
		engine: e, store: store, model: options.Model, budget: jobs.NewBudget(store, JobKind, options.DailyTokens), log: options.Log,
		due: map[string]bool{"": true},
	}
	if options.Model == nil || options.Queue == nil {
		return w
	}
	w.kind = jobs.Register(options.Queue, JobKind, w.run)
	w.worker = background.New(background.Work{
		Engine: e, Settle: cmp.Or(options.Settle, defaultSettle), Every: round, Do: w.enqueueDue, Log: options.Log, Failed: "phrases not requested, will retry",
		Changed: w.request,
		Round:   func() { w.request("") },
	})
	w.worker.Start()
	return w
}

// Close ends the search for memories without phrases, and waits for its end. It does not wait for
// jobs.
func (w *Writer) Close() {
	if w.worker != nil {
		w.worker.Close()
	}
}

// request makes an agent due; the empty slug makes all due.
func (w *Writer) request(slug string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.due[slug] = true
}

// enqueueDue enqueues a job for each due agent with memories without phrases. If it fails, the agents
// stay due.
func (w *Writer) enqueueDue(ctx context.Context) error {
	w.mu.Lock()
	due := w.due
	w.due = map[string]bool{}
	w.mu.Unlock()
	err := w.enqueue(ctx, due)
	if err != nil {
		w.mu.Lock()
		maps.Copy(w.due, due)
		w.mu.Unlock()
	}
	return err
}

func (w *Writer) enqueue(ctx context.Context, due map[string]bool) error {
	if len(due) == 0 {
		return nil
	}
	slugs := []string{}
	if !due[""] {
		slugs = slices.Sorted(maps.Keys(due))
	}
	slugs, err := w.store.AgentsToAsk(ctx, slugs)
	if err != nil {
		return err
	}
	for _, slug := range slugs {
		if !w.engine.HoldsLease(slug) {
			continue // the agent's server receives the same event
		}
		agent, err := w.store.AgentUncounted(ctx, slug)
		if errors.Is(err, memories.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if writes, err := w.writes(ctx, agent); err != nil || !writes {
			if err != nil {
				w.log.Warn("phrases not requested", "agent", slug, "error", err)
			}
			continue
		}
		if err := w.kind.EnqueueNext(ctx, agent, jobArgs{}, jobKey, w.budget); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// writes reports whether the model writes phrases for the agent. It does not if the agent's memory is
// off, in Memoir or in Claude Code.
func (w *Writer) writes(ctx context.Context, agent records.Agent) (bool, error) {
	if agent.MemoryOff {
		return false, nil
	}
	about, err := w.engine.About(ctx, agent.Slug)
	return err == nil && !about.IsOff(), err
}
