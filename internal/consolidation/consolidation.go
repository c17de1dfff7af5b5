// Package consolidation tidies up an agent's memories: it merges duplicates, deletes superseded
// memories, fixes dead links, and shortens the index. It follows the protocol of Claude Code's
// "dreaming": the same gates, and the same lock in the memory directory.
//
// It makes a plan of steps, each with a reason and the texts before and after. A plan changes
// nothing. A person applies steps; mode Auto also applies a few. A step is applied and undone as a
// whole. Rules find what is certain. A model, if configured, proposes more, and its proposals are
// checked.
//
// It owns plans and the order of their steps. It never touches files or rows itself: package sync
// writes, package postgres stores plans. The API and the pages call it.
package consolidation

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"memoir/internal/jobs"
	"memoir/internal/memories"
	"memoir/internal/model"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// Mode selects the automatic actions.
type Mode string

// The modes. The zero Mode means Plan.
const (
	Off  Mode = "off"  // no plans, on request neither
	Plan Mode = "plan" // with a model, a plan is made when the gates are open
	Auto Mode = "auto" // a plan is made when the gates are open, and a few of its steps are applied
)

// Options configures a Consolidator.
type Options struct {
	Mode Mode // empty means Plan
	// Model proposes steps that rules cannot find. If it is nil, plans come from rules only.
	Model model.Model
	// ModelName is the model's name, for users.
	ModelName string
	// Every is the time between two checks whether agents are due. Zero means 1 minute.
	Every time.Duration
	// Stop is for tests. It is called before each change of a step, and after the change before it
	// is recorded. If it returns true, the step stops as in a crash.
	Stop func(step records.Step, change int, made bool) bool
	Log  *slog.Logger
}

// maxParallel is the maximum number of agents consolidated in parallel on one server. Each uses a
// database connection. Plans use at most as many as the queue has workers, so that applying a step
// need not wait for a model.
const maxParallel = 6

// Consolidator makes plans, and applies and undoes their steps. Its methods are safe for concurrent
// use.
type Consolidator struct {
	engine  *engine.Engine
	store   Store
	options Options
	planner planner
	slots   chan struct{}
	kind    jobs.Kind[jobArgs]

	stop    context.CancelFunc
	running sync.WaitGroup

	held sync.Map // agent slug to the heldLock that must be released
}

// Start returns a Consolidator. In the background it finishes interrupted steps and enqueues plans
// for agents that are due. It registers the job that makes plans, so the caller must start queue
// afterwards, and call Close after closing queue and before closing engine.
func Start(engine *engine.Engine, store Store, queue *jobs.Queue, options Options) *Consolidator {
	if options.Mode == "" {
		options.Mode = Plan
	}
	if options.Every == 0 {
		options.Every = time.Minute
	}
	if options.Stop == nil {
		options.Stop = func(records.Step, int, bool) bool { return false }
	}
	ctx, stop := context.WithCancel(context.Background())
	c := &Consolidator{engine: engine, store: store, options: options, planner: planner{engine, store, options}, slots: make(chan struct{}, maxParallel), stop: stop}
	c.kind = jobs.Register(queue, jobKind, c.workAt)
	c.running.Go(func() { c.work(ctx) })
	return c
}

// Close cancels the background work and waits for its end. It does not wait for jobs or for calls
// of other methods.
func (c *Consolidator) Close() {
	c.stop()
	c.running.Wait()
}

// errOff means that the mode is Off.
var errOff = &memories.ConflictError{Reason: "Consolidation is off. Nothing was changed. Start Memoir with --consolidate plan."}

// errMemoryOff means that the agent's memory is off.
var errMemoryOff = &memories.ConflictError{Reason: "This agent's memory is off. Nothing was changed. Switch it on in Settings."}

// errClaudeMemoryOff means that Claude Code's own memory is off for the agent.
var errClaudeMemoryOff = &memories.ConflictError{Reason: "Claude Code's memory is off for this agent. Nothing was changed. Settings shows how to switch it on."}

// checkOn returns errMemoryOff or errClaudeMemoryOff if the agent's memory is off. It returns other
// errors if that cannot be found out.
func (c *Consolidator) checkOn(ctx context.Context, agent records.Agent) error {
	if agent.MemoryOff {
		return errMemoryOff
	}
	about, err := c.engine.About(ctx, agent.Slug)
	if err == nil && about.IsOff() {
		return errClaudeMemoryOff
	}
	return err
}

// permitted returns the agent with the slug. It returns memories.ErrNotFound for an unknown agent,
// and *memories.ConflictError if consolidation or the agent's memory is off, in Memoir or Claude
// Code.
func (c *Consolidator) permitted(ctx context.Context, slug string) (records.Agent, error) {
	if c.options.Mode == Off {
		return records.Agent{}, errOff
	}
	agent, err := c.store.AgentUncounted(ctx, slug)
	if err == nil {
		err = c.checkOn(ctx, agent)
	}
	return agent, err
}

// Overview is the state of an agent's consolidation.
type Overview struct {
	Mode     Mode
	HasModel bool
	Gates    []Gate
	Last     time.Time      // last consolidation by any program; zero if never
	Plan     *records.Plan  // nil if there is no plan
	Applied  []records.Step // of all plans, newest first, undone ones included
	Busy     bool           // chosen steps or an undo are not finished
	Planning bool           // a plan is being made
	Failed   string         // why the last requested plan failed; empty if it did not
}

// CanUndo reports whether a step is applied and not undone. Undo refuses any other step; it also
// refuses one whose texts have changed since.
func CanUndo(step records.Step) bool { return step.State == records.StepApplied }

// maxApplied is the maximum number of applied steps in an Overview (arbitrary).
const maxApplied = 50

// Overview returns the state of an agent's consolidation: its gates, plan, last maxApplied applied
// steps and running work. It changes nothing. An agent without a plan has a nil Plan and no error.
// It returns memories.ErrNotFound for an unknown agent.
func (c *Consolidator) Overview(ctx context.Context, slug string) (Overview, error) {
	agent, err := c.store.AgentUncounted(ctx, slug)
	if err != nil {
		return Overview{}, err
	}
	facts, err := c.planner.facts(ctx, agent)
	if err != nil {
		return Overview{}, err
	}
	o := Overview{Mode: c.options.Mode, HasModel: c.options.Model != nil, Gates: Gates(facts), Last: facts.Lock.Last}
	job, err := lastJob(ctx, c.store, agent.ID)
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
	if o.Applied, err = c.store.AppliedSteps(ctx, agent.ID, maxApplied); err != nil {
		return Overview{}, err
	}
	unfinished, err := c.store.UnfinishedSteps(ctx, agent.ID)
	o.Busy = len(unfinished) > 0
	return o, err
}

// Applied returns the agent's last applied steps, newest first, at most limit. It includes steps
// that were undone later. For an unknown agent it returns no steps and no error.
func (c *Consolidator) Applied(ctx context.Context, agentID int64, limit int) ([]records.Step, error) {
	return c.store.AppliedSteps(ctx, agentID, limit)
}

// facts returns the data that the gates check: the time, the lock file, the time of the last
// check, and the conversations since the last consolidation. It counts at most maxConversations.
func (p *planner) facts(ctx context.Context, agent records.Agent) (Facts, error) {
	f := Facts{Now: time.Now()}
	var err error
	if f.Lock, err = p.engine.ConsolidationLock(ctx, agent.Slug); err != nil {
		return f, err
	}
	if f.Looked, err = p.store.ConsolidationCheckedAt(ctx, agent.ID); err != nil {
		return f, err
	}
	f.Conversations, err = p.engine.ConversationsSince(ctx, agent.Slug, f.Lock.Last, maxConversations)
	return f, err
}

// Discard closes an agent's plan, deletes its steps that were not applied, and emits an event for
// open pages. It changes no memory, and applied steps can still be undone. It returns
// memories.ErrNotFound if the agent or the plan does not exist, and *memories.ConflictError while
// another consolidation of the agent runs.
func (c *Consolidator) Discard(ctx context.Context, slug string) error {
	agent, err := c.store.AgentUncounted(ctx, slug)
	if err != nil {
		return err
	}
	return c.exclusive(ctx, agent, func() error {
		if err := c.store.DiscardConsolidation(ctx, agent.ID); err != nil {
			return err
		}
		c.engine.EmitScanned(slug)
		return nil
	})
}

// exclusive waits until fewer than maxParallel consolidations run on this server, then runs do and
// returns its error. If another consolidation of the agent runs on any server, it returns
// records.ErrConsolidating and does not run do. If ctx ends while it waits, it returns ctx.Err().
func (c *Consolidator) exclusive(ctx context.Context, agent records.Agent, do func() error) error {
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.slots }()
	return c.store.WithConsolidation(ctx, agent.ID, do)
}

// withLock takes the agent's lock file, which excludes other programs, runs do, and releases the
// lock. checkLock returns an error if the lock was lost. If do returns keepTime, the lock file
// keeps the new time of consolidation, otherwise it gets the old time back. If another program has
// the lock, it returns *memories.ConflictError without running do. Otherwise it returns do's
// error. It only logs a failed release, which round repeats.
func (c *Consolidator) withLock(ctx context.Context, slug string, do func(checkLock func() error) (keepTime bool, err error)) error {
	if err := c.releaseLock(ctx, slug); err != nil {
		return err
	}
	taken, err := c.engine.BeginConsolidation(ctx, slug)
	if err != nil {
		return err
	}
	keepTime, err := do(func() error { return c.engine.CheckConsolidation(ctx, slug, taken) })
	c.held.Store(slug, heldLock{taken, keepTime})
	if err := c.releaseLock(context.WithoutCancel(ctx), slug); err != nil {
		c.options.Log.Warn("consolidation lock not released, will retry", "agent", slug, "error", err)
	}
	return err
}

// Store is the database of a Consolidator. *postgres.Store implements and documents it.
type Store interface {
	records.Agents
	records.Memories
	records.AllMemories
	records.Disagreements
	records.Logs
	records.Verifications
	records.Plans
	records.Jobs

	WithConsolidation(ctx context.Context, agentID int64, do func() error) error
	ClaimConsolidationCheck(ctx context.Context, agentID int64, at, unlessAfter time.Time) (bool, error)
	SaveConsolidation(ctx context.Context, agentID int64, c records.Plan) error
	DiscardConsolidation(ctx context.Context, agentID int64) error
	ChooseSteps(ctx context.Context, agentID int64, ids []uuid.UUID, actor memories.Actor) error
	SaveStep(ctx context.Context, step records.Step) error
}
