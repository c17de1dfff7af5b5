package pages

import (
	"context"
	"errors"
	"net/http"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/web/templates"
)

// deletionOfMany shows a preview of the deletion of all selected memories. It changes nothing. It
// is a POST because hundreds of ids do not fit into an address.
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

// known returns the ids of those memories that still exist, deleted ones included.
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

// nothingSelected redirects to the list. It answers a GET, which cannot name memories.
func (s *site) nothingSelected(w http.ResponseWriter, r *http.Request) error {
	return redirect(w, r, templates.MemoriesPath(slugOf(r)), doneNothing, "")
}
