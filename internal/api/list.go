package api

import (
	"context"
	"errors"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/memories"
	"memoir/internal/problem"
	"memoir/internal/wire"
)

type listMemoriesInput struct {
	AgentPath
	memories.Filter
	memories.PageRequest
}

// Resolve checks the slug, and returns a 422 problem for an invalid filter. It calls Resolve of the
// path, because huma calls only this one.
func (in *listMemoriesInput) Resolve(ctx huma.Context) []error {
	if errs := in.AgentPath.Resolve(ctx); errs != nil {
		return errs
	}
	var invalid *memories.InvalidError
	if err := in.Check(); errors.As(err, &invalid) {
		return []error{unprocessable(problem.Field{Location: "query." + invalid.Field, Message: invalid.Reason})}
	}
	return nil
}

func (a *api) listMemories(ctx context.Context, in *listMemoriesInput) (*answer[wire.MemoryList], error) {
	agent, err := a.store.AgentUncounted(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	claudeMDProblem, now := agent.ClaudeMD.Problem, time.Now()
	if at := in.AsOf.Time(); in.AsOf != "" && at.After(now) {
		in.AsOf = ""
	} else if in.AsOf != "" {
		claudeMDProblem, now = "", at
	}
	page, err := a.store.Memories(ctx, agent, in.Filter, in.PageRequest)
	if err != nil {
		return nil, err
	}
	return ok(wire.MemoryListOf(page, func(string) string { return claudeMDProblem }, now)), nil
}
