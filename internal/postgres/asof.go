package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

type pastPlace struct {
	Name string
	ID   uuid.UUID
}

// MemoriesAsOf returns one page of an agent's memories as they were at a moment, by name: what they said, where that came
// from, and what their age counted from then. Memories that have been purged since are left out, since nothing is kept of
// what they said; which files carried one is not known, nor what it took in CLAUDE.md. It fails with ErrCursor.
func (s *Store) MemoriesAsOf(ctx context.Context, agent records.Agent, at time.Time, list records.AsOfList) (records.MemoryPage, error) {
	mark := markOf("as of", agent.Slug, at.UTC().Format(time.RFC3339Nano), list.Type, list.State, list.Stale, list.Session, list.Name, list.Scope)
	after, err := unseal[pastPlace](mark, list.Cursor)
	if err != nil || after != nil && !canBeKey(after.Name, "text") {
		return records.MemoryPage{}, records.ErrCursor
	}
	params := queries.MemoriesAsOfParams{
		At: at, AgentID: agent.ID, Name: optional(memories.NormalizeName(list.Name)), State: optional(string(list.State)),
		Type: optional(string(list.Type)), Session: optional(list.Session), Stale: list.Stale, Most: int32(list.Limit + 1),
	}
	if list.Scope != "" {
		team := list.Scope == memories.TeamScope
		params.Team = &team
	}
	if after != nil {
		params.AfterName, params.AfterID = &after.Name, after.ID
	}
	rows, err := s.q.MemoriesAsOf(ctx, params)
	if err != nil {
		return records.MemoryPage{}, wrap("list past memories", err)
	}
	page := records.MemoryPage{}
	if len(rows) > 0 {
		page.Total = int(rows[0].Total)
	}
	if len(rows) > list.Limit {
		rows = rows[:list.Limit]
		last := rows[list.Limit-1]
		page.NextCursor = seal(mark, pastPlace{last.Name, last.ID})
	}
	for _, row := range rows {
		page.Memories = append(page.Memories, pastOf(agent, row))
	}
	return page, nil
}

// MemoryAsOf returns one memory as it was at a moment, also when it was in the trash. It fails with memories.ErrNotFound
// where there was none of that id, or nothing is kept of it.
func (s *Store) MemoryAsOf(ctx context.Context, agent records.Agent, id string, at time.Time) (memories.Memory, error) {
	parsed, err := parseID(id)
	if err != nil {
		return memories.Memory{}, err
	}
	row, err := s.q.MemoryAsOf(ctx, queries.MemoryAsOfParams{ID: parsed, AgentID: agent.ID, At: at})
	return pastOf(agent, queries.MemoriesAsOfRow(row)), wrap("read a past memory", err)
}

func pastOf(agent records.Agent, row queries.MemoriesAsOfRow) memories.Memory {
	m := memories.Memory{
		ID: row.ID.String(), AgentID: agent.ID, Agent: agent.Slug, Name: row.Name, Team: row.Team, Readable: row.Readable,
		Type: memories.Type(text(row.Type)), Description: row.Description, Body: row.Body, State: memories.State(text(row.State)),
		Path: row.Path, Session: text(row.Session), Hash: row.Hash, Size: row.Size, ModifiedAt: timeOrZero(row.ModifiedAt),
		CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.At.UTC(),
	}
	if m.State == memories.Deleted {
		m.DeletedAt, m.DeletedActor = m.UpdatedAt, memories.Actor(row.Actor)
	}
	return m
}
