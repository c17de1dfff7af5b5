package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Writer is exclusive access to one agent, over all servers. One goroutine at a time may use it,
// until WithAgent returns.
type Writer struct {
	// Rows reads the agent's rows, on the connection that has the lock.
	Rows    *AgentRows
	agentID int64
	conn    *pgxpool.Conn
	q       *queries.Queries
}

// WithAgent locks the agent and calls do.
func (s *Store) WithAgent(ctx context.Context, agentID int64, do func(*Writer) error) error {
	select {
	case s.writers <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		<-s.writers
		return dberr.Wrap("acquire a connection", err)
	}
	q := queries.New(conn)
	w := &Writer{Rows: &AgentRows{agentID, conn, q}, agentID: agentID, conn: conn, q: q}
	// Asynchronously, because the caller need not wait. The next writer waits in Postgres.
	defer func() { go w.release(context.WithoutCancel(ctx), s.writers) }()
	if err := w.q.LockAgent(ctx, int32(agentID)); err != nil { // it may be locked all the same
		return dberr.Wrap("lock the agent", err)
	}
	return do(w)
}

func (w *Writer) release(ctx context.Context, writers <-chan struct{}) {
	defer func() { <-writers }()
	defer w.conn.Release()
	// A connection that cannot unlock is closed, and the lock goes with it.
	if err := w.q.UnlockAgent(ctx, int32(w.agentID)); err != nil {
		w.conn.Conn().PgConn().Conn().Close() //nolint:errcheck // closing is all that can be done
	}
}

// inTx runs do in one transaction.
func (w *Writer) inTx(ctx context.Context, doing string, do func(*queries.Queries) error) error {
	return dberr.Wrap(doing, pgx.BeginFunc(ctx, w.conn, func(tx pgx.Tx) error { return do(w.q.WithTx(tx)) }))
}

// inKeyedTx is inTx for statements that find few rows by their keys.
func (w *Writer) inKeyedTx(ctx context.Context, doing string, do func(*queries.Queries) error) error {
	return w.inTx(ctx, doing, func(q *queries.Queries) error {
		if err := q.ForceGenericPlans(ctx); err != nil {
			return err
		}
		return do(q)
	})
}

// withoutWaiting is inKeyedTx without waiting for the disk at the commit. It is for data that the
// next scan or start would restore. Order is kept: no later durable commit survives without it.
func (w *Writer) withoutWaiting(ctx context.Context, doing string, do func(*queries.Queries) error) error {
	return w.inKeyedTx(ctx, doing, func(q *queries.Queries) error {
		if err := q.CommitAsync(ctx); err != nil {
			return err
		}
		return do(q)
	})
}

// AcceptUnfinished makes the next scan accept the unfinished file as it is.
func (w *Writer) AcceptUnfinished(ctx context.Context, path string) error {
	return dberr.Wrap("take a file as it is", w.q.AcceptUnfinished(ctx, queries.AcceptUnfinishedParams{AgentID: w.agentID, Path: path}))
}

func tombstonesOf(rows []queries.TombstonesRow) map[records.Tombstone]bool {
	tombstones := make(map[records.Tombstone]bool, len(rows))
	for _, row := range rows {
		tombstones[records.Tombstone{Key: memories.Key{Name: row.Name, Team: row.Team}, Fingerprint: memories.Fingerprint(row.Fingerprint)}] = true
	}
	return tombstones
}

// SetSessionCount records the number of sessions at the last full scan.
func (w *Writer) SetSessionCount(ctx context.Context, sessions int) error {
	return dberr.Wrap("record the look", w.q.SetAgentSessions(ctx, queries.SetAgentSessionsParams{ID: w.agentID, Sessions: int32(sessions), At: records.Now()}))
}

// PrimaryDirGone records that the agent's primary directory is missing.
func (w *Writer) PrimaryDirGone(ctx context.Context) error {
	return w.savePrimaryDir(ctx, nil, nil)
}

// PrimaryDirReturned records that the primary directory is back. Its files count as unseen, as with
// Store.AgentReturns.
func (w *Writer) PrimaryDirReturned(ctx context.Context, id records.DirectoryID) error {
	if err := w.q.UnsetPrimaryFiles(ctx, w.agentID); err != nil {
		return dberr.Wrap("record the return of the primary directory", err)
	}
	return w.SetPrimaryDir(ctx, id)
}

// SetPrimaryDir records which directory is the primary one. Files of the one before that it does
// not have count as removed.
func (w *Writer) SetPrimaryDir(ctx context.Context, id records.DirectoryID) error {
	device, inode := int64(id.Device), int64(id.Inode)
	return w.savePrimaryDir(ctx, &device, &inode)
}

func (w *Writer) savePrimaryDir(ctx context.Context, device, inode *int64) error {
	return dberr.Wrap("record the primary directory", w.q.SetPrimaryDir(ctx, queries.SetPrimaryDirParams{
		ID: w.agentID, PrimaryDevice: device, PrimaryInode: inode, At: records.Now(),
	}))
}

// batchErr runs a batch to its end and returns its first error.
func batchErr(results interface{ Exec(func(int, error)) }) error {
	var first error
	results.Exec(func(_ int, err error) {
		if first == nil {
			first = err
		}
	})
	return first
}

// SetExpectedHash records the hash of bytes before they are written. They do not make the content
// newer. An empty hash cancels it.
func (w *Writer) SetExpectedHash(ctx context.Context, path, hash string) error {
	return dberr.Wrap("note the bytes that are to be written", w.q.SetExpectedHash(ctx, queries.SetExpectedHashParams{AgentID: w.agentID, Path: path, Hash: optional(hash)}))
}

// SetFileHash records that the file has the expected bytes.
func (w *Writer) SetFileHash(ctx context.Context, path, hash string) error {
	return dberr.Wrap("record the file's bytes", w.q.SetFileHash(ctx, queries.SetFileHashParams{AgentID: w.agentID, Path: path, Hash: hash}))
}

// Verify records that the memory is still true: its age counts from at.
func (w *Writer) Verify(ctx context.Context, h records.MemoryRow, at time.Time, actor memories.Actor) error {
	h.ModifiedAt = at
	return w.inTx(ctx, "set the memory's age", func(q *queries.Queries) error {
		if err := q.SetModified(ctx, queries.SetModifiedParams{ID: h.UUID, ModifiedAt: at}); err != nil {
			return err
		}
		if err := invalidatePublished(ctx, q, w.agentID, h.UUID); err != nil { // CLAUDE.md may say how old it is
			return err
		}
		return journal(ctx, q, w.agentID, records.NewJournalEntry(h, h.CountKey(), at, memories.ActivityVerified, actor))
	})
}
