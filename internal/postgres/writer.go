package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"memoir/internal/memories"
	"memoir/internal/postgres/exchange"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/postgres/review"
	"memoir/internal/records"
)

// Writer is exclusive access to one agent's rows, over all servers. Only one goroutine at a time
// may use it, and only until WithAgent returns.
type Writer struct {
	// Rows reads the agent's rows, on the connection that has the lock.
	Rows    *AgentRows
	agentID int64
	conn    *pgxpool.Conn
	q       *queries.Queries
}

// WithAgent waits until no other writer has the agent, on any server, and calls do with exclusive
// access. Before, it waits until fewer than 6 writers of this store are active. It returns the
// error of do. If it did not call do, it returns an error of ctx or memories.ErrUnavailable. It
// releases the agent in the background, and rolls back nothing.
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
	// In the background, because only the next writer must wait, and it waits in Postgres.
	defer func() { go w.release(context.WithoutCancel(ctx), s.writers) }()
	// Even after an error the agent may be locked, so release follows.
	if err := w.q.LockAgent(ctx, int32(agentID)); err != nil {
		return dberr.Wrap("lock the agent", err)
	}
	return do(w)
}

// release unlocks the agent, returns the connection to the pool, and receives one element from
// writers, so that another writer can begin. If the unlocking fails, it closes the connection,
// which releases the lock.
func (w *Writer) release(ctx context.Context, writers <-chan struct{}) {
	defer func() { <-writers }()
	defer w.conn.Release()
	// A connection that cannot unlock is closed, and the lock goes with it.
	if err := w.q.UnlockAgent(ctx, int32(w.agentID)); err != nil {
		w.conn.Conn().PgConn().Conn().Close() //nolint:errcheck // closing is all that can be done
	}
}

// NewConflict is a conflict between a deletion and a change, to be saved.
type NewConflict = exchange.NewConflict

// ExchangeOf returns the statements that write imported history.
func ExchangeOf(w *Writer) exchange.Rows { return exchange.Of(w.agentID, w.conn) }

// inTx runs do in one transaction on the writer's connection. It commits if do returns nil, else it
// rolls back. It returns the error with the text of doing before it, translated by dberr.Wrap.
func (w *Writer) inTx(ctx context.Context, doing string, do func(*queries.Queries) error) error {
	return dberr.Wrap(doing, pgx.BeginFunc(ctx, w.conn, func(tx pgx.Tx) error { return do(w.q.WithTx(tx)) }))
}

// inKeyedTx runs do in one transaction whose queries use cached plans, which find rows by their
// keys only. It is for queries that touch few rows, where planning would take longer. It commits if
// do returns nil, else it rolls back.
func (w *Writer) inKeyedTx(ctx context.Context, doing string, do func(*queries.Queries) error) error {
	return w.inTx(ctx, doing, func(q *queries.Queries) error {
		if err := q.ForceGenericPlans(ctx); err != nil {
			return err
		}
		return do(q)
	})
}

// withoutWaiting runs do in one transaction whose commit does not wait for the disk. If a power cut
// loses it, all later commits are lost too. It is for data that the next scan or start restores. It
// uses cached plans, which suit few rows. If do fails, it rolls back.
func (w *Writer) withoutWaiting(ctx context.Context, doing string, do func(*queries.Queries) error) error {
	return w.inKeyedTx(ctx, doing, func(q *queries.Queries) error {
		if err := q.CommitAsync(ctx); err != nil {
			return err
		}
		return do(q)
	})
}

// AcceptUnfinished makes the next scan read the file at path, and accept the flaws, such as merge
// markers, for which it did not count. It changes only the row. It does nothing if the path is
// unknown or the row has no Unfinished flaws.
func (w *Writer) AcceptUnfinished(ctx context.Context, path string) error {
	return dberr.Wrap("take a file as it is", w.q.AcceptUnfinished(ctx, queries.AcceptUnfinishedParams{AgentID: w.agentID, Path: path}))
}

// SetProblems replaces the problems of memories, saves their search texts, makes CLAUDE.md out of
// date, and writes the journal entries. It does nothing without changes.
func (w *Writer) SetProblems(ctx context.Context, changes []records.ProblemChange, at time.Time, entries ...records.JournalEntry) error {
	if len(changes) == 0 {
		return nil
	}
	ids, texts := make([]uuid.UUID, len(changes)), make([]records.SearchText, len(changes))
	for i, c := range changes {
		ids[i], texts[i] = c.Text.MemoryID, c.Text
		texts[i].AgentID = w.agentID
	}
	return w.inTx(ctx, "set the problems of memories", func(q *queries.Queries) error {
		for i, c := range changes {
			if err := review.SetProblems(ctx, q, ids[i], c.Problems, at); err != nil {
				return err
			}
		}
		if err := indexBatchOf(texts).save(ctx, q); err != nil {
			return err
		}
		if err := invalidatePublished(ctx, q, w.agentID, ids...); err != nil {
			return err
		}
		return journal(ctx, q, w.agentID, entries...)
	})
}

// RemoveValues deletes the earlier contents of a memory that have one of the values or another
// credential. It also removes the values from the journal, proposals, plans, and words for fuzzy
// search.
func RemoveValues(ctx context.Context, w *Writer, id uuid.UUID, values []string) error {
	return w.inTx(ctx, "remove a value", func(q *queries.Queries) error {
		texts, err := q.TextsOf(ctx, queries.TextsOfParams{Ids: []uuid.UUID{id}})
		if err != nil {
			return err
		}
		if err := review.Of(w.agentID, q).RemoveValues(ctx, id, values); err != nil {
			return err
		}
		return deleteUnusedWords(ctx, q, texts)
	})
}

func tombstonesOf(rows []queries.TombstonesRow) map[records.Tombstone]bool {
	tombstones := make(map[records.Tombstone]bool, len(rows))
	for _, row := range rows {
		tombstones[records.Tombstone{Key: memories.Key{Name: row.Name, Team: row.Team}, Fingerprint: memories.Fingerprint(row.Fingerprint)}] = true
	}
	return tombstones
}

// SetSessionCount records the number of the agent's sessions at the last full scan. It changes
// nothing if that is already recorded.
func (w *Writer) SetSessionCount(ctx context.Context, sessions int) error {
	return dberr.Wrap("record the look", w.q.SetAgentSessions(ctx, queries.SetAgentSessionsParams{ID: w.agentID, Sessions: int32(sessions), At: records.Now()}))
}

// PrimaryDirGone records that the agent's primary directory, which holds its own memory files, is
// missing. The rows of its files stay as they are.
func (w *Writer) PrimaryDirGone(ctx context.Context) error {
	return w.savePrimaryDir(ctx, nil, nil)
}

// PrimaryDirReturned records that the primary directory is back, with its identity id. It marks the
// rows of the agent's mirrored files outside of sessions as absent, and updates the conflicts and
// problems of their memories. The next scan treats existing files as returned, and the others not
// as removed.
func (w *Writer) PrimaryDirReturned(ctx context.Context, id records.DirectoryID) error {
	if err := w.q.UnsetPrimaryFiles(ctx, w.agentID); err != nil {
		return dberr.Wrap("record the return of the primary directory", err)
	}
	return w.SetPrimaryDir(ctx, id)
}

// SetPrimaryDir records the identity of the agent's primary directory. It leaves the rows of files
// as they are, so files of an earlier directory that are missing in this one count as removed.
func (w *Writer) SetPrimaryDir(ctx context.Context, id records.DirectoryID) error {
	device, inode := int64(id.Device), int64(id.Inode)
	return w.savePrimaryDir(ctx, &device, &inode)
}

func (w *Writer) savePrimaryDir(ctx context.Context, device, inode *int64) error {
	return dberr.Wrap("record the primary directory", w.q.SetPrimaryDir(ctx, queries.SetPrimaryDirParams{
		ID: w.agentID, PrimaryDevice: device, PrimaryInode: inode, At: records.Now(),
	}))
}

// batchErr runs all statements of a batch and returns the first error, or nil.
func batchErr(results interface{ Exec(func(int, error)) }) error {
	var first error
	results.Exec(func(_ int, err error) {
		if first == nil {
			first = err
		}
	})
	return first
}

// SetExpectedHash records the hash of bytes that Memoir is about to write into the known file at
// path. A scan that finds these bytes does not make the content newer. An empty hash cancels it. It
// writes no file, and does nothing if the path is unknown.
func (w *Writer) SetExpectedHash(ctx context.Context, path, hash string) error {
	return dberr.Wrap("note the bytes that are to be written", w.q.SetExpectedHash(ctx, queries.SetExpectedHashParams{AgentID: w.agentID, Path: path, Hash: dbconv.Optional(hash)}))
}

// SetFileHash records that Memoir has written bytes with the hash into the file at path. It clears
// the expected hash. It also clears the signature, so that the next scan reads the file. It does
// nothing if the path is unknown.
func (w *Writer) SetFileHash(ctx context.Context, path, hash string) error {
	return dberr.Wrap("record the file's bytes", w.q.SetFileHash(ctx, queries.SetFileHashParams{AgentID: w.agentID, Path: path, Hash: hash}))
}

// Verify sets the modification time of the memory h to modified, because a user has confirmed that
// it is still true, or takes that back. In the same transaction it marks CLAUDE.md as out of date
// and adds a journal entry at the time at. It changes no file, and no text of the memory.
func (w *Writer) Verify(ctx context.Context, h records.MemoryRow, modified, at time.Time, actor memories.Actor) error {
	h.ModifiedAt = modified
	return w.inTx(ctx, "set the memory's age", func(q *queries.Queries) error {
		if err := q.SetModified(ctx, queries.SetModifiedParams{ID: h.UUID, ModifiedAt: modified}); err != nil {
			return err
		}
		// CLAUDE.md may state the memory's age.
		if err := invalidatePublished(ctx, q, w.agentID, h.UUID); err != nil {
			return err
		}
		return journal(ctx, q, w.agentID, records.NewJournalEntry(h, h.CountKey(), at, memories.ActivityVerified, actor))
	})
}
