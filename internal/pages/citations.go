package pages

import (
	"context"
	"errors"
	"net/http"
	"time"

	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/web/templates"
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
	return redirect(w, r, back(r, templates.MemoryPath(agent.Slug, m.ID)), doneChecked, m.ID)
}

// citationsOf returns the stored result of the last check of the memory's citations. It returns nil
// if the current content was not checked. It also requests a new check in the background, unless
// there is no Checker, the memory is deleted, or the user may only read.
func (s *site) citationsOf(ctx context.Context, agent records.Agent, m memories.Memory) (*templates.Citations, error) {
	if s.options.Checker != nil && m.State != memories.Deleted && !gate.ReadOnly(ctx) {
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
	return templates.Citations{Project: v.Project, CheckedAt: local(v.CheckedAt), Checked: v.Citations}
}

// deadReferences returns at most maxDecisions memories that cite something that no longer exists,
// in the order of Store.ToReview. It returns nil if agent.Counts has no such memory, or if one of
// them has been purged in between.
func (s *site) deadReferences(ctx context.Context, agent records.Agent) ([]templates.DoubtfulRow, error) {
	if agent.Counts.CitesGone == 0 {
		return nil, nil
	}
	found, err := s.store.ToReview(ctx, agent, maxDecisions)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(found))
	for i, d := range found {
		ids[i] = d.ID
	}
	heads, err := s.store.MemoriesByID(ctx, agent, ids)
	if errors.Is(err, memories.ErrNotFound) {
		return nil, nil // one was purged in between, and the page is about to reload
	}
	if err != nil {
		return nil, err
	}
	byID := map[string]memories.Memory{}
	for _, m := range heads {
		byID[m.ID] = m
	}
	now := time.Now()
	rows := make([]templates.DoubtfulRow, len(found))
	for i, d := range found {
		rows[i] = templates.DoubtfulRow{
			MemoryRow: rowOf(byID[d.ID], now), Citations: citationsView(d.Verification), Back: templates.AttentionPath(agent.Slug),
		}
	}
	return rows, nil
}
