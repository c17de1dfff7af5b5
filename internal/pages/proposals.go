package pages

import (
	"errors"
	"net/http"

	"memoir/internal/extraction"
	"memoir/internal/findings"
	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/internal/records"
	"memoir/web/templates"
	"memoir/web/templates/address"
)

// proposal shows the form to edit a proposal before it is accepted. If the proposal was decided
// already, it redirects to the suggestions with a notice. For an unknown proposal it returns
// memories.ErrNotFound.
func (s *site) proposal(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	p, err := s.options.Extractor.Proposal(r.Context(), agent.Slug, idOf(r))
	if err != nil {
		return err
	}
	if p.State != records.ProposalWaiting {
		return kit.Redirect(w, r, suggestionsPath(agent.Slug), doneDecided, "")
	}
	return s.showForm(w, r, http.StatusOK, agent, templates.MemoryForm{
		Agent: agentView(agent), Proposal: p.ID.String(), Quote: p.Quote, ETag: p.ETag(), Name: p.Name, Type: p.Type, Description: p.Description, Body: p.Body,
	})
}

// previewProposal shows the form with the submitted values and the rendered body. Nothing is saved.
func (s *site) previewProposal(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	return s.showPreview(w, r, agent, s.submittedProposal(r, agent))
}

func (s *site) submittedProposal(r *http.Request, agent records.Agent) templates.MemoryForm {
	v := submittedForm(r, agent)
	v.Proposal, v.ID = idOf(r), ""
	return v
}

// editProposal saves a proposal as a memory with the values of the form, and redirects to the list.
// If the proposal or its memory has changed, it saves nothing and shows the form, next to the
// memory's current content. If the proposal was accepted before, it ignores the form and only
// redirects. For an invalid field or a conflict it shows the form with the reason. It returns other
// errors.
func (s *site) editProposal(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	v := s.submittedProposal(r, agent)
	result, err := s.options.Extractor.Accept(r.Context(), agent.Slug, v.Proposal, v.ETag, memories.ByBrowser, extraction.Edits{
		Name: &v.Name, Type: &v.Type, Description: &v.Description, Body: &v.Body,
	})
	switch {
	case errors.Is(err, memories.ErrChanged):
		now, err := s.options.Extractor.Proposal(r.Context(), agent.Slug, v.Proposal)
		if err != nil {
			return err
		}
		if now.State != records.ProposalWaiting {
			return kit.Redirect(w, r, suggestionsPath(agent.Slug), doneDecided, "")
		}
		v.ETag = now.ETag()
		if m := now.Present; m != nil {
			v.Theirs = &templates.Theirs{ID: m.ID, Name: m.Name, Type: m.Type, Description: m.Description, Body: m.Body}
		}
		v.Banners = append(v.Banners, templates.ChangedMeanwhile())
		return s.showForm(w, r, http.StatusPreconditionFailed, agent, v)
	case err != nil:
		return s.notSaved(w, r, agent, v, err)
	}
	return kit.Redirect(w, r, suggestionsPath(agent.Slug), doneAccepted, result.Memory.ID)
}

// suggestionsPath returns the path of an agent's suggestions in the review.
func suggestionsPath(slug string) string {
	return address.WithQuery(address.AgentReviewPath(slug), map[string]string{address.FieldKind: string(findings.Suggestion)})
}
