package pages

import (
	"context"
	"errors"
	"net/http"
	"time"

	"memoir/internal/memories"
	"memoir/internal/pages/listview"
	"memoir/internal/pages/prompts"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
)

// readPrompt fills v with the prompt and the form that the address of r, or its form, names.
func (s *site) readPrompt(ctx context.Context, r *http.Request, agent records.Agent, v *templates.Prompt) error {
	request := prompts.Request{
		Cursor: r.FormValue(templates.FieldCursor), Find: r.FormValue(templates.FieldFind), Add: listview.CleanText(r.FormValue(templates.FieldAdd)),
	}
	if r.Form.Has(templates.FieldDescription) {
		description := listview.CleanText(r.Form.Get(templates.FieldDescription))
		request.Description = &description
	}
	return prompts.Reader{Store: s.store, Recaller: s.recaller}.Read(ctx, agent, request, v)
}

// saveFind saves the description of the memory in the address and redirects to the Context tab, where
// the prompt runs again. If the memory has changed since, or the description is invalid, it saves
// nothing and shows the form with the reason.
func (s *site) saveFind(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	id, description := idOf(r), listview.CleanText(r.PostFormValue(templates.FieldDescription))
	etag := r.PostFormValue(templates.FieldETag)
	if etag == "" {
		etag = "missing"
	}
	_, err := s.engine.Patch(r.Context(), agent.Slug, id, etag, engine.Patch{Description: &description})
	var invalid *memories.InvalidError
	var conflict *memories.ConflictError
	refused := &templates.Find{ID: id, Description: description}
	switch {
	case err == nil:
		back := templates.WithQuery(templates.ContextPath(agent.Slug), map[string]string{
			templates.FieldFile: r.PostFormValue(templates.FieldFile), templates.FieldQuery: r.PostFormValue(templates.FieldQuery),
		})
		return redirect(w, r, back, doneSaved, id)
	case errors.Is(err, memories.ErrChanged):
		refused.Problem = "This changed while you read it. Nothing was saved."
		return s.showContext(w, r, http.StatusPreconditionFailed, agent, refused)
	case errors.As(err, &invalid):
		refused.Problem = "The " + invalid.Field + " " + invalid.Reason + "."
		return s.showContext(w, r, http.StatusUnprocessableEntity, agent, refused)
	case errors.As(err, &conflict):
		refused.Problem = conflict.Reason
		return s.showContext(w, r, http.StatusConflict, agent, refused)
	default:
		return err
	}
}

func (s *site) recallsOf(ctx context.Context, m memories.Memory) (templates.RecallsOfMemory, error) {
	of, err := s.store.RecallsOf(ctx, m)
	return templates.RecallsOfMemory{Recalls: of.Recalls, Last: of.Last, Chances: of.Chances, Now: time.Now()}, err
}
