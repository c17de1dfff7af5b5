package mcp

import (
	"context"
	"errors"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"memoir/internal/memories"
)

// maxCompletions is the protocol's limit for the values of one completion.
const maxCompletions = 100

// complete returns values for an argument of a prompt or resource template while a person types it.
// For agent and slug they are slugs, for name the names of memories; others have no values. It
// returns at most maxCompletions values, and a JSON-RPC error if they cannot be read.
func (e *endpoint) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	values := []string{}
	err := e.reading(ctx, func(ctx context.Context) (err error) {
		switch argument := req.Params.Argument; argument.Name {
		case "agent", "slug":
			values, err = e.slugsLike(ctx, argument.Value)
		case "name":
			var chosen string
			if req.Params.Context != nil {
				chosen = req.Params.Context.Arguments["agent"]
			}
			values, err = e.namesLike(ctx, chosen, argument.Value)
		}
		return err
	})
	if err != nil {
		return nil, e.asProtocol(ctx, err)
	}
	more := len(values) > maxCompletions
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: values[:min(len(values), maxCompletions)], HasMore: more}}, nil
}

// slugsLike returns the slugs that begin with typed, in any letter case: of the agent in the URL, or
// of all agents. It returns an empty slice if no slug does.
func (e *endpoint) slugsLike(ctx context.Context, typed string) ([]string, error) {
	list := e.allAgents
	if fixedAgent(ctx) != "" {
		list = e.listedAgents
	}
	all, err := list(ctx)
	slugs := []string{}
	for _, a := range all {
		if strings.HasPrefix(strings.ToLower(a.Slug), strings.ToLower(typed)) {
			slugs = append(slugs, a.Slug)
		}
	}
	return slugs, err
}

// namesLike returns the names of at most maxCompletions memories of the agent that match the words
// typed, or come close. It returns an empty slice if the agent is unknown or ambiguous, because the
// person may still be typing it.
func (e *endpoint) namesLike(ctx context.Context, slug, typed string) ([]string, error) {
	agent, err := e.agent(ctx, slug)
	if unclear := refusal(""); errors.As(err, &unclear) || !memories.CanBeText(typed) {
		return []string{}, nil
	}
	if err != nil {
		return nil, err
	}
	page, err := e.store.Memories(ctx, agent, memories.Filter{Query: strings.TrimSpace(typed), Near: true}, memories.PageRequest{Limit: maxCompletions})
	names := make([]string, len(page.Memories))
	for i, m := range page.Memories {
		names[i] = m.Name
	}
	return names, err
}
