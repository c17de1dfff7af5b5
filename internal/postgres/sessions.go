package postgres

import (
	"context"
	"time"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/paging"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// sessionCursor is the time and the name of the last session of a page.
type sessionCursor struct {
	At   time.Time
	Name string
}

// Sessions returns one page of at most limit of the agent's sessions that have or had a memory
// file. The session with the newest file, even if that is no longer on disk, is first. cursor is
// the NextCursor of the page before, or empty for the first page. It fails with records.ErrCursor
// if cursor is not of this list.
func (s *Store) Sessions(ctx context.Context, agentID int64, limit int, cursor string) (records.SessionPage, error) {
	mark := paging.Mark("sessions", agentID)
	after, err := paging.Unseal[sessionCursor](mark, cursor)
	if err != nil || after != nil && !memories.CanBeText(after.Name) {
		return records.SessionPage{}, records.ErrCursor
	}
	query := queries.SessionsOfParams{AgentID: agentID, Most: int32(limit + 1)}
	if after != nil {
		query.AfterAt, query.AfterSession = &after.At, after.Name
	}
	rows, err := s.q.SessionsOf(ctx, query)
	if err != nil {
		return records.SessionPage{}, dberr.Wrap("read sessions", err)
	}
	page := records.SessionPage{}
	rows, page.NextCursor = paging.Cut(rows, limit, mark, func(last queries.SessionsOfRow) sessionCursor {
		return sessionCursor{last.ModifiedAt.UTC(), dbconv.OrZero(last.Session)}
	})
	page.Sessions = dbconv.All(rows, func(row queries.SessionsOfRow) records.Session {
		return records.Session{Name: dbconv.OrZero(row.Session), Files: int(row.Files), Ever: int(row.Ever), ModifiedAt: row.ModifiedAt.UTC()}
	})
	return page, nil
}
