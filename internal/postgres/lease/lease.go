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
var ErrNoRoom = errors.New("the database has no room for more locks: not every agent can be looked after. Raise max_locks_per_transaction in the settings of Postgres")

const (
	// batchSize is the number of leases per statement. If there is no room for all of them, they are
	// all released, which leaves room for other operations. Arbitrary.
	batchSize = 500
	// outOfSharedMemory is SQLSTATE 53200: the lock table of Postgres is full.
	outOfSharedMemory = "53200"
)

// lastTerm is the number of the last period of a lease in this process.
var lastTerm atomic.Uint64

// Take takes the leases of the agents that no connection holds, and returns the agents of these new
// leases. It skips leases that this server or another one holds. If Postgres has no room for all
// free leases, it stops and returns ErrNoRoom with the leases of the batches until then.
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
// hold.
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

// Term returns the number of the current period for which this server holds the agent's lease, or 0
// if it does not hold the lease. Each Take begins a new period with a number that no other period
// of this process has.
func (c *Conn) Term(agent int64) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held[agent]
}

// SaveAgentStats saves the numbers of files and pending paths of agents, by agent id. It replaces
// earlier numbers of these agents, and ignores agents that do not exist. Store.AgentStats returns
// them on all servers.
func (c *Conn) SaveAgentStats(stats map[int64]records.AgentStats) error {
	params := queries.SaveAgentStatsParams{}
	for id, s := range stats {
		params.AgentIds = append(params.AgentIds, id)
		params.Files = append(params.Files, int32(s.Files))
		params.Pending = append(params.Pending, int32(s.Pending))
	}
	return c.do("make figures known", func(ctx context.Context, q *queries.Queries) error { return q.SaveAgentStats(ctx, params) })
}
