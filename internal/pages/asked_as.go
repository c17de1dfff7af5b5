package pages

import (
	"errors"
	"net/http"
	"strings"

	"memoir/internal/memories"
	engine "memoir/internal/sync"
	"memoir/web/templates"
)

// askAs replaces the phrases as which the memory in the address is asked by the lines of the form. It
// redirects to the page of the form, by default the memory's page. For invalid phrases it saves nothing
// and shows the reason.
func (s *site) askAs(w http.ResponseWriter, r *http.Request) error {
	slug, id := slugOf(r), idOf(r)
	phrases := strings.Split(r.PostFormValue(templates.FieldAskedAs), "\n")
	_, err := s.engine.Patch(r.Context(), slug, id, "", engine.Patch{AskedAs: &phrases})
	var invalid *memories.InvalidError
	switch {
	case errors.As(err, &invalid):
		return &badRequest{http.StatusUnprocessableEntity, askedAsProblem(invalid)}
	case err != nil:
		return s.refuse(w, r, err)
	}
	return redirect(w, r, back(r, templates.MemoryPath(slug, id)), doneSaved, id)
}

// askedAsProblem returns why phrases cannot be saved, as a sentence.
func askedAsProblem(invalid *memories.InvalidError) string {
	return "“Asked as” " + invalid.Reason + "."
}
