package pages

import (
	"net/http"

	"memoir/internal/sync"
	"memoir/web/templates"
)

func (s *site) newMemory(w http.ResponseWriter, r *http.Request) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	return s.showForm(w, r, http.StatusOK, agent, templates.MemoryForm{Agent: agentView(agent)})
}

// create saves a new memory. The engine accepts its name if it is free or if only a deleted memory
// has it.
func (s *site) create(w http.ResponseWriter, r *http.Request) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	v := typed(r, agent)
	result, err := s.engine.Create(r.Context(), agent.Slug, sync.Draft{
		Name: v.Name, Team: v.Team, Type: v.Type, Description: v.Description, Body: v.Body,
	})
	if err != nil {
		return s.notSaved(w, r, agent, v, err)
	}
	return redirect(w, r, templates.MemoryPath(agent.Slug, result.Memory.ID), doneSaved, result.Memory.ID)
}
