package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/lease"
	"memoir/internal/records"
)

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
		return nil, dberr.Wrap("read who holds the leases", err)
	}
	holders := map[int64]records.LeaseHolder{}
	var agent int64
	var holder records.LeaseHolder
	_, err = pgx.ForEachRow(rows, []any{&agent, &holder}, func() error {
		holders[agent] = holder
		return nil
	})
	return holders, dberr.Wrap("read who holds the leases", err)
}

// Holder returns the holder of an agent's lease.
func (s *Store) Holder(ctx context.Context, agent int64) (records.LeaseHolder, error) {
	var holder records.LeaseHolder
	err := s.pool.QueryRow(ctx, "SELECT coalesce((SELECT pid FROM ("+heldLeases+") AS leases WHERE objid = $1), 0)", agent).Scan(&holder)
	return holder, dberr.Wrap("read who holds the lease", err)
}

// OpenLeaseConn opens this server's own connection for leases and messages. See lease.Open.
func (s *Store) OpenLeaseConn(ctx context.Context, onMessage func(payload string)) (*lease.Conn, error) {
	return lease.Open(ctx, s.pool.Config().ConnConfig, onMessage)
}
