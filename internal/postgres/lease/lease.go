package lease

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"

	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// ErrNoRoom means that the lock table of Postgres is full.
var ErrNoRoom = errors.New("the database has no room for more locks: not every agent can be looked after. Raise max_locks_per_transaction in the settings of Postgres")

const (
	// batchSize is the number of leases per statement. If there is no room for all of them, they are
	// all released, which leaves room for other operations. Arbitrary.
	batchSize = 500
	// outOfSharedMemory is SQLSTATE 53200: the lock table of Postgres is full.
	outOfSharedMemory = "53200"
)

// lastTerm is the number of the last lease period of this process.
var lastTerm atomic.Uint64

// Take takes the free leases among the agents, and returns the agents of the new ones. Leases that
// this server or another one holds are skipped. It returns ErrNoRoom if Postgres has no room for
// all free leases; some may be taken then.
func (c *Conn) Take(agents []int64) (taken []int64, err error) {
	err = c.do("take leases", func(ctx context.Context, q *queries.Queries) error {
		wanted := slices.DeleteFunc(slices.Clone(agents), func(id int64) bool { return c.Term(id) != 0 })
		for part := range slices.Chunk(wanted, batchSize) {
			got, err := q.TakeLeases(ctx, part)
			var refused *pgconn.PgError
			if errors.As(err, &refused) && refused.Code == outOfSharedMemory {
				return errors.Join(ErrNoRoom, q.ReleaseLeases(ctx, part))
			}
			if err != nil {
				return err
			}
			c.addTerms(got)
			taken = append(taken, got...)
		}
		return nil
	})
	return taken, err
}

// Release releases the leases of the agents. It ignores agents whose lease this server does not
// hold.
func (c *Conn) Release(agents []int64) error {
	return c.do("release leases", func(ctx context.Context, q *queries.Queries) error {
		held := slices.DeleteFunc(slices.Clone(agents), func(id int64) bool { return c.Term(id) == 0 })
		if len(held) == 0 {
			return nil
		}
		c.removeTerms(held)
		return q.ReleaseLeases(ctx, held)
	})
}

// Term returns the number of the period for which this server holds an agent's lease, or 0 if it
// does not hold it. No two periods have the same number.
func (c *Conn) Term(agent int64) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held[agent]
}

func (c *Conn) addTerms(agents []int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range agents {
		c.held[id] = lastTerm.Add(1)
	}
}

func (c *Conn) removeTerms(agents []int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range agents {
		delete(c.held, id)
	}
}

// SaveAgentStats saves the statistics of agents, by agent. All servers read them.
func (c *Conn) SaveAgentStats(stats map[int64]records.AgentStats) error {
	params := queries.SaveAgentStatsParams{}
	for id, s := range stats {
		params.AgentIds = append(params.AgentIds, id)
		params.Files = append(params.Files, int32(s.Files))
		params.Pending = append(params.Pending, int32(s.Pending))
	}
	return c.do("make figures known", func(ctx context.Context, q *queries.Queries) error { return q.SaveAgentStats(ctx, params) })
}
