package postgres

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/postgres/internal/queries"
)

// A concordance says of each word of an agent's memories which of them have it, as the search index had it at one time.
// schema.sql says what it is for. What it says holds for the memories that have not been indexed or removed since; those
// that have are noted by triggers. What is searched by it is in concordance_search.go.

const (
	// concordanceFrom is from how many memories on an agent has a concordance. Among fewer, the search index finds, counts
	// and chooses within a few milliseconds.
	concordanceFrom = 5_000
	// readAtOnce is how many memories are read at once for a concordance, with some 80 words each.
	readAtOnce = 1_000
)

// MakeConcordances makes those that are missing, and those since which much has changed anew, one after the other. One of
// 100,000 memories takes some seconds; pause is called before each thousand, and may take its time. Where another server is at it,
// nothing happens.
func (s *Store) MakeConcordances(ctx context.Context, pause func()) error {
	const doing = "make a concordance"
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return wrap(doing, err)
	}
	defer conn.Release()
	q := queries.New(conn)
	if mine, err := q.TryToMakeConcordances(ctx); err != nil || !mine {
		return wrap(doing, err)
	}
	defer func() {
		// A connection that cannot unlock is closed, and the lock goes with it.
		if err := q.StopMakingConcordances(context.WithoutCancel(ctx)); err != nil {
			conn.Conn().PgConn().Conn().Close() //nolint:errcheck // closing is all that can be done
		}
	}()
	if err := q.RemoveUnusableConcordances(ctx); err != nil {
		return wrap(doing, err)
	}
	if err := q.RemoveStrayChanges(ctx); err != nil {
		return wrap(doing, err)
	}
	agents, err := q.AgentsWithoutConcordance(ctx, concordanceFrom)
	if err != nil {
		return wrap(doing, err)
	}
	for _, agentID := range agents {
		if err := makeConcordance(ctx, conn, agentID, pause); err != nil {
			return wrap(doing, err)
		}
	}
	return nil
}

// makeConcordance makes one, and removes those that the agent had. What changes from when it is begun on is noted, so that it
// does not matter that its parts are read at different times.
func makeConcordance(ctx context.Context, conn beginner, agentID int64, pause func()) error {
	q := queries.New(conn)
	id := rand.Int64()
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		q := q.WithTx(tx)
		if err := q.BeginConcordance(ctx, queries.BeginConcordanceParams{ID: id, AgentID: agentID}); err != nil {
			return err
		}
		return q.WaitForIndexing(ctx)
	})
	if err != nil {
		return err
	}
	last, size := uuid.Nil, 0
	for n := int32(0); ; n++ {
		part, err := readPart(ctx, q, agentID, last, pause)
		if err != nil {
			return err
		}
		if len(part.ids) == 0 {
			break
		}
		last, size = part.ids[len(part.ids)-1], size+len(part.ids)
		if err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return part.save(ctx, q.WithTx(tx), id, n) }); err != nil {
			return err
		}
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		q := q.WithTx(tx)
		completed, err := q.CompleteConcordance(ctx, queries.CompleteConcordanceParams{ID: id, Memories: int32(size)})
		if err != nil || completed == 0 {
			return err
		}
		return q.RemoveConcordances(ctx, queries.RemoveConcordancesParams{AgentID: agentID, ID: id})
	})
}

// beginner is a connection, for reads and transactions.
type beginner interface {
	queries.DBTX
	Begin(context.Context) (pgx.Tx, error)
}

// part is one part of a concordance while it is made.
type part struct {
	ids   []uuid.UUID         // ascending
	words map[string][]uint16 // which of them have it, ascending
}

// readPart reads the words of the memories that come after that one.
func readPart(ctx context.Context, q *queries.Queries, agentID int64, after uuid.UUID, pause func()) (part, error) {
	p := part{words: map[string][]uint16{}}
	for len(p.ids) < partSize {
		pause()
		rows, err := q.WordsOfMemories(ctx, queries.WordsOfMemoriesParams{AgentID: agentID, After: after, Most: readAtOnce})
		if err != nil {
			return part{}, err
		}
		for _, row := range rows {
			for _, word := range row.Words {
				if !strings.HasPrefix(word, agentsSign) { // which all of them have
					p.words[word] = append(p.words[word], uint16(len(p.ids)))
				}
			}
			p.ids = append(p.ids, row.MemoryID)
		}
		if len(rows) < readAtOnce {
			break
		}
		after = rows[len(rows)-1].MemoryID
	}
	return p, nil
}

func (p part) save(ctx context.Context, q *queries.Queries, concordance int64, n int32) error {
	ids := make([]byte, 0, len(p.ids)*len(uuid.UUID{}))
	for _, id := range p.ids {
		ids = append(ids, id[:]...)
	}
	err := q.SaveConcordancePart(ctx, queries.SaveConcordancePartParams{ConcordanceID: concordance, Part: n, Ids: ids})
	if err != nil {
		return err
	}
	rows := make([]queries.SaveConcordanceWordsParams, 0, len(p.words))
	for _, word := range slices.Sorted(maps.Keys(p.words)) {
		rows = append(rows, queries.SaveConcordanceWordsParams{ConcordanceID: concordance, Part: n, Word: word, Numbers: packed(p.words[word])})
	}
	_, err = q.SaveConcordanceWords(ctx, rows)
	return err
}
