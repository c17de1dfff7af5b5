package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"

	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// A blockedPlace is where a page of such contents has ended.
type blockedPlace struct {
	At time.Time
	ID uuid.UUID
}

// BlockedPage returns one page of the agent's contents that are kept out, the newest first. cursor is the NextCursor of the page
// before, empty for the first. It fails with ErrCursor.
func (s *Store) BlockedPage(ctx context.Context, agentID int64, limit int, cursor string) (records.BlockedPage, error) {
	mark := markOf("blocked", agentID)
	after, err := unseal[blockedPlace](mark, cursor)
	if err != nil {
		return records.BlockedPage{}, err
	}
	asked := queries.NewestBlockedParams{AgentID: agentID, Most: int32(limit + 1)}
	if after != nil {
		asked.AfterAt, asked.AfterID = &after.At, after.ID
	}
	rows, err := s.q.NewestBlocked(ctx, asked)
	if err != nil {
		return records.BlockedPage{}, wrap("read blocked contents", err)
	}
	page := records.BlockedPage{}
	if len(rows) > limit {
		rows = rows[:limit]
		last := rows[limit-1]
		page.NextCursor = seal(mark, blockedPlace{last.SeenAt.UTC(), last.ID})
	}
	page.Blocked, err = blockedList(rows, nil)
	return page, err
}
