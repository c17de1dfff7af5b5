package postgres

import (
	"context"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
)

// Flagged returns the memories of the agent that are in use although something about their files is odd, by name; at
// most so many.
func (s *Store) Flagged(ctx context.Context, agent Agent, most int) ([]memories.Memory, error) {
	rows, err := s.q.FlaggedMemories(ctx, queries.FlaggedMemoriesParams{AgentID: agent.ID, Most: int32(most)})
	if err != nil {
		return nil, wrap("read flagged memories", err)
	}
	found := make([]listRow, len(rows))
	for i, row := range rows {
		found[i] = listRow{head: row.Memory, description: row.Description, body: row.Body}
	}
	return s.complete(ctx, map[int64]string{agent.ID: agent.Slug}, found)
}

// NotRemoved returns the deleted memories of the agent of which a file could not be removed yet, by name; at most so many.
func (s *Store) NotRemoved(ctx context.Context, agent Agent, most int) ([]memories.Memory, error) {
	rows, err := s.q.NotRemovedMemories(ctx, queries.NotRemovedMemoriesParams{AgentID: agent.ID, Most: int32(most)})
	if err != nil {
		return nil, wrap("read what could not be removed", err)
	}
	found := make([]listRow, len(rows))
	for i, row := range rows {
		found[i] = listRow{head: row.Memory, description: row.Description, body: row.Body}
	}
	return s.complete(ctx, map[int64]string{agent.ID: agent.Slug}, found)
}
