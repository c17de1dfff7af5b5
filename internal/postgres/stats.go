package postgres

import (
	"context"

	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// AgentStats returns statistics by agent, for agents whose directory is present and their own. They
// are zero if no server has held the lease since Postgres started.
func (s *Store) AgentStats(ctx context.Context) (map[int64]records.AgentStats, error) {
	rows, err := s.q.AgentStats(ctx)
	figures := make(map[int64]records.AgentStats, len(rows))
	for _, row := range rows {
		figures[row.AgentID] = records.AgentStats{Files: int(row.Files), Pending: int(row.Pending)}
	}
	return figures, wrap("read the figures", err)
}

// SaveAgentStats publishes statistics of agents to the other servers.
func (l *ServerConn) SaveAgentStats(figures map[int64]records.AgentStats) error {
	params := queries.SaveAgentStatsParams{}
	for id, f := range figures {
		params.AgentIds = append(params.AgentIds, id)
		params.Files = append(params.Files, int32(f.Files))
		params.Pending = append(params.Pending, int32(f.Pending))
	}
	return l.do("make figures known", func(ctx context.Context, q *queries.Queries) error { return q.SaveAgentStats(ctx, params) })
}
