package timelineview

import (
	"context"
	"errors"
	"strings"

	"memoir/internal/logs"
	"memoir/internal/markdown"
	"memoir/internal/memories"
	"memoir/internal/records"
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
	// excerptLength is the approximate length of an excerpt in bytes, about two lines of a list.
	excerptLength = 140
)

// Logs returns one month of the logs of the view's only agent, or the results of a search if the
// address has words. An empty month is the newest one with logs. It returns memories.ErrNotFound for a
// malformed month. agent is the view of the agent.
func (v View) Logs(ctx context.Context, agent templates.Agent, month string) (*templates.Logs, error) {
	shown := &templates.Logs{Agent: agent, Query: v.Address.Words}
	if shown.Query != "" {
		return shown, v.findLogs(ctx, shown)
	}
	months, err := v.Store.LogMonths(ctx, v.Agents[0].ID)
	if err != nil || len(months) == 0 {
		return shown, err
	}
	shown.Month = months[0].Month
	if month != "" {
		parsed, ok := logs.ParseMonth(month)
		if !ok {
			return nil, memories.ErrNotFound
		}
		shown.Month = parsed
	}
	for _, m := range months {
		shown.Months = append(shown.Months, templates.LogMonth(m))
	}
	first, last := shown.Month.Days()
	page, err := v.Store.LogDays(ctx, v.Agents[0].ID, first, last, maxDaysOfMonth, "")
	for _, d := range page.Days {
		shown.Days = append(shown.Days, templates.LogDayRow{Day: d.Day, Files: d.Files, Entries: d.Entries, Size: d.Size, Odd: d.Odd})
	}
	return shown, err
}

// findLogs adds one page of the logs that have all words of the query, newest first. If the query
// cannot be searched, for example without a word, it adds none.
func (v View) findLogs(ctx context.Context, shown *templates.Logs) error {
	page, err := v.Store.SearchLogs(ctx, v.Agents[0].ID, shown.Query, maxLogHits, v.Address.Cursor)
	if errors.Is(err, memories.ErrSearch) {
		return nil // the query has no words
	}
	if err != nil {
		return err
	}
	search := words.For(shown.Query)
	for _, l := range page.Logs {
		shown.Hits = append(shown.Hits, templates.LogHit{Day: l.Day, Path: l.Path, Title: search.Mark(l.Title), Excerpt: search.Excerpt(l.Text, excerptLength)})
	}
	at := v.Address
	if at.Cursor != "" {
		at.Cursor = ""
		shown.FirstHref = at.String()
	}
	if page.NextCursor != "" {
		at.Cursor = page.NextCursor
		shown.MoreHref = at.String()
	}
	return nil
}

// LogsOfDay returns the logs of a day, and the days before and after with logs. Beyond maxLogBytes in
// total, texts are left out. render returns a text as HTML. For a malformed day or one without logs it
// returns memories.ErrNotFound.
func (v View) LogsOfDay(ctx context.Context, agent templates.Agent, raw string, render func(string) (markdown.HTML, error)) (*templates.LogsOfDay, error) {
	day, isDay := logs.ParseDay(raw)
	if !isDay {
		return nil, memories.ErrNotFound
	}
	id := v.Agents[0].ID
	all, err := v.Store.Logs(ctx, id, day, day, maxLogBytes)
	if err == nil && len(all) == 0 {
		err = memories.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	shown := &templates.LogsOfDay{Agent: agent, Day: day}
	if shown.Before, shown.After, err = v.Store.LogsAround(ctx, id, day); err != nil {
		return nil, err
	}
	for _, l := range all {
		log := templates.LogText{
			Path: l.Path, Title: l.Title, Entries: l.Entries, Size: l.Size, ModifiedAt: l.ModifiedAt.In(v.Now.Location()), LeftOut: l.LeftOut,
		}
		for _, code := range l.Problems {
			log.Problems = append(log.Problems, logs.ProblemOf(code))
		}
		if log.Body, err = render(withoutHeading(l)); err != nil {
			return nil, err
		}
		shown.Logs = append(shown.Logs, log)
	}
	return shown, nil
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
