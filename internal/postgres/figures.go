package postgres

import (
	"context"

	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Figures returns them by agent, for each whose directory is there and its own. They are zero where nobody has looked after it since
// Postgres started.
func (s *Store) Figures(ctx context.Context) (map[int64]records.AgentStats, error) {
	rows, err := s.q.Figures(ctx)
	figures := make(map[int64]records.AgentStats, len(rows))
	for _, row := range rows {
		figures[row.AgentID] = records.AgentStats{Files: int(row.Files), Pending: int(row.Pending)}
	}
	return figures, wrap("read the figures", err)
}

// SetFigures makes figures of agents known to the other servers.
func (l *Link) SetFigures(figures map[int64]records.AgentStats) error {
	params := queries.SetFiguresParams{}
	for id, f := range figures {
		params.AgentIds = append(params.AgentIds, id)
		params.Files = append(params.Files, int32(f.Files))
		params.Pending = append(params.Pending, int32(f.Pending))
	}
	return l.do("make figures known", func(ctx context.Context, q *queries.Queries) error { return q.SetFigures(ctx, params) })
}
