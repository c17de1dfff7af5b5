package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/records"
)

// maxSlugs is the largest number of agents that an error lists. Arbitrary; Claude Code has one for
// each project.
const maxSlugs = 10

// agentArgument describes the argument of tools and prompts that names the agent.
const agentArgument = "The agent's slug. Default: the agent of the project in which you work, or the only one."

// agentSelector is the argument of a tool that names the agent. Its description is agentArgument.
type agentSelector struct {
	Agent string `json:"agent,omitempty"`
}

func (s agentSelector) slug() string { return s.Agent }

// agent returns the agent of a call: the one in the URL (?agent=), else the requested one, else the
// one of the directory in the URL (?dir=), else the only one. For an agent whose directory links to
// another agent's, it returns the other agent. It returns a refusal if the agent is unknown, or if
// nothing names one and there is not exactly one, without counting linked ones.
func (e *endpoint) agent(ctx context.Context, requested string) (records.Agent, error) {
	if slug := cmp.Or(fixedAgent(ctx), requested); slug != "" {
		return e.agentNamed(ctx, slug)
	}
	if dir := clientDir(ctx); dir != "" {
		return e.agentIn(ctx, dir)
	}
	all, err := e.store.AgentsUncounted(ctx)
	all = slices.DeleteFunc(all, func(a records.Agent) bool { return a.JoinedTo != "" })
	switch {
	case err != nil:
		return records.Agent{}, err
	case len(all) == 0:
		return records.Agent{}, refusal("There are no agents yet. An agent appears as soon as its directory exists.")
	case len(all) > 1:
		return records.Agent{}, refusal("There are several agents. Give the slug of one as agent: " + slugsOf(all) + ".")
	}
	return all[0], nil
}

// agentNamed returns the agent with a slug, or the one that its directory links to. It returns a
// refusal if the agent is unknown.
func (e *endpoint) agentNamed(ctx context.Context, slug string) (records.Agent, error) {
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

// agentIn returns the agent of the project at dir, as the hooks find it for a conversation that
// begins there. It returns a refusal if dir is not an absolute path. If the project has no agent or
// several, the error wraps a refusal and errAmbiguousDir.
func (e *endpoint) agentIn(ctx context.Context, dir string) (records.Agent, error) {
	if !filepath.IsAbs(dir) {
		return records.Agent{}, refusal(fmt.Sprintf("?dir=%s in this MCP server's address is not an absolute path. "+
			"If the client does not expand ${PWD}, use ?agent= with a slug, or name the agent in each call.", shortened(dir)))
	}
	found, err := e.engine.AgentsOf(ctx, agents.Conversation{Dir: dir})
	if err != nil {
		return records.Agent{}, err
	}
	if len(found) == 1 {
		return e.agentNamed(ctx, found[0].Slug)
	}
	all := make([]records.Agent, len(found))
	for i, a := range found {
		all[i].Slug = a.Slug
	}
	if len(found) > 1 {
		return records.Agent{}, ambiguousDir(fmt.Sprintf("The project in %s has several agents. Give the slug of one as agent: %s.", shortened(dir), slugsOf(all)))
	}
	if all, err = e.store.AgentsUncounted(ctx); err != nil {
		return records.Agent{}, err
	}
	text := fmt.Sprintf("The project in %s has no agent. One appears as soon as its memory directory exists.", shortened(dir))
	if len(all) > 0 {
		text += " For another agent, give its slug as agent: " + slugsOf(all) + "."
	}
	return records.Agent{}, ambiguousDir(text)
}

// errAmbiguousDir means that the project of a directory has no agent or several.
var errAmbiguousDir = errors.New("not exactly one agent for the directory")

// ambiguousDir returns an error that wraps a refusal with text and errAmbiguousDir.
func ambiguousDir(text string) error { return errors.Join(refusal(text), errAmbiguousDir) }

// noSuchAgent returns a refusal with the text that slug is unknown and a list of the known agents.
// If the agents cannot be read, it returns that error instead.
func noSuchAgent(ctx context.Context, store Store, slug string) error {
	all, err := store.AgentsUncounted(ctx)
	if err != nil {
		return err
	}
	there := "there are none yet"
	if len(all) > 0 {
		there = "known: " + slugsOf(all)
	}
	if fixedAgent(ctx) != "" {
		return refusal(fmt.Sprintf("Unknown agent %q in this MCP server's address (%s). Correct ?agent= in the address.", shortened(slug), there))
	}
	return refusal(fmt.Sprintf("Unknown agent %q (%s).", shortened(slug), there))
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
