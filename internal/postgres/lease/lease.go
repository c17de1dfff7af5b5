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

// ErrNoRoom means that the lock table of Postgres is full, so that leases cannot be taken.
var ErrNoRoom = errors.New("lock table of Postgres is full, raise max_locks_per_transaction")

const (
	// batchSize is the number of leases per statement. If there is no room for all of them, they are
	// all released, which leaves room for other operations. Arbitrary.
	batchSize = 500
	// outOfSharedMemory is SQLSTATE 53200: the lock table of Postgres is full.
	outOfSharedMemory = "53200"
)

// lastTerm is the number of the last period of a lease in this process.
var lastTerm atomic.Uint64

// Take takes those leases of the agents that no server holds, and returns the agents whose leases
// are new. It skips leases that this server or another one holds, and does not wait for them. If
// the lock table of Postgres is full, it stops and fails with ErrNoRoom. The leases in taken are
// held also if it fails, unless the connection has ended.
func (c *Conn) Take(agents []int64) (taken []int64, err error) {
	err = c.do("take leases", func(ctx context.Context, q *queries.Queries) error {
		requested := slices.DeleteFunc(slices.Clone(agents), func(id int64) bool { return c.Term(id) != 0 })
		for part := range slices.Chunk(requested, batchSize) {
			got, err := q.TakeLeases(ctx, part)
			var refused *pgconn.PgError
			if errors.As(err, &refused) && refused.Code == outOfSharedMemory {
				return errors.Join(ErrNoRoom, q.ReleaseLeases(ctx, part))
			}
			if err != nil {
				return err
			}
			c.mu.Lock()
			for _, id := range got {
				c.held[id] = lastTerm.Add(1)
			}
			c.mu.Unlock()
			taken = append(taken, got...)
		}
		return nil
	})
	return taken, err
}

// Release releases the leases of the agents. It ignores agents whose lease this server does not
// hold. Term returns 0 for the others from then on, also if Release fails.
func (c *Conn) Release(agents []int64) error {
	return c.do("release leases", func(ctx context.Context, q *queries.Queries) error {
		held := slices.DeleteFunc(slices.Clone(agents), func(id int64) bool { return c.Term(id) == 0 })
		if len(held) == 0 {
			return nil
		}
		c.mu.Lock()
		for _, id := range held {
			delete(c.held, id)
		}
		c.mu.Unlock()
		return q.ReleaseLeases(ctx, held)
	})
}

// Term returns the number of the period since Take took the agent's lease. It returns 0 if this
// server does not hold the lease, or the connection has ended. No two periods of any agents in this
// process have the same number.
func (c *Conn) Term(agent int64) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held[agent]
}

// SaveAgentStats saves the numbers of files and pending paths of agents, by agent id. It replaces
// earlier numbers of these agents, keeps those of others, and ignores unknown agents.
// Store.AgentStats returns them on all servers. A crash of Postgres deletes them.
func (c *Conn) SaveAgentStats(stats map[int64]records.AgentStats) error {
	params := queries.SaveAgentStatsParams{}
	for id, s := range stats {
		params.AgentIds = append(params.AgentIds, id)
		params.Files = append(params.Files, int32(s.Files))
		params.Pending = append(params.Pending, int32(s.Pending))
	}
	return c.do("make figures known", func(ctx context.Context, q *queries.Queries) error { return q.SaveAgentStats(ctx, params) })
}
