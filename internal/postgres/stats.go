package postgres

import (
	"context"

	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/records"
)

// AgentStats returns the numbers of files and of pending paths that lease holders have saved, by
// agent. It omits agents without a directory of their own. The numbers are zero if no server has
// held the lease since Postgres started.
func (s *Store) AgentStats(ctx context.Context) (map[int64]records.AgentStats, error) {
	rows, err := s.q.AgentStats(ctx)
	stats := make(map[int64]records.AgentStats, len(rows))
	for _, row := range rows {
		stats[row.AgentID] = records.AgentStats{Files: int(row.Files), Pending: int(row.Pending)}
	}
	return stats, dberr.Wrap("read the figures", err)
}
