package pages

import (
	"context"
	"errors"
	"net/http"

	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/shown"
	"memoir/internal/records"
	"memoir/web/templates"
	"memoir/web/templates/address"
)

// checkCitations checks whether the things that the memory cites still exist, and stores the
// result. It checks nothing if there is no Checker, or if the agent has no project or directory on
// this server. It then redirects to the page of the form, by default the memory's page.
func (s *site) checkCitations(w http.ResponseWriter, r *http.Request, agent records.Agent, m memories.Memory) error {
	if s.options.Checker != nil {
		if err := s.options.Checker.CheckNow(r.Context(), agent, m.ID); err != nil {
			return err
		}
	}
	return kit.Redirect(w, r, kit.Back(r, address.MemoryPath(agent.Slug, m.ID)), doneChecked, m.ID)
}

// citationsOf returns the stored result of the last check of the memory's citations. It returns nil
// if the current content was not checked. It also requests a new check in the background, unless
// there is no Checker, the memory is deleted, or the user may only read.
func (s *site) citationsOf(ctx context.Context, agent records.Agent, m memories.Memory) (*templates.Citations, error) {
	if s.options.Checker != nil && m.State != memories.Deleted && gate.CanWrite(ctx) {
		s.options.Checker.Ask(agent.Slug)
	}
	found, err := s.store.Verification(ctx, agent, m.ID)
	if errors.Is(err, memories.ErrNotFound) {
		return nil, nil
	}
	view := citationsView(found)
	return &view, err
}

func citationsView(v records.Verification) templates.Citations {
	return templates.Citations{Project: v.Project, CheckedAt: shown.Local(v.CheckedAt), Checked: v.Citations}
}
