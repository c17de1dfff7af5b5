package pages

import (
	"context"
	"errors"
	"net/http"

	"memoir/internal/diff"
	"memoir/internal/extraction"
	"memoir/internal/markdown"
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

// proposals shows the proposals from an agent's conversations that wait for a decision.
func (s *site) proposals(w http.ResponseWriter, r *http.Request) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
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
	if v.Frame, err = s.frame(r.Context(), r, agent, templates.ProposalsPath(agent.Slug)); err != nil {
		return err
	}
	v.Banners = append(banners, v.Banners...)
	return show(w, r, status, templates.ProposalsPage(v))
}

func (s *site) proposalRow(ctx context.Context, agent records.Agent, p extraction.Proposed) (templates.ProposalRow, error) {
	row := templates.ProposalRow{
		Agent: agent.Slug, ID: p.ID.String(), ETag: p.ETag(), Name: p.Name, Type: p.Type, Description: p.Description, Quote: p.Quote,
		Session: p.Session, Doubt: p.Doubt(),
	}
	if !p.QuotedAt.IsZero() {
		row.QuotedAt = local(p.QuotedAt)
	}
	if m := p.Present; m != nil {
		row.Changes = &templates.ProposedChange{
			ID: m.ID, TypeBefore: m.Type, Description: diff.Texts(m.Description, p.Description, maxProposalLines), Body: diff.Texts(m.Body, p.Body, maxProposalLines),
		}
		return row, nil
	}
	links := links{ctx: ctx, store: s.store, agent: agent, view: templates.View{Agent: agent.Slug}}
	var err error
	row.Body, err = markdown.Render(p.Body, links.resolve)
	return row, errors.Join(err, links.err)
}

// proposal shows the form to edit a proposal before it is accepted.
func (s *site) proposal(w http.ResponseWriter, r *http.Request) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
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

// previewProposal shows the form with its current values. Nothing is saved.
func (s *site) previewProposal(w http.ResponseWriter, r *http.Request) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	return s.showForm(w, r, http.StatusOK, agent, s.submittedProposal(r, agent))
}

func (s *site) submittedProposal(r *http.Request, agent records.Agent) templates.MemoryForm {
	v := submittedForm(r, agent)
	v.Proposal, v.ID = idOf(r), ""
	return v
}

// acceptProposal saves a proposal as a memory, without edits.
func (s *site) acceptProposal(w http.ResponseWriter, r *http.Request) error {
	slug := slugOf(r)
	result, err := s.options.Extractor.Accept(r.Context(), slug, idOf(r), r.PostFormValue(templates.FieldETag), memories.ByBrowser, extraction.Edits{})
	if err != nil {
		return s.refuseDecision(w, r, err)
	}
	return redirect(w, r, templates.ProposalsPath(slug), doneAccepted, result.Memory.ID)
}

// editProposal saves a proposal as a memory, with the values of the form.
func (s *site) editProposal(w http.ResponseWriter, r *http.Request) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
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

// refuseProposal dismisses a proposal.
func (s *site) refuseProposal(w http.ResponseWriter, r *http.Request) error {
	slug := slugOf(r)
	if _, err := s.options.Extractor.Refuse(r.Context(), slug, idOf(r), r.PostFormValue(templates.FieldETag), memories.ByBrowser); err != nil {
		return s.refuseDecision(w, r, err)
	}
	return redirect(w, r, templates.ProposalsPath(slug), doneRefused, "")
}

// refuseDecision answers a decision that failed with the current proposals. It returns refused if
// the failure is not a conflict.
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
