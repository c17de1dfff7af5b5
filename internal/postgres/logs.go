package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"memoir/internal/logs"
	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/paging"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/postgres/search"
	"memoir/internal/records"
)

// LogSignatures returns by path the saved signatures of the agent's log files at or below the
// paths. A signature is a hash of a file's metadata; 0 means that the file must be read again.
// Files without a row have no entry.
func (a *AgentRows) LogSignatures(ctx context.Context, paths []string) (map[string]int64, error) {
	rows, err := a.q.LogSignatures(ctx, queries.LogSignaturesParams{AgentID: a.agentID, Places: paths})
	if err != nil {
		return nil, dberr.Wrap("read what is known of logs", err)
	}
	known := make(map[string]int64, len(rows))
	for _, row := range rows {
		known[row.Path] = row.Signature
	}
	return known, nil
}

// SaveLogs saves log files with their texts and search words. It replaces earlier rows of the same
// paths. No file on disk changes.
func (w *Writer) SaveLogs(ctx context.Context, all []records.Log) error {
	save := queries.SaveLogsParams{AgentID: w.agentID}
	for _, l := range all {
		vector, _ := search.Vector(search.Text{AgentID: w.agentID, Name: l.Title, Description: string(l.Day), Body: l.Text})
		save.Paths = append(save.Paths, l.Path)
		save.Days = append(save.Days, string(l.Day))
		save.Titles = append(save.Titles, l.Title)
		save.Texts = append(save.Texts, l.Text)
		save.Entries = append(save.Entries, int32(l.Entries))
		save.Problems = append(save.Problems, strings.Join(l.Problems, " "))
		save.Hashes = append(save.Hashes, l.Hash)
		save.Sizes = append(save.Sizes, l.Size)
		save.Modified = append(save.Modified, l.ModifiedAt)
		save.Signatures = append(save.Signatures, l.Signature)
		save.Words = append(save.Words, vector)
	}
	return dberr.Wrap("save logs", w.q.SaveLogs(ctx, save))
}

// DeleteLogs deletes the rows of the log files at the paths. Unknown paths are ignored. No file on
// disk changes.
func (w *Writer) DeleteLogs(ctx context.Context, paths []string) error {
	return dberr.Wrap("forget logs", w.q.DeleteLogs(ctx, queries.DeleteLogsParams{AgentID: w.agentID, Paths: paths}))
}

// LogDays returns one page of at most limit days with logs from first to last, both included,
// newest first, with totals of each day. cursor is the NextCursor of the page before, or empty for
// the first page. It fails with records.ErrCursor if cursor is not of this list.
func (s *Store) LogDays(ctx context.Context, agentID int64, first, last logs.Day, limit int, cursor string) (records.LogDayPage, error) {
	mark := paging.Mark("log days", agentID, first, last)
	after, err := paging.Unseal[logs.Day](mark, cursor)
	if err != nil {
		return records.LogDayPage{}, err
	}
	if after != nil {
		day, ok := logs.ParseDay(string(*after))
		if !ok {
			return records.LogDayPage{}, records.ErrCursor
		}
		last = logs.DayOf(day.Begins().AddDate(0, 0, -1))
	}
	rows, err := s.q.LogDays(ctx, queries.LogDaysParams{AgentID: agentID, First: dateOf(first), Last: dateOf(last), Most: int32(limit + 1)})
	if err != nil {
		return records.LogDayPage{}, dberr.Wrap("list days with logs", err)
	}
	page := records.LogDayPage{}
	rows, page.NextCursor = paging.Cut(rows, limit, mark, func(last queries.LogDaysRow) logs.Day { return dayOf(last.Day) })
	page.Days = dbconv.All(rows, func(row queries.LogDaysRow) records.LogDay {
		return records.LogDay{
			Day: dayOf(row.Day), Files: int(row.Files), Entries: int(row.Entries), Size: row.Size, ModifiedAt: row.ModifiedAt.UTC(), Odd: int(row.Odd),
		}
	})
	return page, nil
}

// LogMonths returns the months with logs of the agent, newest first, with the number of days with
// logs in each. It omits months without logs.
func (s *Store) LogMonths(ctx context.Context, agentID int64) ([]records.LogMonth, error) {
	rows, err := s.q.LogMonths(ctx, agentID)
	return dbconv.Rows("list months with logs", rows, err, func(row queries.LogMonthsRow) records.LogMonth {
		return records.LogMonth{Month: dayOf(row.Month).Month(), Days: int(row.Days)}
	})
}

// Logs returns the agent's logs from the day first to the day last, both included, oldest day
// first. The log of a whole day precedes the other logs of that day. If there are more than
// records.MostLogs files, it omits the oldest. It adds up the sizes of the texts from the newest
// on; a text beyond mostBytes is empty, and its LeftOut is true.
func (s *Store) Logs(ctx context.Context, agentID int64, first, last logs.Day, mostBytes int64) ([]records.Log, error) {
	rows, err := s.q.LogsBetween(ctx, queries.LogsBetweenParams{
		AgentID: agentID, First: dateOf(first), Last: dateOf(last), MostBytes: mostBytes, Most: records.MostLogs,
	})
	return dbconv.Rows("read logs", rows, err, func(row queries.LogsBetweenRow) records.Log {
		return records.Log{
			Path: row.Path, Day: dayOf(row.Day), Title: row.Title, Text: row.Text, Entries: int(row.Entries), Problems: row.Problems,
			Hash: row.Hash, Size: row.Size, ModifiedAt: row.ModifiedAt.UTC(), LeftOut: row.LeftOut,
		}
	})
}

// LogsAround returns the agent's last day with logs before day, and the first one after it. Each is
// "" if there is no such day. day itself need not have logs.
func (s *Store) LogsAround(ctx context.Context, agentID int64, day logs.Day) (before, after logs.Day, err error) {
	row, err := s.q.LogsAround(ctx, queries.LogsAroundParams{AgentID: agentID, Day: dateOf(day)})
	return dayOf(row.Before), dayOf(row.After), dberr.Wrap("look for other days with logs", err)
}

// logCursor is the day and the path of the last log of a page.
type logCursor struct {
	Day  logs.Day
	Path string
}

// SearchLogs returns one page of at most limit of the agent's logs that have all words of the
// query, each as a prefix, newest first. It fails with memories.ErrSearch if the query has no word,
// and with records.ErrCursor if cursor is not of this list. cursor is empty for the first page.
func (s *Store) SearchLogs(ctx context.Context, agentID int64, query string, limit int, cursor string) (records.LogPage, error) {
	sought, ok := search.Parse(query)
	if !ok {
		return records.LogPage{}, memories.ErrSearch
	}
	mark := paging.Mark("logs", agentID, query)
	after, err := paging.Unseal[logCursor](mark, cursor)
	if err != nil {
		return records.LogPage{}, err
	}
	from := logCursor{records.LastLogDay, "\U0010FFFF"}
	if after != nil {
		if _, ok := logs.ParseDay(string(after.Day)); !ok || !memories.CanBeText(after.Path) {
			return records.LogPage{}, records.ErrCursor
		}
		from = *after
	}
	rows, err := s.q.SearchLogs(ctx, queries.SearchLogsParams{
		AgentID: agentID, Match: sought.Match(search.Scope{AgentID: agentID}), Phrases: sought.Phrases(),
		Before: dateOf(from.Day), BeforePath: from.Path, Most: int32(limit + 1),
	})
	if err != nil {
		return records.LogPage{}, dberr.Wrap("search logs", err)
	}
	page := records.LogPage{}
	rows, page.NextCursor = paging.Cut(rows, limit, mark, func(last queries.SearchLogsRow) logCursor {
		return logCursor{dayOf(last.Day), last.Path}
	})
	for _, row := range rows {
		page.Logs = append(page.Logs, records.Log{Path: row.Path, Day: dayOf(row.Day), Title: row.Title, Text: row.Text, ModifiedAt: row.ModifiedAt.UTC()})
	}
	return page, nil
}

func dateOf(day logs.Day) pgtype.Date { return pgtype.Date{Time: day.Begins(), Valid: true} }

// dayOf returns the day of a date, or "" for NULL.
func dayOf(date pgtype.Date) logs.Day {
	if !date.Valid {
		return ""
	}
	return logs.DayOf(date.Time)
}
