package postgres

import (
	"context"
	"time"

	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// A sessionPlace is where a page of sessions has ended.
type sessionPlace struct {
	At   time.Time
	Name string
}

// Sessions returns one page of the sessions that have ever had a memory file, the newest first. cursor is the NextCursor of the
// page before, empty for the first. It fails with ErrCursor.
func (s *Store) Sessions(ctx context.Context, agentID int64, limit int, cursor string) (records.SessionPage, error) {
	mark := markOf("sessions", agentID)
	after, err := unseal[sessionPlace](mark, cursor)
	if err != nil || after != nil && !records.CanBeText(after.Name) {
		return records.SessionPage{}, records.ErrCursor
	}
	asked := queries.SessionsOfParams{AgentID: agentID, Most: int32(limit + 1)}
	if after != nil {
		asked.AfterAt, asked.AfterSession = &after.At, after.Name
	}
	rows, err := s.q.SessionsOf(ctx, asked)
	if err != nil {
		return records.SessionPage{}, wrap("read sessions", err)
	}
	page := records.SessionPage{}
	if len(rows) > limit {
		rows = rows[:limit]
		last := rows[limit-1]
		page.NextCursor = seal(mark, sessionPlace{last.ModifiedAt.UTC(), text(last.Session)})
	}
	page.Sessions = make([]records.Session, len(rows))
	for i, row := range rows {
		page.Sessions[i] = records.Session{Name: text(row.Session), Files: int(row.Files), Ever: int(row.Ever), ModifiedAt: row.ModifiedAt.UTC()}
	}
	return page, nil
}
