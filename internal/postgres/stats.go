package postgres

import (
	"context"

	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/records"
)

// AgentStats returns by agent id the numbers of files and of pending paths that the lease holders
// have saved last. Agents whose directory is missing, or a link to another agent's, have no entry.
// The numbers are zero if no server has saved them since Postgres crashed.
func (s *Store) AgentStats(ctx context.Context) (map[int64]records.AgentStats, error) {
	rows, err := s.q.AgentStats(ctx)
	stats := make(map[int64]records.AgentStats, len(rows))
	for _, row := range rows {
		stats[row.AgentID] = records.AgentStats{Files: int(row.Files), Pending: int(row.Pending)}
	}
	return stats, dberr.Wrap("read the figures", err)
}
