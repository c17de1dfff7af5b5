package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Sections is the content of an agent's CLAUDE.md. Bodies are read on demand, because the limit
// leaves room for a few dozen.
type Sections struct {
	Summaries []claudemd.Summary // in the order of the block, with shared ones
	// SharedDirs are the absolute directories of the sharing agents.
	SharedDirs []string
	Shared     string // the stamp of the shared memories; empty if none exist
	// MemoryOff means that CLAUDE.md does not ask the agent to save.
	MemoryOff bool
	q         *queries.Queries
}

// ReadSections calls do with the content of the agent's CLAUDE.md as of a time, as far as it is
// still known. The zero time means now. Summaries and bodies are from one snapshot.
func (s *Store) ReadSections(ctx context.Context, agent records.Agent, at time.Time, do func(Sections) error) error {
	asItIs := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	var failed error
	err := pgx.BeginTxFunc(ctx, s.pool, asItIs, func(tx pgx.Tx) error {
		q := s.q.WithTx(tx)
		sections := Sections{MemoryOff: agent.MemoryOff, q: q}
		sections.Summaries, failed = summariesAt(ctx, q, agent.ID, at)
		if failed == nil && agent.IsGivenShared() {
			failed = sections.addShared(ctx, at)
		}
		if failed == nil {
			failed = do(sections)
		}
		return failed
	})
	if failed != nil {
		return failed
	}
	return dberr.Wrap("read what to compile", err)
}

// Sections returns the content of the agent's CLAUDE.md: own, from Summaries, and the memories
// shared with the agent.
func (a *AgentRows) Sections(ctx context.Context, agent records.Agent, own []claudemd.Summary) (Sections, error) {
	sections := Sections{Summaries: own, Shared: agent.Shared, MemoryOff: agent.MemoryOff, q: a.q}
	if agent.Shared == "" {
		return sections, nil
	}
	err := sections.addShared(ctx, time.Time{})
	return sections, err
}

// addShared adds the memories that all agents share, as of a time. The zero time means now.
func (s *Sections) addShared(ctx context.Context, at time.Time) error {
	from, err := s.q.SharedAgents(ctx)
	if err != nil {
		return dberr.Wrap("read what is shared", err)
	}
	for _, agent := range from {
		shared, err := summariesAt(ctx, s.q, agent.ID, at)
		if err != nil {
			return err
		}
		for i := range shared {
			shared[i].Shared = agent.Slug
		}
		s.SharedDirs = append(s.SharedDirs, agent.Dir)
		s.Summaries = claudemd.Merged(s.Summaries, shared)
	}
	return nil
}

// Summaries returns the agent's own memories in CLAUDE.md, in the order of the block.
func (a *AgentRows) Summaries(ctx context.Context) ([]claudemd.Summary, error) {
	return summariesAt(ctx, a.q, a.agentID, time.Time{})
}

// SummariesOf returns those of the memories that are in CLAUDE.md, in the order of the block.
func (a *AgentRows) SummariesOf(ctx context.Context, ids []uuid.UUID) ([]claudemd.Summary, error) {
	rows, err := a.q.SummariesOf(ctx, queries.SummariesOfParams{AgentID: a.agentID, Ids: ids})
	return sortedSummaries("read what to compile", rows, err, func(row queries.SummariesOfRow) claudemd.Summary {
		return summaryOf(queries.SummariesRow(row))
	})
}

// summariesAt returns the agent's memories in CLAUDE.md as of a time, in the order of the block.
// The zero time means now.
func summariesAt(ctx context.Context, q *queries.Queries, agentID int64, at time.Time) ([]claudemd.Summary, error) {
	if !at.IsZero() {
		rows, err := q.SummariesAsOf(ctx, queries.SummariesAsOfParams{AgentID: agentID, At: at})
		return sortedSummaries("read what was compiled", rows, err, func(row queries.SummariesAsOfRow) claudemd.Summary {
			return claudemd.Summary{
				ID: row.ID.String(), Name: row.Name, Team: row.Team, Type: memories.Type(orZero(row.Type)),
				Description: row.Description, Revision: row.RevisionID, Size: int(row.Size),
			}
		})
	}
	rows, err := q.Summaries(ctx, agentID)
	return sortedSummaries("read what to compile", rows, err, summaryOf)
}

// sortedSummaries converts the result of a query, in the order of the block.
func sortedSummaries[Row any](doing string, rows []Row, err error, convert func(Row) claudemd.Summary) ([]claudemd.Summary, error) {
	summaries, err := mapRows(doing, rows, err, convert)
	return claudemd.Sorted(summaries), err
}

func summaryOf(row queries.SummariesRow) claudemd.Summary {
	id := row.ID.String()
	return claudemd.Summary{
		ID: id, Name: row.Name, Team: row.Team, Type: memories.Type(orZero(row.Type)), Description: row.Description, Revision: row.RevisionID, Size: int(row.Size),
		ModifiedAt: row.ModifiedAt.UTC(),
		Recorded:   claudemd.Cost{ID: id, Chars: int(row.ClaudeMdChars), Listed: row.ClaudeMdListed},
	}
}

// Bodies returns the bodies of memories, by revision.
func (s Sections) Bodies(ctx context.Context, of []claudemd.Summary) (map[[16]byte]string, error) {
	rows, err := s.q.Bodies(ctx, mapAll(of, func(m claudemd.Summary) uuid.UUID { return m.Revision }))
	bodies := make(map[[16]byte]string, len(rows))
	for _, row := range rows {
		bodies[row.ID] = row.Body
	}
	return bodies, dberr.Wrap("read what memories say", err)
}
