package pages

import (
	"context"
	"errors"
	"net/http"

	"memoir/internal/markdown"
	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/sync"
	"memoir/web/templates"
)

// move takes a memory from private to team memory, or back.
func (s *site) move(w http.ResponseWriter, r *http.Request) error {
	return s.transfer(w, r, s.engine.Move, doneMoved)
}

// copy makes a second memory of one, on the other side.
func (s *site) copy(w http.ResponseWriter, r *http.Request) error {
	return s.transfer(w, r, s.engine.Copy, doneCopied)
}

func (s *site) transfer(w http.ResponseWriter, r *http.Request, do func(ctx context.Context, slug, id, match string, to memories.Scope) (sync.Result, error), done string) error {
	to := memories.Scope(r.URL.Query().Get(templates.FieldTo))
	result, err := do(r.Context(), slugOf(r), idOf(r), r.PostFormValue(templates.FieldETag), to)
	if invalid := (*memories.InvalidError)(nil); errors.As(err, &invalid) { // there is no field on this page to show it at
		err = &memories.ConflictError{Reason: "The " + invalid.Field + " " + invalid.Reason + ". Nothing was changed."}
	}
	if err != nil {
		return s.refuse(w, r, err)
	}
	// It is another memory by now, so that its page is another one than the form came from.
	view, err := viewOf(r, postgres.Agent{Slug: result.Memory.Agent})
	if err != nil {
		return err
	}
	return redirect(w, r, view.Memory(result.Memory.ID), done, result.Memory.ID)
}

// twinOf returns the memory of the same name on the other side; nil: there is none, or this one is in the trash.
func (s *site) twinOf(ctx context.Context, agent postgres.Agent, m memories.Memory, links *links) (*templates.Twin, error) {
	if agent.Counts.Team == 0 || m.State == memories.Deleted || !m.Readable {
		return nil, nil
	}
	page, err := s.store.Memories(ctx, agent, postgres.List{Name: m.Name, Scope: memories.ScopeOf(!m.Team), Limit: postgres.MaxLimit})
	if err != nil {
		return nil, err
	}
	for _, other := range page.Memories {
		if !other.Readable {
			continue
		}
		twin := templates.Twin{ID: other.ID, Team: other.Team, Same: other.Fingerprint == m.Fingerprint, Type: other.Type, Description: other.Description}
		if twin.Body, err = markdown.Render(other.Body, links.resolve); err == nil {
			err = links.err
		}
		return &twin, err
	}
	return nil, nil
}
