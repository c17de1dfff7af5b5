package api

import (
	"context"
	"time"

	"memoir/internal/embedding"
	"memoir/internal/records"
	"memoir/internal/wire"
)

// Embedding is the state of the search by meaning, for one agent.
type Embedding struct {
	Enabled     bool       `json:"enabled" doc:"false: no endpoint is configured; all other fields are null or 0."`
	Endpoint    *string    `json:"endpoint" doc:"Host and port."`
	Model       *string    `json:"model"`
	Dimensions  *int       `json:"dimensions" doc:"Null until the endpoint has answered."`
	Memories    int        `json:"memories" doc:"Memories of the agent that may be sent: readable, not deleted, not held back."`
	Embedded    int        `json:"embedded" doc:"Those with vectors of their current text."`
	Withheld    int        `json:"withheld" doc:"Those that are not sent because of a secret that a person let in."`
	TokensToday int64      `json:"tokens_today" doc:"Input tokens for memories of all agents today (UTC)."`
	DailyTokens *int64     `json:"daily_tokens" doc:"Their limit; null: none."`
	Problem     *string    `json:"problem" doc:"Why the last request failed; null if it did not."`
	ProblemAt   *time.Time `json:"problem_at"`
	AnsweredAt  *time.Time `json:"answered_at" doc:"Time of the last answer; null: none since the start."`
	PausedUntil *time.Time `json:"paused_until" doc:"No query is sent until then, after several failures; null: not paused."`
}

func (a *api) registerEmbedding() {
	register(a, get("/agents/{slug}/embedding", "get-embedding", "Show whether recall finds an agent's memories by meaning"), ofAgent(a, a.embedding))
}

func (a *api) embedding(ctx context.Context, agent records.Agent, _ *AgentPath) (*answer[Embedding], error) {
	if a.options.Embedding == nil {
		return ok(Embedding{}), nil
	}
	s, err := a.options.Embedding.Status(ctx, agent)
	if err != nil {
		return nil, err
	}
	return ok(embeddingOf(s)), nil
}

func embeddingOf(s embedding.Status) Embedding {
	e := Embedding{
		Enabled: true, Endpoint: wire.Text(s.Endpoint), Model: wire.Text(s.Model), Dimensions: wire.Count(s.Dimensions),
		Memories: s.Memories, Embedded: s.Embedded, Withheld: s.Withheld, TokensToday: s.TokensToday,
		Problem: wire.Text(s.Problem), AnsweredAt: wire.Moment(s.AnsweredAt), PausedUntil: wire.Moment(s.PausedUntil),
	}
	if s.DailyTokens > 0 {
		e.DailyTokens = &s.DailyTokens
	}
	if s.Problem != "" {
		e.ProblemAt = wire.Moment(s.ProblemAt)
	}
	return e
}
