package consolidation

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"memoir/internal/jobs"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync"
)

// What is applied without a person is bounded: mostAlone steps, which delete at most one in deletedAlone of the memories.
const (
	maxAutoSteps = 8
	deletedAlone = 10
)

// work makes rounds until ctx ends.
func (c *Consolidator) work(ctx context.Context) {
	rounds := time.NewTicker(c.options.Every)
	defer rounds.Stop()
	looked := map[string]time.Time{}
	for {
		if c.engine.Ready() {
			if err := c.round(ctx, looked); err != nil && ctx.Err() == nil {
				c.options.Log.Warn("consolidation could not look around; tried again", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-rounds.C:
		}
	}
}

// round finishes what was left unfinished, and then looks which agents are due. looked says when each was looked at last by this
// server, so that a round over thousands of agents asks nothing of most.
func (c *Consolidator) round(ctx context.Context, looked map[string]time.Time) error {
	if err := errors.Join(c.releaseLocks(ctx), c.finish(ctx)); err != nil {
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
		if ctx.Err() != nil || time.Since(looked[agent.Slug]) < betweenLooks || !c.engine.LooksAfter(agent.Slug) {
			continue
		}
		looked[agent.Slug] = time.Now()
		if err := c.consolidateIfDue(ctx, agent); err != nil && ctx.Err() == nil {
			c.options.Log.Warn("an agent's memories could not be consolidated; tried again", "agent", agent.Slug, "error", err)
		}
	}
	return nil
}

// finish carries on with what a crash, or a database that went away, has left of steps that were decided.
func (c *Consolidator) finish(ctx context.Context) error {
	slugs, err := c.store.AgentsConsolidating(ctx)
	if err != nil {
		return err
	}
	for _, slug := range slugs {
		if err := c.Finish(ctx, slug); err != nil && conflictIn(err) == "" {
			return err
		}
	}
	return nil
}

// Finish carries on with the steps of an agent that are decided and not done. It fails with *memories.ConflictError while somebody else
// consolidates.
func (c *Consolidator) Finish(ctx context.Context, slug string) error {
	agent, err := c.store.AgentUncounted(ctx, slug)
	if err != nil {
		return err
	}
	return c.alone(ctx, agent, func() error {
		return c.locked(ctx, slug, func(still func() error) (bool, error) { return c.carryOut(ctx, agent, still) })
	})
}

// consolidateIfDue asks the gates one after the other, the cheapest first, and what is asked of one only when those before are open.
// When all are, a plan is made as background work: once, however many servers there are, and again when it fails.
func (c *Consolidator) consolidateIfDue(ctx context.Context, agent records.Agent) error {
	if agent.MemoryOff || agent.JoinedTo != "" { // the memories of one that is joined are the other's
		return nil
	}
	due, err := c.isDue(ctx, agent, time.Now())
	if err != nil || !due {
		return err
	}
	return c.kind.Enqueue(ctx, agent, jobArgs{By: memories.ByMemoir, Due: true}, jobs.Once{Key: planKey})
}

// consolidateAlone makes a plan that nobody asked for, and applies what may be applied without a person. It is a consolidation, whatever
// comes of it: the lock keeps its time.
func (c *Consolidator) consolidateAlone(ctx context.Context, agent records.Agent) (plan records.Plan, err error) {
	if agent.MemoryOff {
		return plan, errMemoryOff
	}
	lock, err := c.engine.ConsolidationLock(ctx, agent.Slug)
	if err != nil {
		return plan, err
	}
	if c.options.Mode == Off || !longEnoughAgo(Facts{Now: time.Now(), Lock: lock}).Open {
		return plan, &memories.ConflictError{Reason: "These memories were consolidated meanwhile, or consolidation was switched off. Nothing was done."}
	}
	err = c.alone(ctx, agent, func() error {
		return c.locked(ctx, agent.Slug, func(still func() error) (bool, error) {
			if plan, err = c.makePlan(ctx, agent, memories.ByMemoir, still); err != nil {
				return false, err
			}
			if c.options.Mode != Auto {
				return true, nil
			}
			return true, c.applyAlone(ctx, agent, plan, still)
		})
	})
	return plan, err
}

func (c *Consolidator) isDue(ctx context.Context, agent records.Agent, now time.Time) (bool, error) {
	f := Facts{Now: now}
	var err error
	if f.Lock, err = c.engine.ConsolidationLock(ctx, agent.Slug); err != nil || !longEnoughAgo(f).Open {
		return false, err
	}
	if first, err := c.store.LookAtConsolidation(ctx, agent.ID, now, now.Add(-betweenLooks)); err != nil || !first {
		return false, err
	}
	if f.Conversations, err = c.engine.ConversationsSince(ctx, agent.Slug, f.Lock.Last, enoughConversations); err != nil || !enoughHappened(f).Open {
		return false, err
	}
	return lockIsFree(f).Open, nil
}

// applyAlone applies a few steps of a plan without a person.
func (c *Consolidator) applyAlone(ctx context.Context, agent records.Agent, plan records.Plan, still func() error) error {
	chosen := alone(plan)
	if len(chosen) == 0 {
		return nil
	}
	if err := c.store.ChooseSteps(ctx, agent.ID, chosen, memories.ByMemoir); err != nil {
		return err
	}
	_, err := c.carryOut(sync.As(ctx, memories.ByMemoir), agent, still)
	return err
}

// alone returns the steps of a plan that may be applied without a person.
func alone(plan records.Plan) []uuid.UUID {
	var chosen []uuid.UUID
	deletions := plan.Memories / deletedAlone
	for _, step := range plan.Steps {
		going := 0
		for _, change := range step.Changes {
			if change.Op == records.ChangeDelete {
				going++
			}
		}
		if going > deletions {
			continue
		}
		deletions -= going
		if chosen = append(chosen, step.ID); len(chosen) == maxAutoSteps {
			break
		}
	}
	return chosen
}
