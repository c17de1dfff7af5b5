package postgres

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Writer is the hold of one writer on one agent: as long as it lasts, no other server changes what is known of it.
// It is used by one goroutine at a time and is dead once WithAgent returns.
type Writer struct {
	agentID int64
	conn    *pgxpool.Conn
	q       *queries.Queries
}

// WithAgent calls do while it holds the agent, after any other holder has let go.
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
	defer func() { go w.letGo(context.WithoutCancel(ctx), s.writers) }()
	if err := w.q.LockAgent(ctx, int32(agentID)); err != nil { // it may be locked all the same
		return wrap("lock the agent", err)
	}
	return do(w)
}

func (w *Writer) letGo(ctx context.Context, writers <-chan struct{}) {
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
		if err := q.KeepPlans(ctx); err != nil {
			return err
		}
		return do(q)
	})
}

// withoutWaiting is inKeyedTx, and Postgres answers before the commit is on disk. It is for what the next look or start
// would find out and write down again. Nothing is seen before what was committed before it, and no later commit that waits
// can survive without it.
func (w *Writer) withoutWaiting(ctx context.Context, doing string, do func(*queries.Queries) error) error {
	return w.inKeyedTx(ctx, doing, func(q *queries.Queries) error {
		if err := q.NeedNotWaitForTheDisk(ctx); err != nil {
			return err
		}
		return do(q)
	})
}

// Agent returns the agent without its counts. It fails with memories.ErrNotFound when it has been forgotten.
func (w *Writer) Agent(ctx context.Context) (records.Agent, error) {
	row, err := w.q.AgentByID(ctx, w.agentID)
	return agentWithShared(row), wrap("read agent", err)
}

// FilesUnder returns every known file at or below the given paths, none of which contains another; "." is all.
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

// FilesOf returns the files on disk that carry the memories, and those that are gone and of which a deletion has something left to do.
func (w *Writer) FilesOf(ctx context.Context, ids []uuid.UUID) ([]records.File, error) {
	rows, err := w.q.FilesOfMemories(ctx, ids)
	return filesOf(rows), wrap("read files", err)
}

// FilesEverOf returns the files that carry the memory or last did.
func (w *Writer) FilesEverOf(ctx context.Context, id uuid.UUID) ([]records.File, error) {
	rows, err := w.q.FilesOfMemory(ctx, id)
	return filesOf(rows), wrap("read files", err)
}

// TakeAsIs makes the unfinished file at a path count as it is from the next look on.
func (w *Writer) TakeAsIs(ctx context.Context, path string) error {
	return wrap("take a file as it is", w.q.TakeAsIs(ctx, queries.TakeAsIsParams{AgentID: w.agentID, Path: path}))
}

// PrimaryFilesOf returns the durable files of a memory, the present ones first.
func (w *Writer) PrimaryFilesOf(ctx context.Context, id uuid.UUID) ([]records.PrimaryFile, error) {
	rows, err := w.q.DurableFilesOf(ctx, queries.DurableFilesOfParams{AgentID: w.agentID, MemoryID: id})
	files := make([]records.PrimaryFile, len(rows))
	for i, row := range rows {
		files[i] = records.PrimaryFile{Path: row.Path, Present: row.Present, Readable: records.FileStatus(row.Status) != records.Unreadable, Hash: row.Hash, Unfinished: row.Unfinished != nil}
	}
	return files, wrap("read files", err)
}

// FilesToRemove returns the files that a deletion has yet to remove.
func (w *Writer) FilesToRemove(ctx context.Context) ([]records.File, error) {
	rows, err := w.q.FilesToRemove(ctx, w.agentID)
	return filesOf(rows), wrap("read files to remove", err)
}

// CountPrimary counts the memories that files of the durable directory carry.
func (w *Writer) CountPrimary(ctx context.Context) (int, error) {
	n, err := w.q.CountDurableMemories(ctx, w.agentID)
	return int(n), wrap("count primary memories", err)
}

// HeadsByName returns the readable memories of those names, private and the team's, the deleted ones too.
func (w *Writer) HeadsByName(ctx context.Context, names []string) ([]records.MemoryRow, error) {
	rows, err := w.q.HeadsByName(ctx, queries.HeadsByNameParams{AgentID: w.agentID, Names: names})
	return headsOf(rows, func(r queries.HeadsByNameRow) queries.Memory { return r.Memory }, err)
}

// HeadOf returns the readable memory of that key, also when it is deleted; nil where there is none.
func (w *Writer) HeadOf(ctx context.Context, key memories.Key) (*records.MemoryRow, error) {
	heads, err := w.HeadsByName(ctx, []string{key.Name})
	for i := range heads {
		if heads[i].Team == key.Team {
			return &heads[i], err
		}
	}
	return nil, err
}

// KeysOf returns the keys of the memories with those ids.
func (w *Writer) KeysOf(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]memories.Key, error) {
	rows, err := w.q.KeysOf(ctx, queries.KeysOfParams{AgentID: w.agentID, Ids: ids})
	keys := make(map[uuid.UUID]memories.Key, len(rows))
	for _, row := range rows {
		keys[row.ID] = memories.Key{Name: row.Name, Team: row.Team}
	}
	return keys, wrap("read names", err)
}

// Head returns one memory. It fails with memories.ErrNotFound for an unknown, foreign or malformed id.
func (w *Writer) Head(ctx context.Context, id string) (records.MemoryRow, error) {
	parsed, err := parseID(id)
	if err != nil {
		return records.MemoryRow{}, err
	}
	row, err := w.q.HeadByID(ctx, queries.HeadByIDParams{AgentID: w.agentID, ID: parsed})
	if err != nil {
		return records.MemoryRow{}, wrap("read the memory", err)
	}
	return headOf(row.Memory)
}

// HeadWithFiles returns one memory, and the files that carry it or last did. It fails as Head does.
func (w *Writer) HeadWithFiles(ctx context.Context, id string) (records.MemoryRow, []records.File, error) {
	head, err := w.Head(ctx, id)
	if err != nil {
		return records.MemoryRow{}, nil, err
	}
	files, err := w.FilesEverOf(ctx, head.UUID)
	return head, files, err
}

// UnreadableByPath returns the entries that stand for the unreadable files at those paths; a deleted one only while
// it is being restored.
func (w *Writer) UnreadableByPath(ctx context.Context, paths []string) ([]records.MemoryRow, error) {
	rows, err := w.q.UnreadableByPath(ctx, queries.UnreadableByPathParams{AgentID: w.agentID, Paths: paths})
	return headsOf(rows, func(r queries.UnreadableByPathRow) queries.Memory { return r.Memory }, err)
}

// Restoring returns the memories whose restore has begun and is not done.
func (w *Writer) Restoring(ctx context.Context) ([]records.MemoryRow, error) {
	rows, err := w.q.RestoringHeads(ctx, w.agentID)
	return headsOf(rows, func(r queries.RestoringHeadsRow) queries.Memory { return r.Memory }, err)
}

func headsOf[Row any](rows []Row, memory func(Row) queries.Memory, err error) ([]records.MemoryRow, error) {
	if err != nil {
		return nil, wrap("read memories", err)
	}
	heads := make([]records.MemoryRow, len(rows))
	for i, row := range rows {
		if heads[i], err = headOf(memory(row)); err != nil {
			return nil, err
		}
	}
	return heads, nil
}

// Tombstones returns those of the given names.
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

// CurrentRaw returns the exact bytes of the file that holds the memory's content; nil where they are not known.
func (w *Writer) CurrentRaw(ctx context.Context, id uuid.UUID) ([]byte, error) {
	raw, err := w.q.CurrentRaw(ctx, id)
	return raw, wrap("read the memory's bytes", err)
}

// Text returns the memory's description and body.
func (w *Writer) Text(ctx context.Context, id uuid.UUID) (description, body string, err error) {
	row, err := w.q.Memory(ctx, queries.MemoryParams{AgentID: w.agentID, ID: id})
	return row.Description, row.Body, wrap("read the memory", err)
}

// Blocked returns one content that is kept out. It fails with memories.ErrNotFound.
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

// SetLook records what a look found of the agent itself.
func (w *Writer) SetLook(ctx context.Context, sessions int) error {
	return wrap("record the look", w.q.SetAgentLook(ctx, queries.SetAgentLookParams{ID: w.agentID, Sessions: int32(sessions), At: records.Now()}))
}

// PrimaryDirGone notes that the agent's durable directory is not there.
func (w *Writer) PrimaryDirGone(ctx context.Context) error {
	return w.savePrimaryDir(ctx, queries.SetDurableDirectoryParams{})
}

// PrimaryDirReturned notes that the durable directory is there, and was not. What was in the one before did not leave the one that is there
// now, as with Store.AgentReturns.
func (w *Writer) PrimaryDirReturned(ctx context.Context, id records.DirectoryID) error {
	if err := w.q.LeaveDurableFiles(ctx, w.agentID); err != nil {
		return wrap("record the return of the primary directory", err)
	}
	return w.SetPrimaryDir(ctx, id)
}

// SetPrimaryDir notes which directory the durable one is now. What was in the one before, and is not in this, has left it.
func (w *Writer) SetPrimaryDir(ctx context.Context, id records.DirectoryID) error {
	return w.savePrimaryDir(ctx, queries.SetDurableDirectoryParams{DurableDevice: signed(&id.Device), DurableInode: signed(&id.Inode)})
}

func (w *Writer) savePrimaryDir(ctx context.Context, directory queries.SetDurableDirectoryParams) error {
	directory.ID, directory.At = w.agentID, records.Now()
	return wrap("record the primary directory", w.q.SetDurableDirectory(ctx, directory))
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
