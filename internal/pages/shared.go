package pages

import (
	"context"
	"errors"
	"net/http"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/web/templates/address"
)

// moveTargets returns the slugs of the other agents to which the memory can be copied: those with
// an existing directory that do not share their memories and that Memoir writes. It returns nil if
// the memory is deleted or unreadable.
func (s *site) moveTargets(ctx context.Context, agent records.Agent, m memories.Memory) ([]string, error) {
	if m.State == memories.Deleted || !m.Readable {
		return nil, nil
	}
	rows, err := s.store.AgentsUncounted(ctx)
	var slugs []string
	for _, row := range rows {
		if row.Present && !row.SharesMemories() && row.ID != agent.ID && row.JoinedTo == "" && !agents.Layout(row.Layout).Rules().IsReadOnly() {
			slugs = append(slugs, row.Slug)
		}
	}
	return slugs, err
}

// sharedMemory looks up the id in the address among the memories that other agents share with this
// one. It redirects to the memory's page at its owner. It returns memories.ErrNotFound if there is
// no such memory, or if agent is the zero Agent.
func (s *site) sharedMemory(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	if agent.ID == 0 {
		return memories.ErrNotFound
	}
	from, err := s.store.Shared(r.Context(), agent)
	if err != nil {
		return err
	}
	for _, giver := range from {
		m, err := s.store.Memory(r.Context(), giver, idOf(r))
		switch {
		case err == nil:
			http.Redirect(w, r, address.MemoryPath(giver.Slug, m.ID), http.StatusSeeOther)
			return nil
		case !errors.Is(err, memories.ErrNotFound):
			return err
		}
	}
	return memories.ErrNotFound
}
