package consolidation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"memoir/internal/jobs"
	"memoir/internal/memories"
	"memoir/internal/records"
)

const (
	// jobKind is under which name plans stand among the background work, and planKey what makes two of an agent the same.
	jobKind = "consolidation"
	planKey = "plan"
	// pollJob is how often it is looked whether a plan that somebody waits for is made.
	pollJob = 100 * time.Millisecond
)

// jobArgs say what a plan is made for.
type jobArgs struct {
	By memories.Actor `json:"by"`
	// Due says that nobody asked for it: the gates were open. It is then that steps may be applied.
	Due bool `json:"due"`
}

// Request has a plan made for an agent, as background work, and waits for it as long as it may: a model can take its time. It returns
// false where the plan is still being made, which goes on, also on another server, and is told to whoever listens. It fails as MakePlan
// does. Whoever asks while one is being made waits for that.
func (c *Consolidator) Request(ctx context.Context, slug string, by memories.Actor, wait time.Duration) (made bool, err error) {
	agent, err := c.permitted(ctx, slug)
	if err != nil {
		return false, err
	}
	last, err := c.lastJob(ctx, agent.ID)
	if err != nil {
		return false, err
	}
	before := last.ID
	if last.State == jobs.Running || last.State == jobs.Waiting {
		before-- // it is the one that is waited for
	}
	if last.State != jobs.Running { // where one has begun meanwhile, that is the one
		if err := c.kind.Enqueue(ctx, agent, jobArgs{By: by}, jobs.Once{Key: planKey}); err != nil {
			return false, err
		}
	}
	return c.await(ctx, agent.ID, before, time.Now().Add(wait))
}

// await waits until a job after the given one has ended.
func (c *Consolidator) await(ctx context.Context, agentID, before int64, until time.Time) (made bool, err error) {
	again := time.NewTicker(pollJob)
	defer again.Stop()
	for {
		job, err := c.lastJob(ctx, agentID)
		switch {
		case err != nil:
			return false, err
		case job.ID <= before:
		case job.State == jobs.Done:
			return true, nil
		case job.State == jobs.Failed, job.State == jobs.Cancelled:
			return false, &memories.ConflictError{Reason: job.Problem}
		}
		if time.Now().After(until) {
			return false, nil
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// lastJob returns the plan of an agent that was begun last, or is yet to be; the zero one where there is none on record.
func (c *Consolidator) lastJob(ctx context.Context, agentID int64) (last jobs.Entry, err error) {
	all, err := jobs.List(ctx, c.store, agentID)
	for _, job := range all {
		if job.Kind == jobKind && job.ID > last.ID {
			last = job
		}
	}
	return last, err
}

// work makes a plan. What stands in the way of one that somebody has asked for is told to them, and not tried again; one that was only
// due is due again.
func (c *Consolidator) workAt(ctx context.Context, job jobs.Job, args jobArgs) (jobs.Outcome, error) {
	plan, err := c.carryOutJob(ctx, job.Slug, args)
	outcome := jobs.Outcome{Model: plan.Model, InputTokens: plan.InputTokens, OutputTokens: plan.OutputTokens}
	var conflict *memories.ConflictError
	switch {
	case errors.As(err, &conflict) && args.Due:
		outcome.Said = conflict.Reason
		return outcome, nil
	case errors.As(err, &conflict), errors.Is(err, memories.ErrNotFound):
		return outcome, jobs.Permanent(err)
	case err != nil:
		return outcome, err
	}
	outcome.Said = fmt.Sprintf("A plan with %s, of %s.", counted(len(plan.Steps), "step", "steps"), counted(plan.Memories, "memory", "memories"))
	return outcome, nil
}

func (c *Consolidator) carryOutJob(ctx context.Context, slug string, args jobArgs) (plan records.Plan, err error) {
	if !args.Due {
		return c.MakePlan(ctx, slug, args.By)
	}
	agent, err := c.store.AgentUncounted(ctx, slug)
	if err != nil {
		return plan, err
	}
	return c.consolidateAlone(ctx, agent)
}
