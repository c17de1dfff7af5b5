package postgres

import (
	"context"
	"strings"
)

// Snapshot tells all that Postgres sees from what it saw before: as long as it is the same, nothing that has been read is any
// different, by whomever it was written. Each transaction that writes, in any database of the server, makes it another one, and
// none comes twice.
type Snapshot string

// whatIsSeen reads the snapshot of the statement that it is in. The start of the server tells apart those from before and after a
// crash, since a transaction that was lost with it may give its number to another.
const whatIsSeen = `SELECT pg_postmaster_start_time()::text || ' ' || pg_current_snapshot()::text`

// Snapshot returns what Postgres sees now.
func (s *Store) Snapshot(ctx context.Context) (seen Snapshot, err error) {
	err = s.pool.QueryRow(ctx, whatIsSeen).Scan(&seen)
	return seen, wrap("read the snapshot", err)
}

// SameRun says whether Postgres has run on from the one to the other.
func (s Snapshot) SameRun(other Snapshot) bool { return s.run() == other.run() }

func (s Snapshot) run() string {
	start := strings.LastIndexByte(string(s), ' ')
	return string(s[:max(start, 0)])
}
