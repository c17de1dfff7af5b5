package pages

import (
	"errors"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"memoir/internal/logs"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/internal/words"
	"memoir/web/templates"
)

const (
	// maxLogHits is the maximum number of logs on a page of search results (arbitrary).
	maxLogHits = 30
	// maxDaysOfMonth is the maximum number of days in a month.
	maxDaysOfMonth = 31
	// maxLogBytes is the maximum size of one day's text on a page, in bytes (arbitrary).
	maxLogBytes = 1 << 20
)

// logs shows one month of an agent's logs, or the results of a search if the query of r has one.
func (s *site) logs(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	return s.showLogs(w, r, http.StatusOK, agent, templates.LogEntryForm{})
}

func (s *site) showLogs(w http.ResponseWriter, r *http.Request, status int, agent records.Agent, form templates.LogEntryForm, banners ...templates.Banner) error {
	v := templates.Logs{Agent: agentView(agent), Query: cleanText(r.URL.Query().Get(templates.FieldQuery)), Entry: form}
	read := s.readLogMonth
	if v.Query != "" {
		read = s.findLogs
	}
	if err := read(r, agent, &v); err != nil {
		return err
	}
	var err error
	if v.Frame, err = s.frame(r, agent, templates.LogsPath(agent.Slug)); err != nil {
		return err
	}
	v.Banners = append(v.Banners, banners...)
	return show(w, r, status, templates.LogsPage(v))
}

// readLogMonth fills v with the days of the month that the address names, or of the newest month
// with logs. It adds the list of all months with logs. Without any logs it leaves v unchanged.
// Otherwise a malformed month gives a *badRequest.
func (s *site) readLogMonth(r *http.Request, agent records.Agent, v *templates.Logs) error {
	months, err := s.store.LogMonths(r.Context(), agent.ID)
	if err != nil || len(months) == 0 {
		return err
	}
	v.Month = months[0].Month
	if raw := r.URL.Query().Get(templates.FieldMonth); raw != "" {
		month, ok := logs.ParseMonth(raw)
		if !ok {
			return errBadRequest("A month is written as in 2026-11.")
		}
		v.Month = month
	}
	for _, m := range months {
		v.Months = append(v.Months, templates.LogMonth(m))
	}
	first, last := v.Month.Days()
	page, err := s.store.LogDays(r.Context(), agent.ID, first, last, maxDaysOfMonth, "")
	for _, d := range page.Days {
		v.Days = append(v.Days, templates.LogDayRow{Day: d.Day, Files: d.Files, Entries: d.Entries, Size: d.Size, Odd: d.Odd})
	}
	return err
}

// findLogs fills v with one page of the logs that have all words of v.Query, newest first. If the
// query cannot be searched, for example without a word, it leaves v unchanged.
func (s *site) findLogs(r *http.Request, agent records.Agent, v *templates.Logs) error {
	cursor := r.URL.Query().Get(templates.FieldCursor)
	page, err := s.store.SearchLogs(r.Context(), agent.ID, v.Query, maxLogHits, cursor)
	if errors.Is(err, memories.ErrSearch) {
		return nil // the query has no words
	}
	if err != nil {
		return err
	}
	search := words.For(v.Query)
	for _, l := range page.Logs {
		v.Hits = append(v.Hits, templates.LogHit{Day: l.Day, Path: l.Path, Title: search.Mark(l.Title), Excerpt: search.Excerpt(l.Text, excerptLength)})
	}
	here := templates.WithQuery(templates.LogsPath(agent.Slug), map[string]string{templates.FieldQuery: v.Query})
	v.MoreHref, v.FirstHref = pageLinks(here, cursor, page.NextCursor)
	return nil
}

// appendLog adds an entry to the agent's log of today and redirects to the page of that day. After
// *memories.InvalidError or *memories.ConflictError nothing is added, and it shows the form again
// with the reason. It returns other errors.
func (s *site) appendLog(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	form := templates.LogEntryForm{
		Text: strings.ReplaceAll(r.PostFormValue(templates.FieldText), "\r\n", "\n"), Title: r.PostFormValue(templates.FieldTitle),
	}
	done, err := s.engine.AppendLog(r.Context(), agent.Slug, engine.LogEntry{Text: form.Text, Title: form.Title})
	var invalid *memories.InvalidError
	var conflict *memories.ConflictError
	switch {
	case errors.As(err, &invalid):
		form.Problems = map[string]string{invalid.Field: "The " + invalid.Field + " " + invalid.Reason + ". Nothing was added."}
		return s.showLogs(w, r, http.StatusUnprocessableEntity, agent, form)
	case errors.As(err, &conflict):
		return s.showLogs(w, r, http.StatusConflict, agent, form, templates.NotSaved(conflict.Reason))
	case err != nil:
		return err
	}
	return redirect(w, r, templates.LogsOfDayPath(agent.Slug, done.Day), doneLogged, "")
}

// logsOfDay shows an agent's logs of one day, and links to the days before and after with logs.
// Beyond maxLogBytes in total, texts are left out. For a malformed day or one without logs it
// returns memories.ErrNotFound.
func (s *site) logsOfDay(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	day, isDay := logs.ParseDay(chi.URLParam(r, "day"))
	if !isDay {
		return memories.ErrNotFound
	}
	all, err := s.store.Logs(r.Context(), agent.ID, day, day, maxLogBytes)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return memories.ErrNotFound
	}
	v := templates.LogsOfDay{Agent: agentView(agent), Day: day}
	if v.Before, v.After, err = s.store.LogsAround(r.Context(), agent.ID, day); err != nil {
		return err
	}
	links := s.linksOf(r.Context(), agent)
	for _, l := range all {
		shown := templates.LogText{
			Path: l.Path, Title: l.Title, Entries: l.Entries, Size: l.Size, ModifiedAt: local(l.ModifiedAt), LeftOut: l.LeftOut,
		}
		for _, code := range l.Problems {
			shown.Problems = append(shown.Problems, logs.ProblemOf(code))
		}
		if shown.Body, err = links.render(withoutHeading(l)); err != nil {
			return err
		}
		v.Logs = append(v.Logs, shown)
	}
	if v.Frame, err = s.frame(r, agent, templates.LogsOfDayPath(agent.Slug, day)); err != nil {
		return err
	}
	return show(w, r, http.StatusOK, templates.LogsOfDayPage(v))
}

// withoutHeading returns the log's text without its first line if that line is a first-level
// heading with the title or the day. Otherwise it returns the whole text.
func withoutHeading(l records.Log) string {
	first, rest, _ := strings.Cut(l.Text, "\n")
	if heading, found := strings.CutPrefix(first, "# "); found {
		heading = strings.TrimSpace(heading)
		if heading == l.Title && l.Title != "" || heading == string(l.Day) {
			return rest
		}
	}
	return l.Text
}
