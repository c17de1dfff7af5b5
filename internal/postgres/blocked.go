package postgres

import (
	"context"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/paging"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// BlockedPage returns one page of at most limit of the agent's files on disk whose content was
// deleted before, newest first. cursor is the NextCursor of the page before, or empty for the first
// page. It fails with records.ErrCursor if cursor is not of this list.
func (s *Store) BlockedPage(ctx context.Context, agentID int64, limit int, cursor string) (records.BlockedPage, error) {
	mark := paging.Mark("blocked", agentID)
	after, err := paging.Unseal[paging.Time](mark, cursor)
	if err != nil {
		return records.BlockedPage{}, err
	}
	query := queries.BlockedPageParams{AgentID: agentID, Most: int32(limit + 1)}
	if after != nil {
		query.AfterAt, query.AfterID = &after.At, after.ID
	}
	rows, err := s.q.BlockedPage(ctx, query)
	if err != nil {
		return records.BlockedPage{}, dberr.Wrap("read blocked contents", err)
	}
	page := records.BlockedPage{}
	rows, page.NextCursor = paging.Cut(rows, limit, mark, func(last queries.BlockedContent) paging.Time {
		return paging.Time{At: last.SeenAt.UTC(), ID: last.ID}
	})
	page.Blocked = dbconv.All(rows, blockedMemory)
	return page, nil
}

// Blocked returns all of the agent's files on disk whose content was deleted before, newest first.
// The list is empty if there are none.
func (s *Store) Blocked(ctx context.Context, agentID int64) ([]memories.Blocked, error) {
	rows, err := s.q.BlockedOf(ctx, agentID)
	return dbconv.Rows("read blocked contents", rows, err, blockedMemory)
}

func blockedMemory(row queries.BlockedContent) memories.Blocked { return blockedOf(row).Blocked }
