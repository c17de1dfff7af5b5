package consolidation

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"memoir/internal/jobs"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// The limits of automatic steps (arbitrary). One run applies at most maxAutoSteps, and deletes at
// most one in minPerDeletion memories.
const (
	maxAutoSteps   = 8
	minPerDeletion = 10
)

// work calls round at once and then every Options.Every, until ctx ends. It logs errors. It skips a
// round while the engine is not ready.
func (c *Consolidator) work(ctx context.Context) {
	rounds := time.NewTicker(c.options.Every)
	defer rounds.Stop()
	lastChecks := map[string]time.Time{}
	for {
		if c.engine.Ready() {
			if err := c.round(ctx, lastChecks); err != nil && ctx.Err() == nil {
				c.options.Log.Warn("consolidation check failed, will retry", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-rounds.C:
		}
	}
}

// round releases lock files of earlier consolidations, finishes interrupted steps, and enqueues
// plans for due agents whose lease this server holds. If the first two fail, it returns their
// error and enqueues nothing. It enqueues nothing in mode Off, and in mode Plan without a model.
// It checks an agent only if its time in lastChecks is at least checkInterval ago, and then
// updates that time. It logs the errors of these checks.
func (c *Consolidator) round(ctx context.Context, lastChecks map[string]time.Time) error {
	if err := errors.Join(c.releaseLocks(ctx), c.finishSteps(ctx)); err != nil {
		return err
	}
	if c.options.Mode == Off || c.options.Mode == Plan && c.options.Model == nil {
		return nil
	}
	all, err := c.store.AgentsUncounted(ctx)
	if err != nil {
		return err
	}
	for _, agent := range all {
		if ctx.Err() != nil || time.Since(lastChecks[agent.Slug]) < checkInterval || !c.engine.HoldsLease(agent.Slug) {
			continue
		}
		lastChecks[agent.Slug] = time.Now()
		if err := c.consolidateIfDue(ctx, agent); err != nil && ctx.Err() == nil {
			c.options.Log.Warn("consolidation failed, will retry", "agent", agent.Slug, "error", err)
		}
	}
	return nil
}

// finishSteps applies or undoes the rest of the interrupted steps of all agents. It skips agents
// with a conflict, such as a running consolidation. It stops at the first other error and returns
// it.
func (c *Consolidator) finishSteps(ctx context.Context) error {
	slugs, err := c.store.AgentsConsolidating(ctx)
	if err != nil {
		return err
	}
	for _, slug := range slugs {
		agent, err := c.store.AgentUncounted(ctx, slug)
		if err == nil {
			err = c.exclusive(ctx, agent, func() error {
				return c.withLock(ctx, slug, func(checkLock func() error) (bool, error) { return c.runSteps(ctx, agent, checkLock) })
			})
		}
		if err != nil && conflictIn(err) == "" {
			return err
		}
	}
	return nil
}

// consolidateIfDue enqueues a job that makes a plan if the agent is due, and else returns nil. An
// agent is due if the gates for time, conversations and lock are open and no server has checked it
// within checkInterval. It records its check if the time gate is open. It does nothing for an
// agent with memory off or a joined agent, or if such a job of the agent is unfinished.
func (c *Consolidator) consolidateIfDue(ctx context.Context, agent records.Agent) error {
	if agent.JoinedTo != "" { // a joined agent has no memories of its own
		return nil
	}
	if err := c.checkOn(ctx, agent); err != nil {
		if conflictIn(err) != "" {
			return nil
		}
		return err
	}
	f := Facts{Now: time.Now()}
	var err error
	if f.Lock, err = c.engine.ConsolidationLock(ctx, agent.Slug); err != nil || !timeGate(f).Open {
		return err
	}
	if first, err := c.store.ClaimConsolidationCheck(ctx, agent.ID, f.Now, f.Now.Add(-checkInterval)); err != nil || !first {
		return err
	}
	f.Conversations, err = c.engine.ConversationsSince(ctx, agent.Slug, f.Lock.Last, minConversations)
	if err != nil || !conversationsGate(f).Open || !lockGate(f).Open {
		return err
	}
	return c.kind.Enqueue(ctx, agent, jobArgs{By: memories.ByMemoir, Due: true}, jobs.Once{Key: planKey})
}

// runAuto makes and stores a plan for an agent that was due. In mode Auto it also applies the
// steps that autoSteps permits. The lock file keeps this time as the last consolidation, in both
// modes and even if the plan is empty. It returns memories.ErrNotFound for an unknown agent. It
// returns *memories.ConflictError if consolidation or the agent's memory is off, the last
// consolidation is less than 24 hours ago, or another one runs.
func (c *Consolidator) runAuto(ctx context.Context, slug string) (plan records.Plan, err error) {
	agent, err := c.store.AgentUncounted(ctx, slug)
	if err != nil {
		return plan, err
	}
	if err := c.checkOn(ctx, agent); err != nil {
		return plan, err
	}
	lock, err := c.engine.ConsolidationLock(ctx, agent.Slug)
	if err != nil {
		return plan, err
	}
	if c.options.Mode == Off || !timeGate(Facts{Now: time.Now(), Lock: lock}).Open {
		return plan, &memories.ConflictError{Reason: "These memories were just consolidated, or consolidation is off. Nothing was changed."}
	}
	err = c.exclusive(ctx, agent, func() error {
		return c.withLock(ctx, agent.Slug, func(checkLock func() error) (bool, error) {
			if plan, err = c.planner.makePlan(ctx, agent, memories.ByMemoir, checkLock); err != nil {
				return false, err
			}
			chosen := autoSteps(plan)
			if c.options.Mode != Auto || len(chosen) == 0 {
				return true, nil
			}
			if err := c.store.ChooseSteps(ctx, agent.ID, chosen, memories.ByMemoir); err != nil {
				return true, err
			}
			_, err := c.runSteps(engine.As(ctx, memories.ByMemoir), agent, checkLock)
			return true, err
		})
	})
	return plan, err
}

// autoSteps returns the ids of the first steps of a plan for which isCertain is true, at most
// maxAutoSteps. Together they delete at most one in minPerDeletion of the plan's memories, rounded
// down. It leaves out a step that would exceed this, and continues with the next.
func autoSteps(plan records.Plan) []uuid.UUID {
	var chosen []uuid.UUID
	deletions := plan.Memories / minPerDeletion
	for _, step := range plan.Steps {
		deletes := 0
		for _, change := range step.Changes {
			if change.Op == records.ChangeDelete {
				deletes++
			}
		}
		if deletes > deletions || !isCertain(step) {
			continue
		}
		deletions -= deletes
		if chosen = append(chosen, step.ID); len(chosen) == maxAutoSteps {
			break
		}
	}
	return chosen
}

// isCertain reports whether a step may be applied without a person. It is one of rules that removes
// exact duplicates, superseded memories, or dead lines of the index and nothing else.
func isCertain(step records.Step) bool {
	switch {
	case step.Source != sourceFound:
		return false
	case step.Kind == kindMerge, step.Kind == kindDelete:
		return true
	case step.Kind == kindReindex:
		return len(step.Changes) == 1 && onlyRemovesLines(step.Changes[0].Before.Body, step.Changes[0].After.Body)
	}
	return false
}

// onlyRemovesLines reports whether after is before without some of its lines.
func onlyRemovesLines(before, after string) bool {
	rest := slices.Collect(strings.Lines(before))
	for line := range strings.Lines(after) {
		i := slices.Index(rest, line)
		if i < 0 {
			return false
		}
		rest = rest[i+1:]
	}
	return true
}
