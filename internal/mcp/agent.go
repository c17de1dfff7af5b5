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

// maxSlugs is the largest number of agents that an error lists. Arbitrary.
const maxSlugs = 50

// agentSelector is the argument of a tool that names the agent.
type agentSelector struct {
	Agent string `json:"agent,omitempty" jsonschema:"The agent's slug. Optional if Memoir has only one agent."`
}

func (s agentSelector) slug() string { return s.Agent }

// agent returns the agent of a call: the one in the URL (?agent=), else the requested one, else the
// only one. For an agent whose directory links to another agent's, it returns the other agent. It
// returns a refusal if the agent is unknown. It also does if none is named, unless there is exactly
// one, without counting linked ones.
func (e *endpoint) agent(ctx context.Context, requested string) (records.Agent, error) {
	if slug := cmp.Or(fixedAgent(ctx), requested); slug != "" {
		agent, err := records.Agent{}, memories.ErrNotFound
		if memories.CanBeText(slug) {
			agent, err = e.store.AgentUncounted(ctx, slug)
		}
		if errors.Is(err, memories.ErrNotFound) {
			return agent, noSuchAgent(ctx, e.store, slug)
		}
		if err == nil && agent.JoinedTo != "" {
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

// noSuchAgent returns a refusal with the text that slug is unknown and a list of the known agents.
// If the agents cannot be read, it returns that error instead.
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

// slugsOf returns the slugs of the first maxSlugs agents as a text, followed by the number of the
// others, if any.
func slugsOf(all []records.Agent) string {
	slugs := make([]string, min(len(all), maxSlugs))
	for i := range slugs {
		slugs[i] = all[i].Slug
	}
	listed := strings.Join(slugs, ", ")
	if more := len(all) - len(slugs); more > 0 {
		listed += fmt.Sprintf(" and %d more", more)
	}
	return listed
}
