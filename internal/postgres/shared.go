package postgres

import (
	"context"
	"time"

	"memoir/internal/memories/claudemd"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Shared returns the agents whose memories the agent is given besides its own, without their counts.
func (s *Store) Shared(ctx context.Context, with records.Agent) ([]records.Agent, error) {
	if !with.IsGivenShared() {
		return nil, nil
	}
	agents, err := sharedAgents(ctx, s.q)
	return agents, wrap("read what is shared", err)
}

func sharedAgents(ctx context.Context, q *queries.Queries) ([]records.Agent, error) {
	rows, err := q.SharedAgents(ctx)
	agents := make([]records.Agent, len(rows))
	for i, row := range rows {
		agents[i] = agentOf(row)
	}
	return agents, err
}

// SharedStamp is another text whenever something else may be shared; empty: nobody shares anything.
func (s *Store) SharedStamp(ctx context.Context) (string, error) {
	stamp, err := s.q.SharedStamp(ctx)
	return stamp, wrap("read what is shared", err)
}

// sharedMemories are the memories that all agents share, as CLAUDE.md needs them.
type sharedMemories struct {
	dirs     []string
	headings []claudemd.Summary // in the order of the block
}

// with returns the sections with what is shared among them.
func (s Sections) with(shared sharedMemories) Sections {
	s.Headings = claudemd.Merged(s.Headings, shared.headings)
	s.SharedDirs = shared.dirs
	return s
}

// sharedAt reads what is shared, or was at a moment; the zero time is now.
func sharedAt(ctx context.Context, q *queries.Queries, at time.Time) (sharedMemories, error) {
	var shared sharedMemories
	from, err := q.SharedAgents(ctx)
	if err != nil {
		return shared, wrap("read what is shared", err)
	}
	for _, agent := range from {
		shared.dirs = append(shared.dirs, agent.Dir)
		headings, err := headingsAt(ctx, q, agent.ID, at)
		if err != nil {
			return shared, err
		}
		for i := range headings {
			headings[i].Shared = agent.Slug
		}
		shared.headings = claudemd.Merged(shared.headings, headings)
	}
	return shared, nil
}
