package pages

import (
	"context"
	"net/http"
	"time"

	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/pages/kit"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/internal/words"
	"memoir/web/templates"
	"memoir/web/templates/address"
)

// maxFacts is the maximum number of facts in a search of one agent (arbitrary).
const maxFacts = 20

// fact shows a form that makes a memory of the fact in the address. A fact is a text in MEMORY.md
// that belongs to no memory file. For an unknown fact it returns memories.ErrNotFound.
func (s *site) fact(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	m, err := s.store.IndexFact(r.Context(), agent, idOf(r))
	if err != nil {
		return err
	}
	f := memorymd.Fact{Heading: m.Description, Text: m.Body}
	return s.showForm(w, r, http.StatusOK, agent, templates.MemoryForm{
		Agent: agentView(agent), Fact: m.ID, Name: f.Title(), Type: memories.Project, Description: f.Description(), Body: f.Text,
	})
}

func submittedFact(r *http.Request, agent records.Agent) templates.MemoryForm {
	v := submittedForm(r, agent)
	v.Fact, v.ID = idOf(r), ""
	return v
}

// previewFact shows the form with the submitted values and the rendered body. Nothing is saved.
func (s *site) previewFact(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	return s.showPreview(w, r, agent, submittedFact(r, agent))
}

// adoptFact makes a memory of a text in MEMORY.md, with the values of the form. It replaces the
// text by an entry for the memory, and redirects to the memory's page. For a taken name, an invalid
// field or a conflict it shows the form with the reason. It returns other errors, for example
// memories.ErrNotFound for an unknown text.
func (s *site) adoptFact(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	v := submittedFact(r, agent)
	result, err := s.engine.AdoptFact(r.Context(), agent.Slug, engine.Adoption{
		Fact: v.Fact, Type: v.Type, Name: &v.Name, Description: &v.Description, Body: &v.Body,
	})
	if err != nil {
		return s.notSaved(w, r, agent, v, err)
	}
	return kit.Redirect(w, r, address.MemoryPath(agent.Slug, result.Memory.ID), doneSaved, result.Memory.ID)
}

// factsFound returns the facts in the agent's indexes that have all words of query, best first, at
// most maxFacts, and their total. A fact is a text that belongs to no memory file. Without a match
// it returns nil and 0.
func (s *site) factsFound(ctx context.Context, agent records.Agent, query string) ([]templates.SearchResult, int, error) {
	total, err := s.store.CountFacts(ctx, agent.ID, query)
	if err != nil || total == 0 {
		return nil, 0, err
	}
	found, err := s.store.SearchFacts(ctx, agent.ID, query, 0, maxFacts)
	search, now := words.For(query), time.Now()
	results := make([]templates.SearchResult, len(found))
	for i, m := range found {
		results[i] = resultOf(m, agent.DisplayName, search, now)
	}
	return results, total, err
}
