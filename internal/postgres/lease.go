package postgres

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// The server with an agent's lease watches its directory, scans it, publishes, and runs requests. A
// lease is an advisory lock of the ServerConn. It prevents duplicate work; the lock of WithAgent
// prevents concurrent work while a lease moves.

// ErrNoRoom means that Postgres has no room for more locks.
var ErrNoRoom = errors.New("the database has no room for more locks: not every agent can be looked after. Raise max_locks_per_transaction in the settings of Postgres")

// leaseBatchSize is the number of leases per statement. If there is no room for all of them, they
// are all released, which leaves room for other operations.
const leaseBatchSize = 500

// outOfSharedMemory is SQLSTATE 53200: the lock table of Postgres is full.
const outOfSharedMemory = "53200"

// Take takes the free leases among the agents, and returns the new ones. It fails with ErrNoRoom if
// there is no room for all.
func (l *ServerConn) Take(agents []int64) (taken []int64, err error) {
	err = l.do("take leases", func(ctx context.Context, q *queries.Queries) error {
		wanted := slices.DeleteFunc(slices.Clone(agents), func(id int64) bool { return l.Term(id) != 0 })
		for part := range slices.Chunk(wanted, leaseBatchSize) {
			got, err := q.TakeLeases(ctx, part)
			var refused *pgconn.PgError
			if errors.As(err, &refused) && refused.Code == outOfSharedMemory {
				return errors.Join(ErrNoRoom, q.ReleaseLeases(ctx, part))
			}
			if err != nil {
				return err
			}
			l.addTerms(got)
			taken = append(taken, got...)
		}
		return nil
	})
	return taken, err
}

// Release releases leases of this server.
func (l *ServerConn) Release(agents []int64) error {
	return l.do("release leases", func(ctx context.Context, q *queries.Queries) error {
		held := slices.DeleteFunc(slices.Clone(agents), func(id int64) bool { return l.Term(id) == 0 })
		if len(held) == 0 {
			return nil
		}
		l.removeTerms(held)
		return q.ReleaseLeases(ctx, held)
	})
}

// Term returns the number of the period for which this server holds an agent's lease; 0 if it does
// not. Each period has another number.
func (l *ServerConn) Term(agent int64) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held[agent]
}

func (l *ServerConn) addTerms(agents []int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range agents {
		l.held[id] = l.terms.Add(1)
	}
}

func (l *ServerConn) removeTerms(agents []int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range agents {
		delete(l.held, id)
	}
}

// heldLeases lists the leases of this database with the backends that hold them. The numbers are
// those of TakeLeases.
const heldLeases = `
SELECT objid::bigint, pid
FROM pg_locks
WHERE locktype = 'advisory' AND classid = 1818583411 AND objsubid = 2 AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

// Holders returns the lease holders, by agent.
func (s *Store) Holders(ctx context.Context) (map[int64]records.LeaseHolder, error) {
	rows, err := s.pool.Query(ctx, heldLeases)
	if err != nil {
		return nil, wrap("read who holds the leases", err)
	}
	holders := map[int64]records.LeaseHolder{}
	var agent int64
	var holder records.LeaseHolder
	_, err = pgx.ForEachRow(rows, []any{&agent, &holder}, func() error {
		holders[agent] = holder
		return nil
	})
	return holders, wrap("read who holds the leases", err)
}

// Holder returns the holder of an agent's lease.
func (s *Store) Holder(ctx context.Context, agent int64) (records.LeaseHolder, error) {
	var holder records.LeaseHolder
	err := s.pool.QueryRow(ctx, "SELECT coalesce((SELECT pid FROM ("+heldLeases+") AS leases WHERE objid = $1), 0)", agent).Scan(&holder)
	return holder, wrap("read who holds the lease", err)
}
