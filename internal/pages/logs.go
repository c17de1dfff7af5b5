package pages

import (
	"errors"
	"net/http"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/timelineview"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// readLogs adds to v the agent's logs of the day that the query of r names, or of a month, or the
// results of a search. It returns memories.ErrNotFound for a malformed day or one without logs.
func (s *site) readLogs(r *http.Request, agent records.Agent, view timelineview.View, v *templates.Timeline) (err error) {
	query := r.URL.Query()
	if day := query.Get(address.FieldDay); day != "" {
		v.LogsOfDay, err = view.LogsOfDay(r.Context(), *v.Agent, day, s.linksOf(r.Context(), agent).render)
		return err
	}
	v.Logs, err = view.Logs(r.Context(), *v.Agent, query.Get(address.FieldMonth))
	return err
}

// appendLog adds an entry to the agent's log of today and redirects to the page of that day. After
// *memories.InvalidError or *memories.ConflictError nothing is added, and it shows the form again
// with the reason. It returns other errors.
func (s *site) appendLog(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	form := templates.LogEntryForm{
		Text: strings.ReplaceAll(r.PostFormValue(address.FieldText), "\r\n", "\n"), Title: r.PostFormValue(address.FieldTitle),
	}
	done, err := s.engine.AppendLog(r.Context(), agent.Slug, engine.LogEntry{Text: form.Text, Title: form.Title})
	var invalid *memories.InvalidError
	var conflict *memories.ConflictError
	switch {
	case errors.As(err, &invalid):
		form.Problems = map[string]string{invalid.Field: "The " + invalid.Field + " " + invalid.Reason + ". Nothing was added."}
		return s.refuseEntry(w, r, http.StatusUnprocessableEntity, agent, form)
	case errors.As(err, &conflict):
		return s.refuseEntry(w, r, http.StatusConflict, agent, form, templates.NotSaved(conflict.Reason))
	case err != nil:
		return err
	}
	return kit.Redirect(w, r, address.LogsOfDayPath(agent.Slug, done.Day), doneLogged, "")
}

// refuseEntry shows the logs with the form again, as the user filled it in, and banners.
func (s *site) refuseEntry(w http.ResponseWriter, r *http.Request, status int, agent records.Agent, form templates.LogEntryForm, banners ...ui.Banner) error {
	v, view, err := s.timelineOf(r, &agent, address.TimelineAddress{Agent: agent.Slug, Show: address.ShowLogs})
	if err == nil {
		v.Logs, err = view.Logs(r.Context(), *v.Agent, "")
	}
	if err != nil {
		return err
	}
	v.Logs.Entry = form
	v.Banners = append(v.Banners, banners...)
	return kit.Show(w, r, status, templates.TimelinePage(v))
}
