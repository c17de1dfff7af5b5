package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/lease"
	"memoir/internal/records"
)

// heldLeases lists the held leases of this database by agent, with the process ids of the holders'
// connections. 1818583411 is the number of leases in query TakeLeases.
const heldLeases = `
SELECT objid::bigint, pid
FROM pg_locks
WHERE locktype = 'advisory' AND classid = 1818583411 AND objsubid = 2 AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

// Holders returns by agent id the server connections that hold leases, of all servers. Agents whose
// lease no server holds have no entry.
func (s *Store) Holders(ctx context.Context) (map[int64]records.LeaseHolder, error) {
	rows, _ := s.pool.Query(ctx, heldLeases) // ForEachRow returns the error of Query
	holders := map[int64]records.LeaseHolder{}
	var agent int64
	var holder records.LeaseHolder
	_, err := pgx.ForEachRow(rows, []any{&agent, &holder}, func() error {
		holders[agent] = holder
		return nil
	})
	return holders, dberr.Wrap("read who holds the leases", err)
}

// Holder returns the server connection that holds the agent's lease, or 0 if no server holds it.
func (s *Store) Holder(ctx context.Context, agent int64) (records.LeaseHolder, error) {
	var holder records.LeaseHolder
	err := s.pool.QueryRow(ctx, "SELECT coalesce((SELECT pid FROM ("+heldLeases+") AS leases WHERE objid = $1), 0)", agent).Scan(&holder)
	return holder, dberr.Wrap("read who holds the lease", err)
}

// OpenLeaseConn opens a connection to the database, outside the pool, for leases and messages.
// onMessage receives each message that any other connection sends, of this server's pool too, one
// at a time; it must not block. It fails with memories.ErrUnavailable if the database cannot be
// reached. The caller must close it; Store.Close does not.
func (s *Store) OpenLeaseConn(ctx context.Context, onMessage func(payload string)) (*lease.Conn, error) {
	return lease.Open(ctx, s.pool.Unrestricted().Config().ConnConfig, onMessage)
}
