package paletteview

import (
	"context"

	"memoir/internal/memories"
	"memoir/internal/memories/terms"
	"memoir/internal/pages/homeview"
	"memoir/internal/records"
	"memoir/internal/words"
	"memoir/web/templates"
)

// maxFoundAgents is the maximum number of agents above the hits of a search (arbitrary).
const maxFoundAgents = 6

// Store reads what the palette and the search show.
type Store interface {
	homeview.Store
	records.Memories
}

// Search returns one page of the memories and facts that match. It is empty without a word, unless
// an agent is named, and for an unknown agent. homeDir is as for agents.Labels.
func Search(ctx context.Context, store Store, asked terms.Terms, homeDir string, page memories.PageRequest) (records.MemoryPage, error) {
	filter := memories.Filter{
		Query: asked.Words, Near: true, Type: memories.Type(asked.Value(terms.Type)), Stale: asked.Is(terms.IsStale), Unchecked: asked.Is(terms.IsUnchecked),
	}
	switch {
	case asked.Is(terms.IsTrash):
		filter.State = memories.Deleted
	case asked.Is(terms.IsMissing):
		filter.State = memories.Missing
	}
	if asked.Is(terms.IsTeam) {
		filter.Scope = memories.TeamScope
	}
	name := asked.Value(terms.Agent)
	switch {
	case name != "":
		agent, known, err := agentNamed(ctx, store, name, homeDir)
		if err != nil || !known {
			return records.MemoryPage{}, err
		}
		return store.Memories(ctx, agent, filter, page)
	case asked.Words == "":
		return records.MemoryPage{}, nil
	default:
		return store.Search(ctx, filter, page)
	}
}

// agentNamed returns the agent with the slug, or else with that name in lists.
func agentNamed(ctx context.Context, store Store, name, homeDir string) (agent records.Agent, known bool, err error) {
	all, err := store.AgentsUncounted(ctx)
	if err != nil {
		return records.Agent{}, false, err
	}
	for i, label := range homeview.Labels(all, homeDir) {
		switch name {
		case all[i].Slug:
			return all[i], true, nil
		case label.Name:
			agent, known = all[i], true
		}
	}
	return agent, known, nil
}

// Find fills v with one page of what matches v.Terms in all agents: agents, then memories, best
// first, then facts. result returns the view of a memory. It sets v.Total, and v.Next for the next
// page. If nothing has all words, it finds memories with similar words, and sets v.Near.
func Find(ctx context.Context, store Store, v *templates.Search, homeDir string, limit int, result func(m memories.Memory, agent string, search words.Search) templates.SearchResult) error {
	d := Data{HomeDir: homeDir, Typed: v.Terms.Words, Query: v.Query}
	var err error
	if d.Agents, d.Newest, err = homeview.AgentsAndChanges(ctx, store); err != nil {
		return err
	}
	page, err := Search(ctx, store, v.Terms, homeDir, memories.PageRequest{Limit: limit, Cursor: v.Cursor})
	if err != nil {
		return err
	}
	labels := d.labels()
	if v.Cursor == "" && len(v.Terms.Filters) == 0 {
		for _, a := range d.foundAgents(labels, maxFoundAgents) {
			name, _ := mark(labels[a.Slug].Name, d.Typed)
			v.Agents = append(v.Agents, templates.FoundAgent{Slug: a.Slug, Name: name, Place: labels[a.Slug].Parent, Memories: a.Counts.Total})
		}
	}
	search := words.For(d.Typed)
	if page.Near {
		search = search.Near()
	}
	for _, m := range page.Memories {
		if err := ctx.Err(); err != nil {
			return err
		}
		v.Results = append(v.Results, result(m, labels[m.Agent].Name, search))
	}
	v.Total, v.Near, v.Next = page.Total, page.Near, page.NextCursor
	return nil
}

// Recent returns the places of the paths, without the one of here and those that do not exist.
func Recent(ctx context.Context, store Store, paths []string, here string) []Place {
	var places []Place
	hereSlug, hereMemory := AgentOf(here)
	for _, path := range paths {
		slug, id := AgentOf(path)
		if slug == "" || slug == hereSlug && id == hereMemory || !memories.CanBeText(slug) || len(places) == maxRecent {
			continue
		}
		place := Place{Agent: slug}
		if id != "" {
			agent, err := store.AgentUncounted(ctx, slug)
			if err != nil {
				continue
			}
			m, err := store.Memory(ctx, agent, id)
			if err != nil || m.State == memories.Deleted {
				continue
			}
			place.Memory = &m
		}
		places = append(places, place)
	}
	return places
}
