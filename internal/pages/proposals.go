package pages

import (
	"context"
	"errors"
	"net/http"

	"memoir/internal/diff"
	"memoir/internal/extraction"
	"memoir/internal/memories"
	"memoir/internal/model"
	"memoir/internal/records"
	"memoir/web/templates"
)

const (
	// maxProposals is the maximum number of proposals on a page (arbitrary).
	maxProposals = 50
	// maxProposalLines is the maximum number of lines of a proposal's diff (arbitrary).
	maxProposalLines = 60
)

func (s *site) proposals(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	return s.showProposals(w, r, http.StatusOK, agent)
}

func (s *site) showProposals(w http.ResponseWriter, r *http.Request, status int, agent records.Agent, banners ...templates.Banner) error {
	x := s.options.Extractor
	page, err := x.Proposals(r.Context(), agent.Slug, records.ProposalWaiting, maxProposals, "")
	if err != nil {
		return err
	}
	v := templates.Proposals{Agent: agentView(agent), More: page.Total - len(page.Proposals), Mode: string(x.Mode()), Quiet: x.Quiet()}
	if !x.HasModel() {
		v.HowToSwitchOn = model.SwitchOn
	}
	for _, p := range page.Proposals {
		row, err := s.proposalRow(r.Context(), agent, p)
		if err != nil {
			return err
		}
		v.Proposals = append(v.Proposals, row)
	}
	if v.Frame, err = s.frame(r, agent, templates.ProposalsPath(agent.Slug)); err != nil {
		return err
	}
	v.Banners = append(banners, v.Banners...)
	return show(w, r, status, templates.ProposalsPage(v))
}

func (s *site) proposalRow(ctx context.Context, agent records.Agent, p extraction.Proposed) (templates.ProposalRow, error) {
	row := templates.ProposalRow{
		Agent: agent.Slug, ID: p.ID.String(), ETag: p.ETag(), Name: p.Name, Type: p.Type, Description: p.Description, Quote: p.Quote,
		QuotedAt: local(p.QuotedAt), Session: p.Session, Doubt: p.Doubt(),
	}
	if m := p.Present; m != nil {
		row.Changes = &templates.ProposedChange{
			ID: m.ID, TypeBefore: m.Type, Description: maskedDiff(m.Description, p.Description, maxProposalLines), Body: diff.Texts(m.Body, p.Body, maxProposalLines),
		}
		return row, nil
	}
	var err error
	row.Body, err = s.linksOf(ctx, agent).render(p.Body)
	return row, err
}

// proposal shows the form to edit a proposal before it is accepted. If the proposal was decided
// already, it redirects to the list with a notice. For an unknown proposal it returns
// memories.ErrNotFound.
func (s *site) proposal(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	p, err := s.options.Extractor.Proposal(r.Context(), agent.Slug, idOf(r))
	if err != nil {
		return err
	}
	if p.State != records.ProposalWaiting {
		return redirect(w, r, templates.ProposalsPath(agent.Slug), doneDecided, "")
	}
	return s.showForm(w, r, http.StatusOK, agent, templates.MemoryForm{
		Agent: agentView(agent), Proposal: p.ID.String(), Quote: p.Quote, ETag: p.ETag(), Name: p.Name, Type: p.Type, Description: p.Description, Body: p.Body,
	})
}

// previewProposal shows the form with the submitted values and the rendered body. Nothing is saved.
func (s *site) previewProposal(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	return s.showForm(w, r, http.StatusOK, agent, s.submittedProposal(r, agent))
}

func (s *site) submittedProposal(r *http.Request, agent records.Agent) templates.MemoryForm {
	v := submittedForm(r, agent)
	v.Proposal, v.ID = idOf(r), ""
	return v
}

// acceptProposal saves a proposal as a memory, without edits, and redirects to the list. If it was
// accepted before, it only redirects. If the proposal has changed or the memory cannot be saved, it
// shows the list with the reason. For an unknown proposal it returns memories.ErrNotFound.
func (s *site) acceptProposal(w http.ResponseWriter, r *http.Request) error {
	slug := slugOf(r)
	result, err := s.options.Extractor.Accept(r.Context(), slug, idOf(r), r.PostFormValue(templates.FieldETag), memories.ByBrowser, extraction.Edits{})
	if err != nil {
		return s.refuseDecision(w, r, err)
	}
	return redirect(w, r, templates.ProposalsPath(slug), doneAccepted, result.Memory.ID)
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
			return redirect(w, r, templates.ProposalsPath(agent.Slug), doneDecided, "")
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
	return redirect(w, r, templates.ProposalsPath(agent.Slug), doneAccepted, result.Memory.ID)
}

// refuseProposal marks a proposal as refused, so that it is not proposed again, and redirects to
// the list. If the proposal has changed or was accepted, it shows the list with the reason. For an
// unknown proposal it returns memories.ErrNotFound.
func (s *site) refuseProposal(w http.ResponseWriter, r *http.Request) error {
	slug := slugOf(r)
	if _, err := s.options.Extractor.Refuse(r.Context(), slug, idOf(r), r.PostFormValue(templates.FieldETag), memories.ByBrowser); err != nil {
		return s.refuseDecision(w, r, err)
	}
	return redirect(w, r, templates.ProposalsPath(slug), doneRefused, "")
}

// refuseDecision answers a decision on a proposal that failed with refused. After
// memories.ErrChanged or *memories.ConflictError it shows the current proposals with the reason,
// with status 412 or 409. For another error it writes nothing and returns refused.
func (s *site) refuseDecision(w http.ResponseWriter, r *http.Request, refused error) error {
	f, _ := failureOf(r, refused)
	if f.Status != http.StatusConflict && f.Status != http.StatusPreconditionFailed {
		return refused
	}
	agent, err := s.requestedAgent(r)
	if err != nil {
		return refused
	}
	return s.showProposals(w, r, f.Status, agent, templates.Banner{Tone: templates.Danger, Title: f.Title, Text: f.Text})
}
