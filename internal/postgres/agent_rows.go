package postgres

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// AgentRows reads the rows of the agent that a Writer has locked. One goroutine at a time may use
// it, until WithAgent returns.
type AgentRows struct {
	agentID int64
	conn    *pgxpool.Conn
	q       *queries.Queries
}

// Agent returns the agent without its counts. It fails with memories.ErrNotFound if it was deleted.
func (a *AgentRows) Agent(ctx context.Context) (records.Agent, error) {
	row, err := a.q.AgentByID(ctx, a.agentID)
	agent := agentOf(row.Agent)
	agent.Shared = row.Shared
	return agent, dberr.Wrap("read agent", err)
}

// FilesUnder returns every known file at or below the paths; no path contains another. "." is all.
func (a *AgentRows) FilesUnder(ctx context.Context, paths []string) ([]records.File, error) {
	if slices.Contains(paths, ".") {
		return filesOf(a.q.Files(ctx, a.agentID))
	}
	return filesOf(a.q.FilesUnder(ctx, queries.FilesUnderParams{Paths: paths, AgentID: a.agentID}))
}

// FilesOf returns the memories' files on disk, and absent ones with a pending removal.
func (a *AgentRows) FilesOf(ctx context.Context, ids []uuid.UUID) ([]records.File, error) {
	return filesOf(a.q.FilesOfMemories(ctx, ids))
}

// FilesEverOf returns the present and former files of the memory.
func (a *AgentRows) FilesEverOf(ctx context.Context, id uuid.UUID) ([]records.File, error) {
	return filesOf(a.q.FilesOfMemory(ctx, id))
}

// PrimaryFilesOf returns the primary files of a memory, present ones first.
func (a *AgentRows) PrimaryFilesOf(ctx context.Context, id uuid.UUID) ([]records.PrimaryFile, error) {
	rows, err := a.q.PrimaryFilesOf(ctx, queries.PrimaryFilesOfParams{AgentID: a.agentID, MemoryID: id})
	return mapRows("read files", rows, err, func(row queries.PrimaryFilesOfRow) records.PrimaryFile {
		return records.PrimaryFile{
			Path: row.Path, Present: row.Present, Readable: records.FileStatus(row.Status) != records.Unreadable,
			Hash: row.Hash, Unfinished: row.Unfinished != nil,
		}
	})
}

// FilesToRemove returns the files with a pending removal.
func (a *AgentRows) FilesToRemove(ctx context.Context) ([]records.File, error) {
	rows, err := a.q.FilesToRemove(ctx, a.agentID)
	return mapRows("read files to remove", rows, err, fileOf)
}

// CountPrimary counts the memories with primary files.
func (a *AgentRows) CountPrimary(ctx context.Context) (int, error) {
	n, err := a.q.CountPrimaryMemories(ctx, a.agentID)
	return int(n), dberr.Wrap("count primary memories", err)
}

// RowsByName returns the readable memories with the names, private and team, also deleted ones.
func (a *AgentRows) RowsByName(ctx context.Context, names []string) ([]records.MemoryRow, error) {
	return rowsOf(a.q.RowsByName(ctx, queries.RowsByNameParams{AgentID: a.agentID, Names: names}))
}

// RowOf returns the readable memory with the key, also if it is deleted. It is nil if there is
// none.
func (a *AgentRows) RowOf(ctx context.Context, key memories.Key) (*records.MemoryRow, error) {
	heads, err := a.RowsByName(ctx, []string{key.Name})
	for i := range heads {
		if heads[i].Team == key.Team {
			return &heads[i], err
		}
	}
	return nil, err
}

// KeysOf returns the keys of memories, by id.
func (a *AgentRows) KeysOf(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]memories.Key, error) {
	rows, err := a.q.KeysOf(ctx, queries.KeysOfParams{AgentID: a.agentID, Ids: ids})
	keys := make(map[uuid.UUID]memories.Key, len(rows))
	for _, row := range rows {
		keys[row.ID] = memories.Key{Name: row.Name, Team: row.Team}
	}
	return keys, dberr.Wrap("read names", err)
}

// Row returns one memory. It fails with memories.ErrNotFound for an unknown, foreign or malformed id.
func (a *AgentRows) Row(ctx context.Context, id string) (records.MemoryRow, error) {
	parsed, err := parseID(id)
	if err != nil {
		return records.MemoryRow{}, err
	}
	row, err := a.q.RowByID(ctx, queries.RowByIDParams{AgentID: a.agentID, ID: parsed})
	if err != nil {
		return records.MemoryRow{}, dberr.Wrap("read the memory", err)
	}
	return rowOf(row.Memory)
}

// RowWithFiles returns one memory with its present and former files. It fails as Row does.
func (a *AgentRows) RowWithFiles(ctx context.Context, id string) (records.MemoryRow, []records.File, error) {
	head, err := a.Row(ctx, id)
	if err != nil {
		return records.MemoryRow{}, nil, err
	}
	files, err := a.FilesEverOf(ctx, head.UUID)
	return head, files, err
}

// UnreadableByPath returns the entries of the unreadable files at the paths. Deleted ones are
// included only during their restore.
func (a *AgentRows) UnreadableByPath(ctx context.Context, paths []string) ([]records.MemoryRow, error) {
	return rowsOf(a.q.UnreadableByPath(ctx, queries.UnreadableByPathParams{AgentID: a.agentID, Paths: paths}))
}

// Restoring returns the memories with an unfinished restore.
func (a *AgentRows) Restoring(ctx context.Context) ([]records.MemoryRow, error) {
	return rowsOf(a.q.RestoringRows(ctx, a.agentID))
}

// Tombstones returns the tombstones of the names.
func (a *AgentRows) Tombstones(ctx context.Context, names []string) (map[records.Tombstone]bool, error) {
	rows, err := a.q.Tombstones(ctx, queries.TombstonesParams{AgentID: a.agentID, Names: names})
	return tombstonesOf(rows), dberr.Wrap("read tombstones", err)
}

// CurrentRaw returns the exact bytes of the memory's content. It is nil if they are unknown.
func (a *AgentRows) CurrentRaw(ctx context.Context, id uuid.UUID) ([]byte, error) {
	raw, err := a.q.CurrentRaw(ctx, id)
	return raw, dberr.Wrap("read the memory's bytes", err)
}

// Text returns the memory's description and body.
func (a *AgentRows) Text(ctx context.Context, id uuid.UUID) (description, body string, err error) {
	row, err := a.q.Memory(ctx, queries.MemoryParams{AgentID: a.agentID, ID: id})
	return row.Description, row.Body, dberr.Wrap("read the memory", err)
}

// Blocked returns one blocked content. It fails with memories.ErrNotFound.
func (a *AgentRows) Blocked(ctx context.Context, id string) (records.BlockedFile, error) {
	parsed, err := parseID(id)
	if err != nil {
		return records.BlockedFile{}, err
	}
	row, err := a.q.BlockedByID(ctx, queries.BlockedByIDParams{AgentID: a.agentID, ID: parsed})
	if err != nil {
		return records.BlockedFile{}, dberr.Wrap("read the blocked content", err)
	}
	return blockedOf(row), nil
}

// NeedsAttention counts the memories that need attention.
func (a *AgentRows) NeedsAttention(ctx context.Context) (int, error) {
	n, err := a.q.CountNeedingAttention(ctx, a.agentID)
	return int(n), dberr.Wrap("count what needs attention", err)
}
