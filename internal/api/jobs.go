package api

import (
	"context"
	"time"

	"memoir/internal/jobs"
	"memoir/internal/model"
)

// BackgroundJob is one piece of work that is done in the background.
type BackgroundJob struct {
	ID           int64      `json:"id"`
	Kind         string     `json:"kind" doc:"What is done."`
	State        string     `json:"state" enum:"waiting,running,done,failed,cancelled" doc:"failed: it was tried as often as may be; cancelled: trying again is of no use."`
	Key          *string    `json:"key" doc:"What it is about, as a session; null: the agent as a whole. Of one kind and key there is one at most that is not finished."`
	Attempts     int        `json:"attempts" doc:"That were begun."`
	CreatedAt    time.Time  `json:"created_at"`
	RunAt        time.Time  `json:"run_at" doc:"When it is, or was, to be begun."`
	FinishedAt   *time.Time `json:"finished_at" doc:"Null: it is not."`
	Said         *string    `json:"said" doc:"What came of it, in a sentence."`
	Problem      *string    `json:"problem" doc:"Why the last attempt failed; null: it did not."`
	Model        *string    `json:"model" doc:"That was asked; null: none was."`
	InputTokens  int        `json:"input_tokens" doc:"Of all attempts."`
	OutputTokens int        `json:"output_tokens" doc:"Of all attempts."`
}

// JobTokens is what the background work of an agent has cost.
type JobTokens struct {
	InputTokens  int64            `json:"input_tokens"`
	OutputTokens int64            `json:"output_tokens"`
	Days         []JobTokensOfDay `json:"days" nullable:"false" doc:"Oldest first; days without any are left out."`
}

// JobTokensOfDay is what it has cost on one day.
type JobTokensOfDay struct {
	Day          string `json:"day" format:"date" doc:"In UTC."`
	InputTokens  int64  `json:"input_tokens"`
	OutputTokens int64  `json:"output_tokens"`
}

// BackgroundJobList is an agent's background work.
type BackgroundJobList struct {
	Jobs   []BackgroundJob `json:"jobs" nullable:"false" doc:"At most 100: those that are not finished, then the others, the latest first."`
	Model  *string         `json:"model" doc:"Which one is asked in the background, and how; null: none."`
	Hint   *string         `json:"hint" doc:"How to have one asked, where none is; else null."`
	Tokens JobTokens       `json:"tokens" doc:"Of the last 30 days."`
}

func (a *api) registerJobs() {
	register(a, get("/agents/{slug}/jobs", "list-jobs", "List an agent's background jobs, and the tokens of 30 days"), a.listJobs)
}

func (a *api) listJobs(ctx context.Context, in *AgentPath) (*answer[BackgroundJobList], error) {
	agent, err := a.store.AgentUncounted(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	entries, err := jobs.List(ctx, a.store, agent.ID)
	if err != nil {
		return nil, err
	}
	cost, err := jobs.CostOf(ctx, a.store, agent.ID, time.Now())
	if err != nil {
		return nil, err
	}
	list := BackgroundJobList{
		Jobs:   make([]BackgroundJob, len(entries)),
		Tokens: JobTokens{InputTokens: cost.Input, OutputTokens: cost.Output, Days: make([]JobTokensOfDay, len(cost.ByDay))},
	}
	if list.Model = text(a.options.BackgroundModel); list.Model == nil {
		list.Hint = text(model.SwitchOn)
	}
	for i, e := range entries {
		list.Jobs[i] = BackgroundJob{
			ID: e.ID, Kind: e.Kind, State: string(e.State), Key: text(e.Key), Attempts: e.Attempts, CreatedAt: e.CreatedAt, RunAt: e.RunAt,
			Said: text(e.Said), Problem: text(e.Problem), Model: text(e.Model), InputTokens: e.InputTokens, OutputTokens: e.OutputTokens,
		}
		if !e.FinishedAt.IsZero() {
			list.Jobs[i].FinishedAt = &e.FinishedAt
		}
	}
	for i, d := range cost.ByDay {
		list.Tokens.Days[i] = JobTokensOfDay{d.Day.Format(time.DateOnly), d.Input, d.Output}
	}
	return ok(list), nil
}
