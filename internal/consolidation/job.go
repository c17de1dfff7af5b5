package consolidation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"memoir/internal/jobs"
	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
	"memoir/internal/records"
)

const (
	// jobKind is the kind of the jobs that make plans. planKey is their key, so that an agent has
	// one at most.
	jobKind = "consolidation"
	planKey = "plan"
	// pollJob is the interval of the checks whether a requested plan is finished (arbitrary).
	pollJob = 100 * time.Millisecond
)

// jobArgs are the arguments of a job.
type jobArgs struct {
	By memories.Actor `json:"by"`
	// Due means that no one requested the plan: the gates were open. Only then may its steps be
	// applied automatically.
	Due bool `json:"due"`
}

// Request enqueues a job that makes a plan for the agent, unless one waits or runs, and waits for
// its end for at most wait. made is false with a nil error if the job is not finished then; it
// continues, possibly on another server. It returns memories.ErrNotFound for an unknown agent, and
// *memories.ConflictError if consolidation or the agent's memory is off, or the job failed. If ctx
// ends, it returns ctx.Err(), and the job continues.
func (c *Consolidator) Request(ctx context.Context, slug string, by memories.Actor, wait time.Duration) (made bool, err error) {
	agent, err := c.permitted(ctx, slug)
	if err != nil {
		return false, err
	}
	last, err := lastJob(ctx, c.store, agent.ID)
	if err != nil {
		return false, err
	}
	before := last.ID
	if last.State == jobs.Running || last.State == jobs.Waiting {
		before-- // wait for this one
	}
	if last.State != jobs.Running { // a running one makes the requested plan
		if err := c.kind.Enqueue(ctx, agent, jobArgs{By: by}, jobs.Once{Key: planKey}); err != nil {
			return false, err
		}
	}
	until := time.Now().Add(wait)
	ticker := time.NewTicker(pollJob)
	defer ticker.Stop()
	for {
		job, err := lastJob(ctx, c.store, agent.ID)
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
		case <-ticker.C:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// lastJob returns the newest job that makes a plan in the result of jobs.List for the agent. It
// returns a zero Entry if there is no such job.
func lastJob(ctx context.Context, store records.Jobs, agentID int64) (last jobs.Entry, err error) {
	all, err := jobs.List(ctx, store, agentID)
	for _, job := range all {
		if job.Kind == jobKind && job.ID > last.ID {
			last = job
		}
	}
	return last, err
}

// workAt is the work of the job that makes a plan. If args.Due is set, it may also apply steps.
// With args.Due, a conflict is no error and its reason is the result's message. Without args.Due,
// it returns jobs.Permanent for a conflict, so that the job fails without a retry. An unknown
// agent is always jobs.Permanent. The result has the used tokens, also with an error.
func (c *Consolidator) workAt(ctx context.Context, job jobs.Job, args jobArgs) (jobs.Result, error) {
	var plan records.Plan
	var err error
	if args.Due {
		plan, err = c.runAuto(ctx, job.Slug)
	} else {
		plan, err = c.MakePlan(ctx, job.Slug, args.By)
	}
	result := jobs.Result{Model: plan.Model, InputTokens: plan.InputTokens, OutputTokens: plan.OutputTokens}
	var conflict *memories.ConflictError
	switch {
	case errors.As(err, &conflict) && args.Due:
		result.Message = conflict.Reason
		return result, nil
	case errors.As(err, &conflict), errors.Is(err, memories.ErrNotFound):
		return result, jobs.Permanent(err)
	case err != nil:
		return result, err
	}
	result.Message = fmt.Sprintf("A plan with %s, of %s.", memtext.Counted(len(plan.Steps), "step", "steps"), memtext.Counted(plan.Memories, "memory", "memories"))
	return result, nil
}
