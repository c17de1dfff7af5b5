package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/paging"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// pastPlace is the name and the id of the last memory of a page.
type pastPlace struct {
	Name string
	ID   uuid.UUID
}

// memoriesAsOf returns one page of an agent's memories as they were at the time filter.AsOf, sorted
// by name, with their texts. It omits memories that were purged since, and deleted ones unless
// filter.State is set. Ages count to that time. The memories have no files and no size in
// CLAUDE.md. It fails with records.ErrCursor if the cursor is not of this list.
func (s *Store) memoriesAsOf(ctx context.Context, agent records.Agent, filter memories.Filter, request memories.PageRequest) (records.MemoryPage, error) {
	at := filter.AsOf.Time()
	filter.AsOf = memories.MomentOf(at)
	mark := paging.Mark("as of", agent.Slug, filter.Values().Encode())
	after, err := paging.Unseal[pastPlace](mark, request.Cursor)
	if err != nil || after != nil && !canBeKey(after.Name, "text") {
		return records.MemoryPage{}, records.ErrCursor
	}
	args, beyond := filterArgs(filter, at), ""
	args["agent"], args["at"], args["limit"] = agent.ID, at, request.Limit+1
	if after != nil {
		args["after_name"], args["after_id"] = after.Name, after.ID
		beyond = " WHERE (m.name, m.id) > (@after_name, @after_id)"
	}
	// CollectRows returns the error of Query.
	found, _ := s.pool.Query(ctx, fmt.Sprintf(pastMemories, where(filter, "", anyCondition), beyond), args)
	rows, err := pgx.CollectRows(found, pgx.RowToStructByPos[queries.MemoryAsOfRow])
	if err != nil {
		return records.MemoryPage{}, dberr.Wrap("list past memories", err)
	}
	var page records.MemoryPage
	if len(rows) > 0 {
		page.Total = int(rows[0].Total)
	}
	rows, page.NextCursor = paging.Cut(rows, request.Limit, mark, func(last queries.MemoryAsOfRow) pastPlace {
		return pastPlace{last.Name, last.ID}
	})
	for _, row := range rows {
		page.Memories = append(page.Memories, pastOf(agent, row))
	}
	return page, nil
}

// pastMemories selects memories as their last journal entries up to a time left them, in the
// columns of queries.MemoryAsOfRow. Its two verbs are the conditions, and the condition on the
// place after which the page begins. One pass over the agent's journal is faster than a look-up for
// each memory.
const pastMemories = `WITH last AS (
    SELECT DISTINCT ON (a.memory_id) a.memory_id, a.name, a.team, a.actor, a.browser, a.person, a.at, a.state, a.type, a.path, a.session, a.revision_id, a.modified_at
    FROM activity a
    WHERE a.agent_id = @agent AND a.at <= @at AND a.state IS NOT NULL
    ORDER BY a.memory_id, a.at DESC, a.id DESC
), past AS (
    SELECT m.id, last.name, last.team, m.readable, m.created_at, last.actor, last.browser, last.person, last.state, last.type, last.path, last.session,
           last.modified_at, last.at AS updated_at, last.revision_id
    FROM last JOIN memories m ON m.id = last.memory_id
), wanted AS (SELECT * FROM past m%s)
SELECT m.id, m.name, m.team, m.readable, m.created_at, m.actor, m.browser, m.person, m.state, m.type, m.path, m.session, m.modified_at, m.updated_at,
       r.hash, r.description, r.body, coalesce(octet_length(r.raw), 0)::bigint, (SELECT count(*) FROM wanted)
FROM wanted m JOIN revisions r ON r.id = m.revision_id%s
ORDER BY m.name, m.id
LIMIT @limit`

// MemoryAsOf returns one memory of the agent as it was at a time, also if it was in the trash. It
// has its text, but no files. It fails with memories.ErrNotFound if the id is malformed or unknown.
// It also fails so if the memory did not exist at that time, or was purged since.
func (s *Store) MemoryAsOf(ctx context.Context, agent records.Agent, id string, at time.Time) (memories.Memory, error) {
	parsed, err := dbconv.ParseID(id)
	if err != nil {
		return memories.Memory{}, err
	}
	row, err := s.q.MemoryAsOf(ctx, queries.MemoryAsOfParams{ID: parsed, AgentID: agent.ID, At: at})
	return pastOf(agent, row), dberr.Wrap("read a past memory", err)
}

func pastOf(agent records.Agent, row queries.MemoryAsOfRow) memories.Memory {
	m := memories.Memory{
		ID: row.ID.String(), AgentID: agent.ID, Agent: agent.Slug, Name: row.Name, Team: row.Team, Readable: row.Readable,
		Type: memories.Type(dbconv.OrZero(row.Type)), Description: row.Description, Body: row.Body, State: memories.State(dbconv.OrZero(row.State)),
		Path: row.Path, Session: dbconv.OrZero(row.Session), Hash: row.Hash, Size: row.Size, ModifiedAt: dbconv.TimeOrZero(row.ModifiedAt),
		CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.At.UTC(),
	}
	if m.State == memories.Deleted {
		m.DeletedAt, m.DeletedActor, m.DeletedBrowser, m.DeletedPerson = m.UpdatedAt, memories.Actor(row.Actor), dbconv.OrZero(row.Browser), dbconv.OrZero(row.Person)
	}
	return m
}
