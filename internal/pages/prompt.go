package pages

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"memoir/internal/memories"
	"memoir/internal/pages/listview"
	"memoir/internal/pages/prompts"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
	"memoir/web/templates/address"
)

// readPrompt fills v with the prompt and the form that the address of r, or its form, names.
func (s *site) readPrompt(ctx context.Context, r *http.Request, agent records.Agent, v *templates.Prompt) error {
	request := prompts.Request{Cursor: r.FormValue(address.FieldCursor), Find: r.FormValue(address.FieldFind)}
	return prompts.Reader{Store: s.store, Recaller: s.recaller}.Read(ctx, agent, request, v)
}

// saveFind adds a phrase to those as which the memory in the address is asked, and redirects to the
// Context tab, where the prompt runs again. If the memory has changed since, or the phrase is invalid,
// it saves nothing and shows the form with the reason.
func (s *site) saveFind(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	id, refused := idOf(r), &templates.Find{ID: idOf(r), Phrase: listview.CleanText(r.PostFormValue(address.FieldPhrase))}
	asked, err := s.store.AskedAs(r.Context(), id)
	if err == nil {
		phrases := memories.AddPhrase(asked.Phrases, memories.CleanPhrase(refused.Phrase))
		_, err = s.engine.Patch(r.Context(), agent.Slug, id, cmp.Or(r.PostFormValue(address.FieldETag), "missing"), engine.Patch{AskedAs: &phrases})
	}
	var invalid *memories.InvalidError
	var conflict *memories.ConflictError
	switch {
	case err == nil:
		back := address.WithQuery(address.ContextPath(agent.Slug), map[string]string{
			address.FieldFile: r.PostFormValue(address.FieldFile), address.FieldQuery: r.PostFormValue(address.FieldQuery),
		})
		return redirectFormer(w, r, back, doneAsked, id, strings.Join(asked.Phrases, "\n"))
	case errors.Is(err, memories.ErrChanged):
		refused.Problem = "This changed while you read it. Nothing was saved."
		return s.showContext(w, r, http.StatusPreconditionFailed, agent, refused)
	case errors.As(err, &invalid):
		refused.Problem = askedAsProblem(invalid)
		return s.showContext(w, r, http.StatusUnprocessableEntity, agent, refused)
	case errors.As(err, &conflict):
		refused.Problem = conflict.Reason
		return s.showContext(w, r, http.StatusConflict, agent, refused)
	default:
		return err
	}
}

// askedAsProblem returns why phrases cannot be saved, as a sentence.
func askedAsProblem(invalid *memories.InvalidError) string {
	return "“Asked as” " + invalid.Reason + "."
}

func (s *site) recallsOf(ctx context.Context, m memories.Memory) (templates.RecallsOfMemory, error) {
	of, err := s.store.RecallsOf(ctx, m)
	return templates.RecallsOfMemory{Recalls: of.Recalls, Last: of.Last, Chances: of.Chances, Now: time.Now()}, err
}
