package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Writer is exclusive access to one agent, over all servers. One goroutine at a time may use it,
// until WithAgent returns.
type Writer struct {
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
		return wrap("acquire a connection", err)
	}
	w := &Writer{agentID: agentID, conn: conn, q: queries.New(conn)}
	// Whoever waits for what was done need not wait for this, and whoever holds the agent next waits for it in Postgres.
	defer func() { go w.release(context.WithoutCancel(ctx), s.writers) }()
	if err := w.q.LockAgent(ctx, int32(agentID)); err != nil { // it may be locked all the same
		return wrap("lock the agent", err)
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
	return wrap(doing, pgx.BeginFunc(ctx, w.conn, func(tx pgx.Tx) error { return do(w.q.WithTx(tx)) }))
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

// Agent returns the agent without its counts. It fails with memories.ErrNotFound if it was deleted.
func (w *Writer) Agent(ctx context.Context) (records.Agent, error) {
	row, err := w.q.AgentByID(ctx, w.agentID)
	return agentWithShared(row), wrap("read agent", err)
}

// FilesUnder returns every known file at or below the paths; no path contains another. "." is all.
func (w *Writer) FilesUnder(ctx context.Context, paths []string) ([]records.File, error) {
	for _, path := range paths {
		if path == "." {
			rows, err := w.q.Files(ctx, w.agentID)
			return filesOf(rows), wrap("read files", err)
		}
	}
	rows, err := w.q.FilesUnder(ctx, queries.FilesUnderParams{Paths: paths, AgentID: w.agentID})
	return filesOf(rows), wrap("read files", err)
}

// FilesOf returns the memories' files on disk, and absent ones with a pending removal.
func (w *Writer) FilesOf(ctx context.Context, ids []uuid.UUID) ([]records.File, error) {
	rows, err := w.q.FilesOfMemories(ctx, ids)
	return filesOf(rows), wrap("read files", err)
}

// FilesEverOf returns the present and former files of the memory.
func (w *Writer) FilesEverOf(ctx context.Context, id uuid.UUID) ([]records.File, error) {
	rows, err := w.q.FilesOfMemory(ctx, id)
	return filesOf(rows), wrap("read files", err)
}

// AcceptUnfinished makes the next scan accept the unfinished file as it is.
func (w *Writer) AcceptUnfinished(ctx context.Context, path string) error {
	return wrap("take a file as it is", w.q.AcceptUnfinished(ctx, queries.AcceptUnfinishedParams{AgentID: w.agentID, Path: path}))
}

// PrimaryFilesOf returns the primary files of a memory, present ones first.
func (w *Writer) PrimaryFilesOf(ctx context.Context, id uuid.UUID) ([]records.PrimaryFile, error) {
	rows, err := w.q.PrimaryFilesOf(ctx, queries.PrimaryFilesOfParams{AgentID: w.agentID, MemoryID: id})
	files := make([]records.PrimaryFile, len(rows))
	for i, row := range rows {
		files[i] = records.PrimaryFile{Path: row.Path, Present: row.Present, Readable: records.FileStatus(row.Status) != records.Unreadable, Hash: row.Hash, Unfinished: row.Unfinished != nil}
	}
	return files, wrap("read files", err)
}

// FilesToRemove returns the files with a pending removal.
func (w *Writer) FilesToRemove(ctx context.Context) ([]records.File, error) {
	rows, err := w.q.FilesToRemove(ctx, w.agentID)
	return filesOf(rows), wrap("read files to remove", err)
}

// CountPrimary counts the memories with primary files.
func (w *Writer) CountPrimary(ctx context.Context) (int, error) {
	n, err := w.q.CountPrimaryMemories(ctx, w.agentID)
	return int(n), wrap("count primary memories", err)
}

// RowsByName returns the readable memories with the names, private and team, also deleted ones.
func (w *Writer) RowsByName(ctx context.Context, names []string) ([]records.MemoryRow, error) {
	rows, err := w.q.RowsByName(ctx, queries.RowsByNameParams{AgentID: w.agentID, Names: names})
	return rowsOf(rows, func(r queries.RowsByNameRow) queries.Memory { return r.Memory }, err)
}

// RowOf returns the readable memory with the key, also if it is deleted. It is nil if there is
// none.
func (w *Writer) RowOf(ctx context.Context, key memories.Key) (*records.MemoryRow, error) {
	heads, err := w.RowsByName(ctx, []string{key.Name})
	for i := range heads {
		if heads[i].Team == key.Team {
			return &heads[i], err
		}
	}
	return nil, err
}

// KeysOf returns the keys of memories, by id.
func (w *Writer) KeysOf(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]memories.Key, error) {
	rows, err := w.q.KeysOf(ctx, queries.KeysOfParams{AgentID: w.agentID, Ids: ids})
	keys := make(map[uuid.UUID]memories.Key, len(rows))
	for _, row := range rows {
		keys[row.ID] = memories.Key{Name: row.Name, Team: row.Team}
	}
	return keys, wrap("read names", err)
}

// Row returns one memory. It fails with memories.ErrNotFound for an unknown, foreign or malformed id.
func (w *Writer) Row(ctx context.Context, id string) (records.MemoryRow, error) {
	parsed, err := parseID(id)
	if err != nil {
		return records.MemoryRow{}, err
	}
	row, err := w.q.RowByID(ctx, queries.RowByIDParams{AgentID: w.agentID, ID: parsed})
	if err != nil {
		return records.MemoryRow{}, wrap("read the memory", err)
	}
	return rowOf(row.Memory)
}

// RowWithFiles returns one memory with its present and former files. It fails as Row does.
func (w *Writer) RowWithFiles(ctx context.Context, id string) (records.MemoryRow, []records.File, error) {
	head, err := w.Row(ctx, id)
	if err != nil {
		return records.MemoryRow{}, nil, err
	}
	files, err := w.FilesEverOf(ctx, head.UUID)
	return head, files, err
}

// UnreadableByPath returns the entries of the unreadable files at the paths. Deleted ones are
// included only during their restore.
func (w *Writer) UnreadableByPath(ctx context.Context, paths []string) ([]records.MemoryRow, error) {
	rows, err := w.q.UnreadableByPath(ctx, queries.UnreadableByPathParams{AgentID: w.agentID, Paths: paths})
	return rowsOf(rows, func(r queries.UnreadableByPathRow) queries.Memory { return r.Memory }, err)
}

// Restoring returns the memories with an unfinished restore.
func (w *Writer) Restoring(ctx context.Context) ([]records.MemoryRow, error) {
	rows, err := w.q.RestoringRows(ctx, w.agentID)
	return rowsOf(rows, func(r queries.RestoringRowsRow) queries.Memory { return r.Memory }, err)
}

func rowsOf[Row any](rows []Row, memory func(Row) queries.Memory, err error) ([]records.MemoryRow, error) {
	if err != nil {
		return nil, wrap("read memories", err)
	}
	heads := make([]records.MemoryRow, len(rows))
	for i, row := range rows {
		if heads[i], err = rowOf(memory(row)); err != nil {
			return nil, err
		}
	}
	return heads, nil
}

// Tombstones returns the tombstones of the names.
func (w *Writer) Tombstones(ctx context.Context, names []string) (map[records.Tombstone]bool, error) {
	rows, err := w.q.Tombstones(ctx, queries.TombstonesParams{AgentID: w.agentID, Names: names})
	return tombstonesOf(rows), wrap("read tombstones", err)
}

func tombstonesOf(rows []queries.TombstonesRow) map[records.Tombstone]bool {
	tombstones := make(map[records.Tombstone]bool, len(rows))
	for _, row := range rows {
		tombstones[records.Tombstone{Key: memories.Key{Name: row.Name, Team: row.Team}, Fingerprint: memories.Fingerprint(row.Fingerprint)}] = true
	}
	return tombstones
}

// CurrentRaw returns the exact bytes of the memory's content. It is nil if they are unknown.
func (w *Writer) CurrentRaw(ctx context.Context, id uuid.UUID) ([]byte, error) {
	raw, err := w.q.CurrentRaw(ctx, id)
	return raw, wrap("read the memory's bytes", err)
}

// Text returns the memory's description and body.
func (w *Writer) Text(ctx context.Context, id uuid.UUID) (description, body string, err error) {
	row, err := w.q.Memory(ctx, queries.MemoryParams{AgentID: w.agentID, ID: id})
	return row.Description, row.Body, wrap("read the memory", err)
}

// Blocked returns one blocked content. It fails with memories.ErrNotFound.
func (w *Writer) Blocked(ctx context.Context, id string) (records.BlockedFile, error) {
	parsed, err := parseID(id)
	if err != nil {
		return records.BlockedFile{}, err
	}
	row, err := w.q.BlockedByID(ctx, queries.BlockedByIDParams{AgentID: w.agentID, ID: parsed})
	if err != nil {
		return records.BlockedFile{}, wrap("read the blocked content", err)
	}
	return blockedOf(row), nil
}

// NeedsAttention counts the memories that need attention.
func (w *Writer) NeedsAttention(ctx context.Context) (int, error) {
	n, err := w.q.CountNeedingAttention(ctx, w.agentID)
	return int(n), wrap("count what needs attention", err)
}

// SetSessionCount records the number of sessions at the last full scan.
func (w *Writer) SetSessionCount(ctx context.Context, sessions int) error {
	return wrap("record the look", w.q.SetAgentSessions(ctx, queries.SetAgentSessionsParams{ID: w.agentID, Sessions: int32(sessions), At: records.Now()}))
}

// PrimaryDirGone records that the agent's primary directory is missing.
func (w *Writer) PrimaryDirGone(ctx context.Context) error {
	return w.savePrimaryDir(ctx, queries.SetPrimaryDirParams{})
}

// PrimaryDirReturned records that the primary directory is back. Its files count as unseen, as with
// Store.AgentReturns.
func (w *Writer) PrimaryDirReturned(ctx context.Context, id records.DirectoryID) error {
	if err := w.q.UnsetPrimaryFiles(ctx, w.agentID); err != nil {
		return wrap("record the return of the primary directory", err)
	}
	return w.SetPrimaryDir(ctx, id)
}

// SetPrimaryDir records which directory is the primary one. Files of the one before that it does
// not have count as removed.
func (w *Writer) SetPrimaryDir(ctx context.Context, id records.DirectoryID) error {
	return w.savePrimaryDir(ctx, queries.SetPrimaryDirParams{PrimaryDevice: signed(&id.Device), PrimaryInode: signed(&id.Inode)})
}

func (w *Writer) savePrimaryDir(ctx context.Context, directory queries.SetPrimaryDirParams) error {
	directory.ID, directory.At = w.agentID, records.Now()
	return wrap("record the primary directory", w.q.SetPrimaryDir(ctx, directory))
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
	return wrap("note the bytes that are to be written", w.q.SetExpectedHash(ctx, queries.SetExpectedHashParams{AgentID: w.agentID, Path: path, Hash: optional(hash)}))
}

// SetFileHash records that the file has the expected bytes.
func (w *Writer) SetFileHash(ctx context.Context, path, hash string) error {
	return wrap("record the file's bytes", w.q.SetFileHash(ctx, queries.SetFileHashParams{AgentID: w.agentID, Path: path, Hash: hash}))
}

// Verify records that the memory is still true: its age counts from at.
func (w *Writer) Verify(ctx context.Context, h records.MemoryRow, at time.Time, actor memories.Actor) error {
	h.ModifiedAt = at
	return w.inTx(ctx, "set the memory's age", func(q *queries.Queries) error {
		if err := q.SetModified(ctx, queries.SetModifiedParams{ID: h.UUID, ModifiedAt: at}); err != nil {
			return err
		}
		if err := w.invalidatePublished(ctx, q, h.UUID); err != nil { // CLAUDE.md may say how old it is
			return err
		}
		return journal(ctx, q, w.agentID, records.NewJournalEntry(h, h.CountKey(), at, memories.ActivityVerified, actor))
	})
}
