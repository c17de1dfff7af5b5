package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Sections is the input of an agent's CLAUDE.md. Bodies are read on demand, because the size limit
// leaves room for a few dozen.
type Sections struct {
	Summaries []claudemd.Summary // in the order of CLAUDE.md, with shared memories
	// SharedDirs are the absolute directories of the sharing agents.
	SharedDirs []string
	Shared     string // changes with the shared memories; empty if there are none
	// MemoryOff means that CLAUDE.md does not ask the agent to save.
	MemoryOff bool
	q         *queries.Queries
}

// ReadSections calls do with the input of the agent's CLAUDE.md as of a time; the zero time means
// now. It omits memories that were purged since. Sections.Shared is empty. All data, also the
// bodies that do reads, is from one snapshot, which ends with do. It returns the error of do as it
// is.
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

// Sections returns the input of the agent's CLAUDE.md: the summaries own, merged with those of the
// memories that other agents share with it. If agent.Shared is empty, there are none of these. It
// does not change own. The result can read bodies until WithAgent returns.
func (a *AgentRows) Sections(ctx context.Context, agent records.Agent, own []claudemd.Summary) (Sections, error) {
	sections := Sections{Summaries: own, Shared: agent.Shared, MemoryOff: agent.MemoryOff, q: a.q}
	if agent.Shared == "" {
		return sections, nil
	}
	err := sections.addShared(ctx, time.Time{})
	return sections, err
}

// addShared merges the memories that agents share with all others into s.Summaries, as of a time.
// It appends the directories of these agents to s.SharedDirs. The zero time means now.
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
		s.Summaries = slices.Concat(s.Summaries, shared)
		claudemd.Sort(s.Summaries)
	}
	return nil
}

// Summaries returns the summaries of the agent's own memories that CLAUDE.md lists: readable ones
// with a type in the states Active and Missing. They are in the order of CLAUDE.md.
func (a *AgentRows) Summaries(ctx context.Context) ([]claudemd.Summary, error) {
	return summariesAt(ctx, a.q, a.agentID, time.Time{})
}

// SummariesOf returns the summaries of those memories among ids that the agent's CLAUDE.md lists:
// its readable ones with a type in the states Active and Missing. They are in the order of
// CLAUDE.md. It omits other ids.
func (a *AgentRows) SummariesOf(ctx context.Context, ids []uuid.UUID) ([]claudemd.Summary, error) {
	rows, err := a.q.SummariesOf(ctx, queries.SummariesOfParams{AgentID: a.agentID, Ids: ids})
	return sortedSummaries("read what to compile", rows, err, func(row queries.SummariesOfRow) claudemd.Summary {
		return summaryOf(queries.SummariesRow(row))
	})
}

// summariesAt returns the summaries of the agent's own memories that CLAUDE.md listed at a time, in
// its order. The zero time means now; only then, the summaries have ModifiedAt and Recorded.
func summariesAt(ctx context.Context, q *queries.Queries, agentID int64, at time.Time) ([]claudemd.Summary, error) {
	if !at.IsZero() {
		rows, err := q.SummariesAsOf(ctx, queries.SummariesAsOfParams{AgentID: agentID, At: at})
		return sortedSummaries("read what was compiled", rows, err, func(row queries.SummariesAsOfRow) claudemd.Summary {
			return claudemd.Summary{
				ID: row.ID.String(), Name: row.Name, Team: row.Team, Type: memories.Type(dbconv.OrZero(row.Type)),
				Description: row.Description, Revision: row.RevisionID, Size: int(row.Size),
			}
		})
	}
	rows, err := q.Summaries(ctx, agentID)
	return sortedSummaries("read what to compile", rows, err, summaryOf)
}

// sortedSummaries converts the rows of a query and sorts the result in the order of CLAUDE.md. It
// returns the query's error with the text of doing before it.
func sortedSummaries[Row any](doing string, rows []Row, err error, convert func(Row) claudemd.Summary) ([]claudemd.Summary, error) {
	summaries, err := dbconv.Rows(doing, rows, err, convert)
	claudemd.Sort(summaries)
	return summaries, err
}

func summaryOf(row queries.SummariesRow) claudemd.Summary {
	id := row.ID.String()
	return claudemd.Summary{
		ID: id, Name: row.Name, Team: row.Team, Type: memories.Type(dbconv.OrZero(row.Type)), Description: row.Description, Revision: row.RevisionID, Size: int(row.Size),
		ModifiedAt: row.ModifiedAt.UTC(),
		Recorded:   claudemd.Cost{ID: id, Chars: int(row.ClaudeMdChars), Listed: row.ClaudeMdListed},
	}
}

// Bodies reads the bodies of the memories in of, and returns them by the ids of their revisions.
// Revisions that no longer exist have no entry.
func (s Sections) Bodies(ctx context.Context, of []claudemd.Summary) (map[[16]byte]string, error) {
	rows, err := s.q.Bodies(ctx, dbconv.All(of, func(m claudemd.Summary) uuid.UUID { return m.Revision }))
	bodies := make(map[[16]byte]string, len(rows))
	for _, row := range rows {
		bodies[row.ID] = row.Body
	}
	return bodies, dberr.Wrap("read what memories say", err)
}
