package postgres

import (
	"context"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// MemoryVersions returns the current versions of an agent's memories, by id, without those that are purged. It fails
// with memories.ErrNotFound for a malformed id.
func (s *Store) MemoryVersions(ctx context.Context, agentID int64, ids []string) (map[string]records.MemoryVersion, error) {
	parsed := make([]uuid.UUID, len(ids))
	for i, id := range ids {
		var err error
		if parsed[i], err = parseID(id); err != nil {
			return nil, err
		}
	}
	rows, err := s.q.HeadsByID(ctx, queries.HeadsByIDParams{AgentID: agentID, Ids: parsed})
	if err != nil {
		return nil, wrap("read what memories are now", err)
	}
	standings := make(map[string]records.MemoryVersion, len(rows))
	for _, row := range rows {
		standings[row.Memory.ID.String()] = records.MemoryVersion{
			State: memories.State(row.Memory.State), Fingerprint: memories.Fingerprint(row.Memory.Fingerprint),
		}
	}
	return standings, nil
}
