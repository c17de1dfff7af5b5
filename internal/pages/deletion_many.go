package pages

import (
	"context"
	"errors"
	"net/http"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/web/templates"
)

// deletionOfMany shows what the deletion of all selected memories would change, while nothing has changed yet. It is
// posted to because hundreds of ids fit into no address; it changes nothing, however often.
func (s *site) deletionOfMany(w http.ResponseWriter, r *http.Request) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	var ids []string
	for _, seen := range selectedIn(r) {
		ids = append(ids, seen.ID)
	}
	change, err := s.engine.PreviewDeletion(r.Context(), agent.Slug, ids...)
	if errors.Is(err, memories.ErrNotFound) {
		if ids, err = s.known(r.Context(), agent, ids); err == nil {
			change, err = s.engine.PreviewDeletion(r.Context(), agent.Slug, ids...)
		}
	}
	if err != nil {
		return err
	}
	if len(change.Memories) == 0 {
		return s.nothingSelected(w, r)
	}
	v := templates.ManyDeletion{
		Agent: agentView(agent), Rows: rowsOf(change.Memories), Back: back(r, templates.MemoriesPath(agent.Slug)),
		Change: changeOf(agent, change),
	}
	return show(w, r, http.StatusOK, templates.ManyDeletionPage(v))
}

// known returns the ids of those memories that have not been deleted for good.
func (s *site) known(ctx context.Context, agent records.Agent, ids []string) ([]string, error) {
	var known []string
	for _, id := range ids {
		_, err := s.store.Memory(ctx, agent, id)
		switch {
		case err == nil:
			known = append(known, id)
		case !errors.Is(err, memories.ErrNotFound):
			return nil, err
		}
	}
	return known, nil
}

// nothingSelected leads back to the list who comes to the page by its address alone, which names no memory.
func (s *site) nothingSelected(w http.ResponseWriter, r *http.Request) error {
	return redirect(w, r, templates.MemoriesPath(slugOf(r)), doneNothing, "")
}
