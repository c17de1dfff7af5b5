package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// mostSlugs is how many agents an error lists at most.
const mostSlugs = 50

// agent returns the agent that a call is about: the one that the address fixes, else the one that it names, else the only one.
func (e *endpoint) agent(ctx context.Context, named string) (records.Agent, error) {
	if slug := cmp.Or(fixedAgent(ctx), named); slug != "" {
		agent, err := records.Agent{}, memories.ErrNotFound
		if memories.CanBeText(slug) {
			agent, err = e.store.AgentUncounted(ctx, slug)
		}
		if errors.Is(err, memories.ErrNotFound) {
			return agent, noSuchAgent(ctx, e.store, slug)
		}
		if err == nil && agent.JoinedTo != "" { // what it remembers is there
			return e.store.AgentUncounted(ctx, agent.JoinedTo)
		}
		return agent, err
	}
	all, err := e.store.AgentsUncounted(ctx)
	all = slices.DeleteFunc(all, func(a records.Agent) bool { return a.JoinedTo != "" })
	switch {
	case err != nil:
		return records.Agent{}, err
	case len(all) == 0:
		return records.Agent{}, refusal("Memoir knows no agent yet, so there are no memories. One appears as soon as its directory does.")
	case len(all) > 1:
		return records.Agent{}, refusal("Memoir keeps the memories of several agents, so say which one is meant: give its slug as agent. There is " + slugsOf(all) + ".")
	}
	return all[0], nil
}

func noSuchAgent(ctx context.Context, store Store, slug string) error {
	all, err := store.AgentsUncounted(ctx)
	if err != nil {
		return err
	}
	there := "Memoir knows none yet"
	if len(all) > 0 {
		there = "there is " + slugsOf(all)
	}
	if fixedAgent(ctx) != "" {
		return refusal(fmt.Sprintf("The address of this MCP server names the agent %q, which Memoir does not know: %s. Whoever added the server has to correct ?agent= in its address.", shortened(slug), there))
	}
	return refusal(fmt.Sprintf("There is no agent %q: %s.", shortened(slug), there))
}

func slugsOf(all []records.Agent) string {
	slugs := make([]string, min(len(all), mostSlugs))
	for i := range slugs {
		slugs[i] = all[i].Slug
	}
	listed := strings.Join(slugs, ", ")
	if more := len(all) - len(slugs); more > 0 {
		listed += fmt.Sprintf(" and %d more", more)
	}
	return listed
}
