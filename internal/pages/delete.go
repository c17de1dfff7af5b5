package pages

import (
	"errors"
	"net/http"

	"memoir/internal/memories"
	"memoir/web/templates"
)

// delete moves a memory to the trash and redirects to the list, which offers an undo.
func (s *site) delete(w http.ResponseWriter, r *http.Request) error {
	slug, id := slugOf(r), idOf(r)
	result, err := s.engine.Delete(r.Context(), slug, id, r.PostFormValue(templates.FieldETag))
	if errors.Is(err, memories.ErrChanged) && s.isDeleted(r) {
		return redirect(w, r, back(r, templates.MemoriesPath(slug)), doneDeleted, id) // for example a second click
	}
	if err != nil {
		return s.refuse(w, r, err)
	}
	return redirect(w, r, back(r, templates.MemoriesPath(slug)), doneDeleted, result.Memory.ID)
}

func (s *site) isDeleted(r *http.Request) bool {
	_, m, err := s.requestedMemory(r)
	return err == nil && m.State == memories.Deleted
}
