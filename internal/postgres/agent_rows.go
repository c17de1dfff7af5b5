package postgres

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/postgres/review"
	"memoir/internal/postgres/targets"
	"memoir/internal/records"
)

// AgentRows reads the rows of the agent that a Writer has locked, on the connection with the lock.
// Only one goroutine at a time may use it, and only until WithAgent returns.
type AgentRows struct {
	agentID int64
	conn    *pgxpool.Conn
	q       *queries.Queries
}

// Agent returns the row of the locked agent, with zero counts. Agent.Shared identifies the memories
// that other agents share with it, and Agent.HasTargets is set. It fails with memories.ErrNotFound if the agent was deleted.
func (a *AgentRows) Agent(ctx context.Context) (records.Agent, error) {
	row, err := a.q.AgentByID(ctx, a.agentID)
	agent := agentOf(row.Agent)
	agent.Shared, agent.HasTargets = row.Shared, row.HasTargets
	return agent, dberr.Wrap("read agent", err)
}

// Review returns the statements about the agent's review.
func (a *AgentRows) Review() review.Rows { return review.Of(a.agentID, a.q) }

// Targets returns the statements about the agent's publish targets.
func (a *AgentRows) Targets() targets.Rows { return targets.Of(a.agentID, a.q) }

// FilesUnder returns the rows of all the agent's files at or below the paths, in any order,
// including files that are no longer on disk. No path may contain another. The path "." selects all
// files of the agent. A path without files is no error.
func (a *AgentRows) FilesUnder(ctx context.Context, paths []string) ([]records.File, error) {
	if slices.Contains(paths, ".") {
		return filesOf(a.q.Files(ctx, a.agentID))
	}
	return filesOf(a.q.FilesUnder(ctx, queries.FilesUnderParams{Paths: paths, AgentID: a.agentID}))
}

// FilesOf returns the rows of the memories' files, sorted by path: those on disk, and absent ones
// that are still marked for removal. It omits other absent files. Unknown ids have no row.
func (a *AgentRows) FilesOf(ctx context.Context, ids []uuid.UUID) ([]records.File, error) {
	return filesOf(a.q.FilesOfMemories(ctx, ids))
}

// FilesEverOf returns the rows of all files of the memory, sorted by path, also of files that are
// no longer on disk. It returns an empty list for an unknown id.
func (a *AgentRows) FilesEverOf(ctx context.Context, id uuid.UUID) ([]records.File, error) {
	return filesOf(a.q.FilesOfMemory(ctx, id))
}

// PrimaryFilesOf returns the memory's files outside of sessions: first those on disk, then those no
// longer on disk, each sorted by path. It returns an empty list if there are none.
func (a *AgentRows) PrimaryFilesOf(ctx context.Context, id uuid.UUID) ([]records.PrimaryFile, error) {
	rows, err := a.q.PrimaryFilesOf(ctx, queries.PrimaryFilesOfParams{AgentID: a.agentID, MemoryID: id})
	return dbconv.Rows("read files", rows, err, func(row queries.PrimaryFilesOfRow) records.PrimaryFile {
		return records.PrimaryFile{
			Path: row.Path, Present: row.Present, Readable: records.FileStatus(row.Status) != records.Unreadable,
			Hash: row.Hash, Unfinished: row.Unfinished != nil,
		}
	})
}

// FilesToRemove returns the rows of the agent's files with the status Removing, sorted by path. A
// deletion, a rename or ExpectFile has marked them, and neither FilesRemoved nor a scan has cleared
// the mark. A file may already be absent.
func (a *AgentRows) FilesToRemove(ctx context.Context) ([]records.File, error) {
	rows, err := a.q.FilesToRemove(ctx, a.agentID)
	return dbconv.Rows("read files to remove", rows, err, fileOf)
}

// CountPrimary counts the agent's undeleted memories with a file on disk outside of sessions. Files
// that are marked for removal do not count.
func (a *AgentRows) CountPrimary(ctx context.Context) (int, error) {
	n, err := a.q.CountPrimaryMemories(ctx, a.agentID)
	return int(n), dberr.Wrap("count primary memories", err)
}

// RowsByName returns the agent's memories with the names, private and team ones, also deleted ones,
// in any order. It omits the rows of unreadable files. Unknown names have no row.
func (a *AgentRows) RowsByName(ctx context.Context, names []string) ([]records.MemoryRow, error) {
	return rowsOf(a.q.RowsByName(ctx, queries.RowsByNameParams{AgentID: a.agentID, Names: names}))
}

// RowOf returns the agent's memory with the name and scope (private or team), also if it is
// deleted. It returns nil and no error if there is no such memory. It omits the rows of unreadable
// files.
func (a *AgentRows) RowOf(ctx context.Context, key memories.Key) (*records.MemoryRow, error) {
	heads, err := a.RowsByName(ctx, []string{key.Name})
	for i := range heads {
		if heads[i].Team == key.Team {
			return &heads[i], err
		}
	}
	return nil, err
}

// KeysOf returns by id the names and scopes (private or team) of the agent's memories among ids,
// also of deleted ones. Unknown ids have no entry.
func (a *AgentRows) KeysOf(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]memories.Key, error) {
	rows, err := a.q.KeysOf(ctx, queries.KeysOfParams{AgentID: a.agentID, Ids: ids})
	keys := make(map[uuid.UUID]memories.Key, len(rows))
	for _, row := range rows {
		keys[row.ID] = memories.Key{Name: row.Name, Team: row.Team}
	}
	return keys, dberr.Wrap("read names", err)
}

// Row returns one memory of the agent without its body and files, also a deleted one. It fails with
// memories.ErrNotFound if the id is unknown, malformed, or of another agent's memory.
func (a *AgentRows) Row(ctx context.Context, id string) (records.MemoryRow, error) {
	parsed, err := dbconv.ParseID(id)
	if err != nil {
		return records.MemoryRow{}, err
	}
	row, err := a.q.RowByID(ctx, queries.RowByIDParams{AgentID: a.agentID, ID: parsed})
	if err != nil {
		return records.MemoryRow{}, dberr.Wrap("read the memory", err)
	}
	return rowOf(row.Memory)
}

// RowWithFiles returns one memory of the agent without its body, also a deleted one. It also
// returns the rows of all its files, sorted by path, also of files that are no longer on disk. It
// fails with memories.ErrNotFound if the id is unknown, malformed, or of another agent's memory.
func (a *AgentRows) RowWithFiles(ctx context.Context, id string) (records.MemoryRow, []records.File, error) {
	head, err := a.Row(ctx, id)
	if err != nil {
		return records.MemoryRow{}, nil, err
	}
	files, err := a.FilesEverOf(ctx, head.UUID)
	return head, files, err
}

// UnreadableByPath returns the rows of the agent's unreadable files at the paths, in any order. It
// omits deleted rows, except those with an unfinished restore.
func (a *AgentRows) UnreadableByPath(ctx context.Context, paths []string) ([]records.MemoryRow, error) {
	return rowsOf(a.q.UnreadableByPath(ctx, queries.UnreadableByPathParams{AgentID: a.agentID, Paths: paths}))
}

// Restoring returns the agent's memories with an unfinished restore from the trash, in any order.
func (a *AgentRows) Restoring(ctx context.Context) ([]records.MemoryRow, error) {
	return rowsOf(a.q.RestoringRows(ctx, a.agentID))
}

// Tombstones returns the set of the contents that were deleted under the names, as private or team
// memories. The value of each entry is true. Names without a tombstone have no entry.
func (a *AgentRows) Tombstones(ctx context.Context, names []string) (map[records.Tombstone]bool, error) {
	rows, err := a.q.Tombstones(ctx, queries.TombstonesParams{AgentID: a.agentID, Names: names})
	return tombstonesOf(rows), dberr.Wrap("read tombstones", err)
}

// CurrentRaw returns the exact bytes of the file that the memory's current content came from. It
// returns nil and no error if they were not saved. It fails with memories.ErrNotFound for an
// unknown id.
func (a *AgentRows) CurrentRaw(ctx context.Context, id uuid.UUID) ([]byte, error) {
	raw, err := a.q.CurrentRaw(ctx, id)
	return raw, dberr.Wrap("read the memory's bytes", err)
}

// Text returns the current description and body of the agent's memory, also of a deleted one. It
// fails with memories.ErrNotFound if the agent has no memory with the id.
func (a *AgentRows) Text(ctx context.Context, id uuid.UUID) (description, body string, err error) {
	row, err := a.q.Memory(ctx, queries.MemoryParams{AgentID: a.agentID, ID: id})
	return row.Description, row.Body, dberr.Wrap("read the memory", err)
}

// Blocked returns one of the agent's files on disk whose content was deleted before, by the id of
// the blocked content. It fails with memories.ErrNotFound if the id is unknown, malformed or of
// another agent.
func (a *AgentRows) Blocked(ctx context.Context, id string) (records.BlockedFile, error) {
	parsed, err := dbconv.ParseID(id)
	if err != nil {
		return records.BlockedFile{}, err
	}
	row, err := a.q.BlockedByID(ctx, queries.BlockedByIDParams{AgentID: a.agentID, ID: parsed})
	if err != nil {
		return records.BlockedFile{}, dberr.Wrap("read the blocked content", err)
	}
	return blockedOf(row), nil
}

// NeedsAttention counts the agent's memories in the state needs_attention, whose files a user must
// fix.
func (a *AgentRows) NeedsAttention(ctx context.Context) (int, error) {
	n, err := a.q.CountNeedingAttention(ctx, a.agentID)
	return int(n), dberr.Wrap("count what needs attention", err)
}
