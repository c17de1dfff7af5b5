package pages

import (
	"errors"
	"net/http"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/web/templates"
)

// submittedForm returns the values of a submitted form, with the id in the address. In the body, it
// replaces CRLF, which browsers send, with LF. An unknown type becomes "".
func submittedForm(r *http.Request, agent records.Agent) templates.MemoryForm {
	t, _ := memories.ParseType(r.PostFormValue(templates.FieldType))
	return templates.MemoryForm{
		Agent: agentView(agent), ID: idOf(r), ETag: r.PostFormValue(templates.FieldETag),
		Name: r.PostFormValue(templates.FieldName), Type: t, Description: r.PostFormValue(templates.FieldDescription),
		Body: strings.ReplaceAll(r.PostFormValue(templates.FieldBody), "\r\n", "\n"),
		With: r.PostFormValue(templates.FieldWith),
		Team: r.PostFormValue(templates.FieldScope) == string(memories.TeamScope),
	}
}

// showForm answers with the status and the form, the preview of its body, and the other version if
// the form merges one. It saves nothing.
func (s *site) showForm(w http.ResponseWriter, r *http.Request, status int, agent records.Agent, v templates.MemoryForm) error {
	if err := s.besideVersion(r.Context(), agent, &v); err != nil {
		return err
	}
	var err error
	if v.Preview, err = s.linksOf(r.Context(), agent).render(v.Body); err != nil {
		return err
	}
	return show(w, r, status, templates.MemoryFormPage(v))
}

// preview shows the form with the submitted values and the rendered body. Nothing is saved.
func (s *site) preview(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	return s.showForm(w, r, http.StatusOK, agent, submittedForm(r, agent))
}

// notSaved answers with the submitted form and the reason why it was not saved. refused is a
// *memories.NameTakenError (status 409), *memories.InvalidError (422) or *memories.ConflictError
// (409). For another error it writes nothing and returns refused.
func (s *site) notSaved(w http.ResponseWriter, r *http.Request, agent records.Agent, v templates.MemoryForm, refused error) error {
	var invalid *memories.InvalidError
	var taken *memories.NameTakenError
	var conflict *memories.ConflictError
	switch {
	case errors.As(refused, &taken):
		v.Problems = map[string]string{
			templates.FieldName: "There is a memory of this name already, so nothing was saved. Choose another name, or edit the other one:",
		}
		v.Taken = templates.Link{Label: "open “" + taken.Name + "”", Href: templates.MemoryPath(agent.Slug, taken.ID)}
		return s.showForm(w, r, http.StatusConflict, agent, v)
	case errors.As(refused, &invalid):
		v.Problems = map[string]string{invalid.Field: "The " + invalid.Field + " " + invalid.Reason + "."}
		return s.showForm(w, r, http.StatusUnprocessableEntity, agent, v)
	case errors.As(refused, &conflict):
		v.Banners = append(v.Banners, templates.NotSaved(conflict.Reason))
		return s.showForm(w, r, http.StatusConflict, agent, v)
	default:
		return refused
	}
}
