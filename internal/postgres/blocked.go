package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"

	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// blockedCursor is the end of a page of blocked contents.
type blockedCursor struct {
	At time.Time
	ID uuid.UUID
}

// BlockedPage returns one page of the agent's blocked contents, newest first. cursor is the
// NextCursor of the page before; it is empty for the first. It fails with ErrCursor.
func (s *Store) BlockedPage(ctx context.Context, agentID int64, limit int, cursor string) (records.BlockedPage, error) {
	mark := markOf("blocked", agentID)
	after, err := unseal[blockedCursor](mark, cursor)
	if err != nil {
		return records.BlockedPage{}, err
	}
	asked := queries.BlockedPageParams{AgentID: agentID, Most: int32(limit + 1)}
	if after != nil {
		asked.AfterAt, asked.AfterID = &after.At, after.ID
	}
	rows, err := s.q.BlockedPage(ctx, asked)
	if err != nil {
		return records.BlockedPage{}, dberr.Wrap("read blocked contents", err)
	}
	page := records.BlockedPage{}
	if len(rows) > limit {
		rows = rows[:limit]
		last := rows[limit-1]
		page.NextCursor = seal(mark, blockedCursor{last.SeenAt.UTC(), last.ID})
	}
	page.Blocked, err = blockedList(rows, nil)
	return page, err
}
