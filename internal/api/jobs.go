package api

import (
	"context"
	"time"

	"memoir/internal/jobs"
	"memoir/internal/model"
	"memoir/internal/records"
	"memoir/internal/wire"
)

// BackgroundJob is one background job of an agent.
type BackgroundJob struct {
	ID           int64      `json:"id"`
	Kind         string     `json:"kind" doc:"Kind of work."`
	State        string     `json:"state" enum:"waiting,running,done,failed,cancelled" doc:"failed: the last attempt failed. cancelled: another attempt is useless."`
	Key          *string    `json:"key" doc:"Subject, such as a session; null for the whole agent. At most one job per kind and key is unfinished."`
	Attempts     int        `json:"attempts" doc:"Number of attempts."`
	CreatedAt    time.Time  `json:"created_at"`
	RunAt        time.Time  `json:"run_at" doc:"Time of the next or the last attempt."`
	FinishedAt   *time.Time `json:"finished_at" doc:"Null if unfinished."`
	Said         *string    `json:"said" doc:"The result as a sentence."`
	Problem      *string    `json:"problem" doc:"Why the last attempt failed; null if it did not."`
	Model        *string    `json:"model" doc:"The model that was asked; null if none was."`
	InputTokens  int        `json:"input_tokens" doc:"Of all attempts."`
	OutputTokens int        `json:"output_tokens" doc:"Of all attempts."`
}

// JobTokens is the number of model tokens that an agent's background jobs used.
type JobTokens struct {
	InputTokens  int64            `json:"input_tokens"`
	OutputTokens int64            `json:"output_tokens"`
	Days         []JobTokensOfDay `json:"days" nullable:"false" doc:"Oldest first; only days with jobs."`
}

// JobTokensOfDay is the number of model tokens on one day.
type JobTokensOfDay struct {
	Day          string `json:"day" format:"date" doc:"In UTC."`
	InputTokens  int64  `json:"input_tokens"`
	OutputTokens int64  `json:"output_tokens"`
}

// BackgroundJobList lists an agent's background jobs, the model, and the used tokens.
type BackgroundJobList struct {
	Jobs   []BackgroundJob `json:"jobs" nullable:"false" doc:"At most 100: unfinished ones, then the others, latest first."`
	Model  *string         `json:"model" doc:"The background model and how it is reached; null if none is available."`
	Hint   *string         `json:"hint" doc:"How to configure a model, if none is available; null otherwise."`
	Tokens JobTokens       `json:"tokens" doc:"Tokens of the last 30 days."`
}

func (a *api) registerJobs() {
	register(a, get("/agents/{slug}/jobs", "list-jobs", "List an agent's background jobs, and the tokens of 30 days"), ofAgent(a, a.listJobs))
}

func (a *api) listJobs(ctx context.Context, agent records.Agent, in *AgentPath) (*answer[BackgroundJobList], error) {
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
	if list.Model = wire.Text(a.options.BackgroundModel); list.Model == nil {
		list.Hint = wire.Text(model.SwitchOn)
	}
	for i, e := range entries {
		list.Jobs[i] = BackgroundJob{
			ID: e.ID, Kind: e.Kind, State: string(e.State), Key: wire.Text(e.Key), Attempts: e.Attempts, CreatedAt: e.CreatedAt, RunAt: e.RunAt,
			Said: wire.Text(e.Message), Problem: wire.Text(e.Problem), Model: wire.Text(e.Model), InputTokens: e.InputTokens, OutputTokens: e.OutputTokens,
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
