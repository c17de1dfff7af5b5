package postgres

import (
	"context"
	"time"
)

// NewestChanges returns, by agent, the time from which the age of its newest living memory counts. An agent without one is left out.
func (s *Store) NewestChanges(ctx context.Context, agentIDs []int64) (map[int64]time.Time, error) {
	rows, err := s.q.NewestChanges(ctx, agentIDs)
	newest := make(map[int64]time.Time, len(rows))
	for _, row := range rows {
		newest[row.AgentID] = row.ModifiedAt.UTC()
	}
	return newest, wrap("read the newest changes", err)
}
