package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Sections is what goes into an agent's CLAUDE.md. The bodies are read when they are asked for: of thousands, an agent's
// limit leaves room for a few dozen.
type Sections struct {
	Headings []claudemd.Summary // in the order of the block, those that all agents share among them
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
func (s *Store) ReadSections(ctx context.Context, agent records.Agent, at time.Time, do func(Sections) error) error {
	asItIs := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	var failed error
	err := pgx.BeginTxFunc(ctx, s.pool, asItIs, func(tx pgx.Tx) error {
		q := s.q.WithTx(tx)
		sections := Sections{MemoryOff: agent.MemoryOff, q: q}
		sections.Headings, failed = headingsAt(ctx, q, agent.ID, at)
		if failed == nil && agent.IsGivenShared() {
			var shared sharedMemories
			shared, failed = sharedAt(ctx, q, at)
			sections = sections.with(shared)
		}
		if failed == nil {
			failed = do(sections)
		}
		return failed
	})
	if failed != nil {
		return failed
	}
	return wrap("read what to compile", err)
}

// Sections returns what goes into the agent's CLAUDE.md: its own memories, which Headings has returned, and those that are shared
// with it.
func (w *Writer) Sections(ctx context.Context, agent records.Agent, own []claudemd.Summary) (Sections, error) {
	sections := Sections{Headings: own, Shared: agent.Shared, MemoryOff: agent.MemoryOff, q: w.q}
	if agent.Shared == "" {
		return sections, nil
	}
	shared, err := sharedAt(ctx, w.q, time.Time{})
	return sections.with(shared), err
}

// Headings returns the agent's own memories that go into its CLAUDE.md, in the order of the block.
func (w *Writer) Headings(ctx context.Context) ([]claudemd.Summary, error) {
	return headingsAt(ctx, w.q, w.agentID, time.Time{})
}

// HeadingsOf returns those of the memories with these ids that go into CLAUDE.md, in the order of the block.
func (w *Writer) HeadingsOf(ctx context.Context, ids []uuid.UUID) ([]claudemd.Summary, error) {
	rows, err := w.q.HeadingsOf(ctx, queries.HeadingsOfParams{AgentID: w.agentID, Ids: ids})
	if err != nil {
		return nil, wrap("read what to compile", err)
	}
	headings := make([]claudemd.Summary, len(rows))
	for i, row := range rows {
		headings[i] = headingOf(queries.HeadingsRow(row))
	}
	return claudemd.Sorted(headings), nil
}

// headingsAt returns an agent's memories that go into its CLAUDE.md, or went into it at a moment, in the order of the block. The zero
// time is now.
func headingsAt(ctx context.Context, q *queries.Queries, agentID int64, at time.Time) ([]claudemd.Summary, error) {
	if !at.IsZero() {
		return headingsAsOf(ctx, q, agentID, at)
	}
	rows, err := q.Headings(ctx, agentID)
	if err != nil {
		return nil, wrap("read what to compile", err)
	}
	headings := make([]claudemd.Summary, len(rows))
	for i, row := range rows {
		headings[i] = headingOf(row)
	}
	return claudemd.Sorted(headings), nil
}

func headingOf(row queries.HeadingsRow) claudemd.Summary {
	id := row.ID.String()
	return claudemd.Summary{
		ID: id, Name: row.Name, Team: row.Team, Type: memories.Type(text(row.Type)), Description: row.Description, Revision: row.RevisionID, Size: int(row.Size),
		ModifiedAt: row.ModifiedAt.UTC(),
		Recorded:   claudemd.Cost{ID: id, Chars: int(row.ClaudeMdChars), Listed: row.ClaudeMdListed},
	}
}

func headingsAsOf(ctx context.Context, q *queries.Queries, agentID int64, at time.Time) ([]claudemd.Summary, error) {
	rows, err := q.HeadingsAsOf(ctx, queries.HeadingsAsOfParams{AgentID: agentID, At: at})
	if err != nil {
		return nil, wrap("read what was compiled", err)
	}
	headings := make([]claudemd.Summary, len(rows))
	for i, row := range rows {
		headings[i] = claudemd.Summary{
			ID: row.ID.String(), Name: row.Name, Team: row.Team, Type: memories.Type(text(row.Type)), Description: row.Description, Revision: row.RevisionID, Size: int(row.Size),
		}
	}
	return claudemd.Sorted(headings), nil
}

// Bodies returns what the memories say, by their revisions.
func (s Sections) Bodies(ctx context.Context, of []claudemd.Summary) (map[[16]byte]string, error) {
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
