// Package consolidation tidies an agent's memories up, as sleep does: what says the same becomes one, what was superseded goes, links
// that lead nowhere are mended, the index is brought under its caps. Claude Code calls it dreaming, and Memoir follows its protocol: the
// same gates, and the same lock in the memory directory, so that the two never do it at once.
//
// What comes of it is a plan, which changes nothing: steps, each with its reason and with what every memory says before and after. A
// person applies all of them, some or none; where the settings say so, a few are applied by themselves. A step is applied as a whole
// and can be undone as a whole. What can be known for certain is found by rules; a model, where one can be asked, finds the rest, and
// what it says is checked before it becomes a step.
//
// It owns what a plan is and what is done in which order. It touches neither files nor rows: the sync room writes, package postgres
// keeps plans. The API and the pages call it.
package consolidation

import (
	"context"
	"errors"
	"log/slog"
	gosync "sync"
	"time"

	"memoir/internal/jobs"
	"memoir/internal/memories"
	"memoir/internal/model"
	"memoir/internal/records"
	"memoir/internal/sync"
)

// Mode says what is done without being asked.
type Mode string

// The modes.
const (
	Off  Mode = "off"  // nothing, and no plans on request either
	Plan Mode = "plan" // where a model can be asked, a plan is made when the gates are open; a person applies it
	Auto Mode = "auto" // a plan is made when the gates are open, and a few of its steps are applied
)

// Options are the settings of a Consolidator.
type Options struct {
	Mode Mode // empty: Plan
	// Model is asked for what rules cannot find; nil: they are all there is.
	Model model.Model
	// ModelName is what the model is called, for people.
	ModelName string
	// Every is the time between two rounds over all agents; 1 minute. The gates see to it that hardly anything is done in one.
	Every time.Duration
	// Stop, for tests, is called before each change of a step, and when it is made and not yet noted. Where it returns true, everything
	// ends there, as in a crash.
	Stop func(step records.Step, change int, made bool) bool
	Log  *slog.Logger
}

// atOnce is how many agents are consolidated at the same time on one server: each holds a connection to the database. Plans, for which
// a model may take minutes, take as many of the places as the queue has workers, so that whoever applies a step finds one.
const atOnce = 6

// Consolidator makes plans, and applies and undoes their steps. Its methods are safe for concurrent use.
type Consolidator struct {
	engine  *sync.Engine
	store   Store
	options Options
	places  chan struct{}
	kind    jobs.Kind[jobArgs]

	stop    context.CancelFunc
	running gosync.WaitGroup

	mu   gosync.Mutex
	held map[string]heldLock // the locks that are to be let go, by the slugs of their agents
}

// Start begins to look which agents are due, and to finish what a crash has left. Plans are made as work of the queue, which is started
// afterwards. Close ends it, before the engine is closed and after the queue is.
func Start(engine *sync.Engine, store Store, queue *jobs.Queue, options Options) *Consolidator {
	if options.Mode == "" {
		options.Mode = Plan
	}
	if options.Every == 0 {
		options.Every = time.Minute
	}
	ctx, stop := context.WithCancel(context.Background())
	c := &Consolidator{engine: engine, store: store, options: options, places: make(chan struct{}, atOnce), stop: stop, held: map[string]heldLock{}}
	c.kind = jobs.Register(queue, jobKind, c.workAt)
	c.running.Go(func() { c.work(ctx) })
	return c
}

// Close ends the work in the background, and waits for the step that is being carried out.
func (c *Consolidator) Close() {
	c.stop()
	c.running.Wait()
}

// Mode returns what is done without being asked.
func (c *Consolidator) Mode() Mode { return c.options.Mode }

// HasModel reports whether a model is asked.
func (c *Consolidator) HasModel() bool { return c.options.Model != nil }

// errOff says that the settings have no consolidation.
var errOff = &memories.ConflictError{Reason: "Consolidation is switched off (--consolidate off). Nothing was changed. Start Memoir with --consolidate plan to have plans made."}

// errMemoryOff says that somebody has switched the agent's memory off.
var errMemoryOff = &memories.ConflictError{Reason: "This agent's memory is switched off. Nothing was changed. Switch it on under About to have its memories consolidated."}

// permitted returns an agent whose memories may be consolidated. It fails with memories.ErrNotFound, and with *memories.ConflictError
// where that is switched off, for all agents or for this one.
func (c *Consolidator) permitted(ctx context.Context, slug string) (records.Agent, error) {
	if c.options.Mode == Off {
		return records.Agent{}, errOff
	}
	agent, err := c.store.AgentUncounted(ctx, slug)
	if err == nil && agent.MemoryOff {
		err = errMemoryOff
	}
	return agent, err
}

// Overview is how an agent's consolidation stands.
type Overview struct {
	Mode     Mode
	HasModel bool
	Gates    []Gate
	Last     time.Time      // of the last consolidation, whoever did it; zero: never
	Plan     *records.Plan  // nil: there is none
	Applied  []records.Step // of all plans, newest first, with those that were undone since
	Busy     bool           // steps are being applied or undone
	Planning bool           // a plan is being made
	Failed   string         // why the last plan that was asked for came to nothing; empty: it did not
}

// CanUndo reports whether a step can be undone.
func CanUndo(step records.Step) bool { return step.State == records.StepApplied }

// mostApplied is how many applied steps are listed.
const mostApplied = 50

// Look returns how an agent's consolidation stands. It changes nothing, and is no look that the gates count. It fails with
// memories.ErrNotFound.
func (c *Consolidator) Look(ctx context.Context, slug string) (Overview, error) {
	agent, err := c.store.AgentUncounted(ctx, slug)
	if err != nil {
		return Overview{}, err
	}
	facts, err := c.facts(ctx, agent)
	if err != nil {
		return Overview{}, err
	}
	o := Overview{Mode: c.options.Mode, HasModel: c.HasModel(), Gates: Gates(facts), Last: facts.Lock.Last}
	job, err := c.lastJob(ctx, agent.ID)
	if err != nil {
		return Overview{}, err
	}
	o.Planning = job.State == jobs.Running || job.State == jobs.Waiting
	if job.State != jobs.Done {
		o.Failed = job.Problem
	}
	plan, err := c.store.Consolidation(ctx, agent.ID)
	switch {
	case err == nil:
		o.Plan = &plan
	case !errors.Is(err, memories.ErrNotFound):
		return Overview{}, err
	}
	if o.Applied, err = c.store.AppliedSteps(ctx, agent.ID, mostApplied); err != nil {
		return Overview{}, err
	}
	unfinished, err := c.store.UnfinishedSteps(ctx, agent.ID)
	o.Busy = len(unfinished) > 0
	return o, err
}

// Applied returns the steps that were applied to an agent's memories last.
func (c *Consolidator) Applied(ctx context.Context, agentID int64, most int) ([]records.Step, error) {
	return c.store.AppliedSteps(ctx, agentID, most)
}

// facts gathers what all gates go by.
func (c *Consolidator) facts(ctx context.Context, agent records.Agent) (Facts, error) {
	f := Facts{Now: time.Now()}
	var err error
	if f.Lock, err = c.engine.ConsolidationLock(ctx, agent.Slug); err != nil {
		return f, err
	}
	if f.Looked, err = c.store.ConsolidationLook(ctx, agent.ID); err != nil {
		return f, err
	}
	f.Conversations, err = c.engine.ConversationsSince(ctx, agent.Slug, f.Lock.Last, mostConversations)
	return f, err
}

// Discard takes an agent's plan away. It fails with memories.ErrNotFound where there is none, and with *memories.ConflictError while
// steps of it are being carried out.
func (c *Consolidator) Discard(ctx context.Context, slug string) error {
	agent, err := c.store.AgentUncounted(ctx, slug)
	if err != nil {
		return err
	}
	return c.alone(ctx, agent, func() error {
		if err := c.store.DiscardConsolidation(ctx, agent.ID); err != nil {
			return err
		}
		c.engine.EmitScanned(slug)
		return nil
	})
}

// alone runs do while nobody else, on any server, consolidates the agent. It fails with records.ErrConsolidating.
func (c *Consolidator) alone(ctx context.Context, agent records.Agent, do func() error) error {
	select {
	case c.places <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.places }()
	return c.store.WithConsolidation(ctx, agent.ID, do)
}

// locked runs do while no other program consolidates the agent either. The lock keeps the time of a consolidation that has come to
// something, and is put back after one that has not.
func (c *Consolidator) locked(ctx context.Context, slug string, do func(still func() error) (cameToSomething bool, err error)) error {
	if err := c.releaseLock(ctx, slug); err != nil {
		return err
	}
	taken, err := c.engine.BeginConsolidation(ctx, slug)
	if err != nil {
		return err
	}
	came, err := do(func() error { return c.engine.StillConsolidating(ctx, slug, taken) })
	c.keep(slug, heldLock{taken, came})
	if ended := c.releaseLock(context.WithoutCancel(ctx), slug); ended != nil {
		c.options.Log.Warn("the lock of a consolidation could not be let go; tried again", "agent", slug, "error", ended)
	}
	return err
}
