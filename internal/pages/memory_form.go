package pages

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"memoir/internal/findings"
	"memoir/internal/findings/secrets"
	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/memorypane"
	"memoir/internal/records"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// submittedForm returns the values of a submitted form, with the id in the address. In the body, it
// replaces CRLF, which browsers send, with LF. An unknown type becomes "".
func submittedForm(r *http.Request, agent records.Agent) templates.MemoryForm {
	t, _ := memories.ParseType(r.PostFormValue(address.FieldType))
	return templates.MemoryForm{
		Agent: agentView(agent), ID: idOf(r), ETag: r.PostFormValue(address.FieldETag),
		Name: r.PostFormValue(address.FieldName), Type: t, Description: r.PostFormValue(address.FieldDescription),
		Body: strings.ReplaceAll(r.PostFormValue(address.FieldBody), "\r\n", "\n"),
		With: r.PostFormValue(address.FieldWith),
		Team: r.PostFormValue(address.FieldScope) == string(memories.TeamScope),
	}
}

// showForm answers with the status and the form, and the other version if the form merges one. A form
// for the Memory tab is shown next to the list, or alone in the pane of an open page. It saves
// nothing.
func (s *site) showForm(w http.ResponseWriter, r *http.Request, status int, agent records.Agent, v templates.MemoryForm) error {
	if err := s.besideVersion(r.Context(), agent, &v); err != nil {
		return err
	}
	if v.Fact != "" || v.Proposal != "" || v.With != "" {
		return kit.Show(w, r, status, templates.MemoryFormPage(v))
	}
	view, _, err := viewOf(r, agent)
	if err != nil {
		return err
	}
	v.View = view
	if kit.WantsPane(r) {
		return showPane(w, r, status, templates.Memories{Agent: agentView(agent), View: view, Form: &v})
	}
	page, err := s.memoryList(r, agent, v.ID)
	if err != nil {
		return err
	}
	if page.Frame, err = s.memoriesFrame(r, agent, view.List()); err != nil {
		return err
	}
	page.Form, page.Frame.Live = &v, "" // so that no input is lost; saving detects a change
	return kit.Show(w, r, status, templates.MemoriesPage(page))
}

// preview shows the form with the submitted values and the rendered body. Nothing is saved.
func (s *site) preview(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	return s.showPreview(w, r, agent, submittedForm(r, agent))
}

func (s *site) showPreview(w http.ResponseWriter, r *http.Request, agent records.Agent, v templates.MemoryForm) error {
	var err error
	if v.Preview, err = memorypane.LinksOf(r.Context(), s.store, agent).Render(v.Body); err != nil {
		return err
	}
	return s.showForm(w, r, http.StatusOK, agent, v)
}

// newSecret returns what looks like a secret in the form's texts and in none of the texts before. It
// returns "" if nothing does, or if the user has decided to save it.
func newSecret(r *http.Request, v templates.MemoryForm, before ...string) string {
	if r.PostFormValue(address.FieldAnyway) != "" {
		return ""
	}
	known := secrets.Values(before...)
	for _, value := range secrets.Values(v.Name, v.Description, v.Body) {
		if !slices.Contains(known, value) {
			m, _ := secrets.Match(findings.Text{Name: v.Name, Description: v.Description, Body: v.Body})
			return cmp.Or(m.Reason, "Secret in plain text") + "."
		}
	}
	return ""
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
			address.FieldName: "This name is taken. Choose another name, or",
		}
		v.Taken = ui.Link{Label: "open “" + taken.Name + "”", Href: address.MemoryPath(agent.Slug, taken.ID)}
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
