package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
)

// Sections is what goes into an agent's CLAUDE.md. The bodies are read when they are asked for: of thousands, an agent's
// limit leaves room for a few dozen.
type Sections struct {
	Headings []memories.Heading // in the order of the block, those that all agents share among them
	// SharedDirs are the directories of those; absolute.
	SharedDirs []string
	Shared     string // the agent's stamp that they were read after; empty: there are none, or nobody asked
	// MemoryOff: the agent is not asked to save anything.
	MemoryOff bool
	q         *queries.Queries
}

// ReadSections calls do with what goes into the agent's CLAUDE.md; at a moment, with what went into it then, as far as
// something is kept of it. The zero time is now. Headings and bodies are of one and the same moment, whatever is written
// meanwhile.
func (s *Store) ReadSections(ctx context.Context, agent Agent, at time.Time, do func(Sections) error) error {
	asItIs := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	var failed error
	err := pgx.BeginTxFunc(ctx, s.pool, asItIs, func(tx pgx.Tx) error {
		var sections Sections
		q := s.q.WithTx(tx)
		if at.IsZero() {
			sections, failed = sectionsOf(ctx, q, agent.ID)
		} else {
			sections, failed = sectionsAsOf(ctx, q, agent.ID, at)
		}
		if failed == nil && agent.isGivenShared() {
			var shared sharedMemories
			shared, failed = sharedAt(ctx, q, at)
			sections = sections.with(shared)
		}
		if failed == nil {
			sections.MemoryOff = agent.MemoryOff
			failed = do(sections)
		}
		return failed
	})
	if failed != nil {
		return failed
	}
	return wrap("read what to compile", err)
}

func sectionsOf(ctx context.Context, q *queries.Queries, agentID int64) (Sections, error) {
	rows, err := q.Headings(ctx, agentID)
	if err != nil {
		return Sections{}, wrap("read what to compile", err)
	}
	headings := make([]memories.Heading, len(rows))
	for i, row := range rows {
		headings[i] = headingOf(row)
	}
	return Sections{Headings: memories.Sorted(headings), q: q}, nil
}

func headingOf(row queries.HeadingsRow) memories.Heading {
	id := row.ID.String()
	return memories.Heading{
		ID: id, Name: row.Name, Team: row.Team, Type: memories.Type(text(row.Type)), Description: row.Description, Revision: row.RevisionID, Size: int(row.Size),
		ModifiedAt: row.ModifiedAt.UTC(),
		Recorded:   memories.Cost{ID: id, Chars: int(row.ClaudeMdChars), Listed: row.ClaudeMdListed},
	}
}

func sectionsAsOf(ctx context.Context, q *queries.Queries, agentID int64, at time.Time) (Sections, error) {
	rows, err := q.HeadingsAsOf(ctx, queries.HeadingsAsOfParams{AgentID: agentID, At: at})
	if err != nil {
		return Sections{}, wrap("read what was compiled", err)
	}
	headings := make([]memories.Heading, len(rows))
	for i, row := range rows {
		headings[i] = memories.Heading{
			ID: row.ID.String(), Name: row.Name, Team: row.Team, Type: memories.Type(text(row.Type)), Description: row.Description, Revision: row.RevisionID, Size: int(row.Size),
		}
	}
	return Sections{Headings: memories.Sorted(headings), q: q}, nil
}

// errUnread says that the bodies cannot be read now: Postgres is at something else.
var errUnread = errors.New("postgres: bodies cannot be read meanwhile")

// Bodies returns what the memories say, by their revisions.
func (s Sections) Bodies(ctx context.Context, of []memories.Heading) (map[[16]byte]string, error) {
	if s.q == nil {
		return nil, errUnread
	}
	ids := make([]uuid.UUID, len(of))
	for i, m := range of {
		ids[i] = m.Revision
	}
	rows, err := s.q.Bodies(ctx, ids)
	bodies := make(map[[16]byte]string, len(rows))
	for _, row := range rows {
		bodies[row.ID] = row.Body
	}
	return bodies, wrap("read what memories say", err)
}
