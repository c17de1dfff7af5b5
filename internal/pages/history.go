package pages

import (
	"errors"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates/address"
)

// maxRevisionLines is the maximum number of lines shown of one content (arbitrary).
const maxRevisionLines = 100

// text returns raw as valid UTF-8. Invalid bytes become U+FFFD.
func text[T string | []byte](raw T) string { return strings.ToValidUTF8(string(raw), "\uFFFD") }

// restoreRevision gives a memory the type, description and body of the revision in the address. The
// name stays. It redirects to the page of the form, by default the tab History. It returns
// memories.ErrNotFound if the revision does not exist. After a conflict it shows the reason and the
// current memory.
func (s *site) restoreRevision(w http.ResponseWriter, r *http.Request, agent records.Agent, m memories.Memory) error {
	id := chi.URLParam(r, "revision")
	page, err := s.store.Revisions(r.Context(), agent, m.ID, records.RevisionList{From: id, Limit: 1})
	if errors.Is(err, records.ErrCursor) {
		return memories.ErrNotFound
	}
	if err != nil {
		return err
	}
	then := page.Revisions[0]
	patch := engine.Patch{Type: &then.Type, Description: &then.Description, Body: &then.Body}
	if _, err := s.engine.Patch(r.Context(), agent.Slug, m.ID, r.PostFormValue(address.FieldETag), patch); err != nil {
		return s.refuse(w, r, err)
	}
	return kit.Redirect(w, r, kit.Back(r, address.HistoryPath(agent.Slug, m.ID)), doneReverted, m.ID)
}
