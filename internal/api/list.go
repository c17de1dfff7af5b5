package api

import (
	"context"
	"errors"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/memories"
	"memoir/internal/problem"
	"memoir/internal/records"
)

// MemoryList is one page of an agent's memories.
type MemoryList struct {
	Memories   []Memory `json:"memories" nullable:"false"`
	Total      int      `json:"total" doc:"Of the whole list."`
	Near       bool     `json:"near" doc:"True: no memory of the agent holds all the words of the search; these come close. Only where near=true asked for them."`
	NextCursor *string  `json:"next_cursor" doc:"For the next page; null: this is the last."`
}

type listMemoriesInput struct {
	AgentPath
	memories.Filter
	memories.PageRequest
}

// Resolve refuses an invalid filter. It replaces the path's, which the framework then leaves out.
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

func (a *api) listMemories(ctx context.Context, in *listMemoriesInput) (*answer[MemoryList], error) {
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
	return ok(memoryList(page, func(string) string { return claudeMDProblem }, now)), nil
}

// memoryList describes a page; problem says what is wrong with an agent's CLAUDE.md.
func memoryList(page records.MemoryPage, problem func(agent string) string, now time.Time) MemoryList {
	list := MemoryList{Memories: make([]Memory, len(page.Memories)), Total: page.Total, Near: page.Near, NextCursor: text(page.NextCursor)}
	for i, m := range page.Memories {
		list.Memories[i] = memoryOf(m, problem(m.Agent), now)
	}
	return list
}
