package pages

import (
	"context"
	"errors"
	"net/http"

	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/memorypane"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
	"memoir/web/templates/address"
)

// transfer returns a handler that moves or copies the memory, by calling do, to the scope or agent
// that the form names. The scope is private, team or shared. It redirects to the page of the
// result, with the notice done. After a conflict, or for an impossible destination, it shows the
// reason and the current memory.
func (s *site) transfer(
	do func(ctx context.Context, slug, id, match string, to engine.Destination) (engine.Result, error), done string,
) func(http.ResponseWriter, *http.Request, records.Agent, memories.Memory) error {
	return func(w http.ResponseWriter, r *http.Request, _ records.Agent, m memories.Memory) error {
		target := engine.Destination{Scope: memories.Scope(r.FormValue(address.FieldTo)), Agent: r.FormValue(address.FieldAgent)}
		result, err := do(r.Context(), m.Agent, m.ID, r.PostFormValue(address.FieldETag), target)
		// the page has no field to show it at
		if invalid := (*memories.InvalidError)(nil); errors.As(err, &invalid) {
			err = &memories.ConflictError{Reason: "The " + invalid.Field + " " + invalid.Reason + ". Nothing was changed."}
		}
		if err != nil {
			return s.refuse(w, r, err)
		}
		// The result has another id, so the form's page no longer exists.
		view, _, err := viewOf(r, records.Agent{Slug: result.Memory.Agent})
		if err != nil {
			return err
		}
		to := view.Memory(result.Memory.ID)
		if result.Memory.Agent != m.Agent {
			to = address.MemoryPath(result.Memory.Agent, result.Memory.ID) // the form's list does not contain it
		}
		return kit.Redirect(w, r, to, done, result.Memory.ID)
	}
}

// movedWords returns the text of the notice that m was moved or copied.
func movedWords(agent records.Agent, m memories.Memory, done string) string {
	words, where := "Moved ", " to "+string(m.Scope())+" memory"
	if done == doneCopied {
		words = "Copied "
	}
	if agent.SharesMemories() {
		where = " to all agents"
	}
	return words + m.Name + where
}

// twinsOf returns readable memories with m's name, at most one from each place: the agent's other
// scope (private or team), and the agents in shared. It returns nil if m is deleted or unreadable.
func (s *site) twinsOf(ctx context.Context, agent records.Agent, shared []records.Agent, m memories.Memory, links *memorypane.Links) ([]templates.Twin, error) {
	if m.State == memories.Deleted || !m.Readable {
		return nil, nil
	}
	var twins []templates.Twin
	if agent.Counts.Team > 0 && !agent.SharesMemories() {
		found, err := s.twinsIn(ctx, agent, memories.Filter{Name: m.Name, Scope: memories.ScopeOf(!m.Team)}, m, links)
		if err != nil {
			return nil, err
		}
		twins = append(twins, found...)
	}
	for _, other := range shared {
		found, err := s.twinsIn(ctx, other, memories.Filter{Name: m.Name}, m, links)
		if err != nil {
			return nil, err
		}
		twins = append(twins, found...)
	}
	return twins, nil
}

// twinsIn returns the first readable memory of the agent that list selects, as the only element,
// with its body rendered. It returns nil if no memory is readable. Same is set if its content
// equals m's.
func (s *site) twinsIn(ctx context.Context, agent records.Agent, list memories.Filter, m memories.Memory, links *memorypane.Links) ([]templates.Twin, error) {
	page, err := s.store.Memories(ctx, agent, list, memories.PageRequest{Limit: records.MaxLimit})
	if err != nil {
		return nil, err
	}
	for _, other := range page.Memories {
		if !other.Readable {
			continue
		}
		twin := templates.Twin{Memory: other, Shared: agent.SharesMemories(), Same: other.Fingerprint == m.Fingerprint}
		twin.Body, err = links.Render(other.Body)
		return []templates.Twin{twin}, err
	}
	return nil, nil
}
