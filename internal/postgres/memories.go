package postgres

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/findings/quarantine"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/postgres/askedas"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Memory returns one memory of the agent with its text and files, also a deleted one. It fails with
// memories.ErrNotFound if the id is unknown, malformed, or of another agent's memory.
func (s *Store) Memory(ctx context.Context, agent records.Agent, id string) (memories.Memory, error) {
	return memoryOf(ctx, s.pool, agent, id)
}

// Memory returns one memory of the locked agent with its text and files, also a deleted one. slug
// is the agent's and becomes the memory's Agent. It fails with memories.ErrNotFound if the id is
// unknown, malformed, or of another agent's memory.
func (a *AgentRows) Memory(ctx context.Context, slug, id string) (memories.Memory, error) {
	return memoryOf(ctx, a.conn, records.Agent{ID: a.agentID, Slug: slug}, id)
}

func memoryOf(ctx context.Context, on queries.DBTX, agent records.Agent, id string) (memories.Memory, error) {
	parsed, err := dbconv.ParseID(id)
	if err != nil {
		return memories.Memory{}, err
	}
	// CollectExactlyOneRow returns the error of Query.
	rows, _ := on.Query(ctx, `SELECT `+rowColumns+`, 0::real, 0
		FROM memories m JOIN revisions r ON r.id = m.revision_id WHERE m.agent_id = $1 AND m.id = $2`, agent.ID, parsed)
	row, err := pgx.CollectExactlyOneRow(rows, scanRow)
	if err != nil {
		return memories.Memory{}, dberr.Wrap("read memory", err)
	}
	found, err := complete(ctx, queries.New(on), scopeOf(agent), []listRow{row})
	if err != nil {
		return memories.Memory{}, err
	}
	asked, err := askedas.Of(ctx, queries.New(on), parsed)
	found[0].AskedAs = asked.Phrases
	return found[0], err
}

// MemoriesByID returns the agent's memories with the ids, also deleted ones, sorted by name. They
// have their files, but neither description nor body. It ignores repeated ids. If any id is
// unknown, malformed, or of another agent's memory, it returns no memory and fails with
// memories.ErrNotFound.
func (s *Store) MemoriesByID(ctx context.Context, agent records.Agent, ids []string) ([]memories.Memory, error) {
	parsed, err := dbconv.TryAll(slices.Compact(slices.Sorted(slices.Values(ids))), dbconv.ParseID)
	if err != nil {
		return nil, err
	}
	rows, err := s.q.RowsByID(ctx, queries.RowsByIDParams{AgentID: agent.ID, Ids: parsed})
	if err != nil {
		return nil, dberr.Wrap("read memories", err)
	}
	if len(rows) < len(parsed) {
		return nil, memories.ErrNotFound
	}
	heads := dbconv.All(rows, func(row queries.RowsByIDRow) listRow { return listRow{head: row.Memory} })
	slices.SortFunc(heads, func(a, b listRow) int {
		return cmp.Or(strings.Compare(a.head.Name, b.head.Name), bytes.Compare(a.head.ID[:], b.head.ID[:]))
	})
	return complete(ctx, s.q, scopeOf(agent), heads)
}

// RemovedPaths returns the sorted paths of all files of the memories ms that are no longer on disk.
// It ignores unknown ids. It fails with memories.ErrNotFound if an id is malformed.
func (s *Store) RemovedPaths(ctx context.Context, ms []memories.Memory) ([]string, error) {
	ids, err := dbconv.TryAll(ms, func(m memories.Memory) (uuid.UUID, error) { return dbconv.ParseID(m.ID) })
	if err != nil {
		return nil, err
	}
	paths, err := s.q.RemovedPaths(ctx, ids)
	return paths, dberr.Wrap("read gone files", err)
}

// FilesToIndex returns the readable files on disk, outside of sessions, of undeleted memories,
// which MEMORY.md must list. missing has the paths of absent files of memories in the state
// Missing, whose lines in MEMORY.md must stay. Both are sorted by path, relative to the agent's
// directory.
func (s *Store) FilesToIndex(ctx context.Context, agentID int64) (listed []memorymd.IndexedFile, missing []string, err error) {
	rows, err := s.q.FilesToIndex(ctx, agentID)
	for _, row := range rows {
		if !row.Present {
			missing = append(missing, row.Path)
			continue
		}
		listed = append(listed, indexedFile(queries.FilesToIndexOfRow{
			Path: row.Path, ID: row.ID, Name: row.Name, Type: row.Type, Description: row.Description, Quarantined: row.Quarantined,
		}))
	}
	return listed, missing, dberr.Wrap("read the files to index", err)
}

// FilesToIndexOf returns those files of FilesToIndex that mirror one of the memories with the ids,
// sorted by path. It ignores unknown ids, and memories with an unfinished restore.
func (a *AgentRows) FilesToIndexOf(ctx context.Context, ids []uuid.UUID) ([]memorymd.IndexedFile, error) {
	rows, err := a.q.FilesToIndexOf(ctx, queries.FilesToIndexOfParams{AgentID: a.agentID, Ids: ids})
	return dbconv.Rows("read the files to index", rows, err, indexedFile)
}

// indexedFile returns a file as MEMORY.md lists it. Of a memory in quarantine it has only the masked
// name.
func indexedFile(row queries.FilesToIndexOfRow) memorymd.IndexedFile {
	if row.Quarantined {
		row.Name, row.Description = quarantine.Mask(row.Name), ""
	}
	return memorymd.IndexedFile{ID: row.ID.String(), Path: row.Path, Name: row.Name, Type: memories.Type(dbconv.OrZero(row.Type)), Description: row.Description}
}

// Mirrored counts the memory files on disk of all agents, except agents whose directory is missing
// or a link to another agent's. needsAttention is the number of memories of all agents in the state
// NeedsAttention.
func (s *Store) Mirrored(ctx context.Context) (files, needsAttention int, err error) {
	row, err := s.q.CountFiles(ctx)
	return int(row.Mirrored), int(row.NeedsAttention), dberr.Wrap("count files", err)
}

// MirroredByAgent returns by agent id the number of memory files on disk. Agents without files,
// without a directory, or whose directory is a link to another agent's, have no entry.
func (s *Store) MirroredByAgent(ctx context.Context) (map[int64]int, error) {
	rows, err := s.q.CountFilesByAgent(ctx)
	files := make(map[int64]int, len(rows))
	for _, row := range rows {
		files[row.AgentID] = int(row.Present)
	}
	return files, dberr.Wrap("count files by agent", err)
}

// fileLookup is the result of looking up the files of a memory in a list query.
type fileLookup int16

const (
	// readFiles: the files must be read.
	readFiles fileLookup = iota
	noFiles
	// onlySourceFile: the memory's row has all about its only file. This is the common case, and
	// saves a round trip.
	onlySourceFile
)

// fileLookupColumn is the column that computes the fileLookup, in a query of memories m.
const fileLookupColumn = `(SELECT CASE count(*)
		WHEN 0 THEN CASE WHEN m.state = 'deleted' AND EXISTS (SELECT FROM files r
			WHERE r.agent_id = m.agent_id AND r.status = 'removing' AND r.memory_id = m.id AND NOT r.present) THEN 0 ELSE 1 END
		WHEN 1 THEN CASE WHEN bool_and(f.status = 'mirrored' AND f.path = m.path AND f.session IS NOT DISTINCT FROM m.session
			AND f.hash = m.hash AND f.modified_at = m.modified_at AND f.unfinished IS NULL) THEN 2 ELSE 0 END
		ELSE 0 END::smallint
	FROM files f WHERE f.memory_id = m.id AND f.present)`

// complete returns the memories of the rows with the slugs of their agents and their files, in the
// same order. It reads files only for rows whose fileLookup is readFiles. Each file or index line
// that a deletion could not remove becomes one of the Problems of its memory.
func complete(ctx context.Context, q *queries.Queries, of scope, rows []listRow) ([]memories.Memory, error) {
	files, err := filesYetUnknown(ctx, q, rows)
	if err != nil {
		return nil, err
	}
	return dbconv.TryAll(rows, func(row listRow) (memories.Memory, error) {
		head, err := rowOf(row.head)
		m := head.Memory
		m.Agent, m.Description, m.Body, m.Index, m.Use = of.slugs[m.AgentID], row.description, row.body, row.index, row.use
		if row.carried == onlySourceFile || !m.Readable && m.State != memories.Deleted {
			m.Files = []memories.MemoryFile{{Path: m.Path, Session: m.Session, Hash: m.Hash, ModifiedAt: m.ModifiedAt}}
		} else {
			m.Files = memoryFiles(files[row.head.ID])
		}
		m.Problems = append(m.Problems, notRemoved(files[row.head.ID])...)
		return m, err
	})
}

// filesYetUnknown returns, by memory, the rows of the files of the memories whose fileLookup is
// readFiles: files on disk, and those marked for removal. It returns nil if no row has that
// fileLookup.
func filesYetUnknown(ctx context.Context, q *queries.Queries, rows []listRow) (map[uuid.UUID][]records.File, error) {
	var ids []uuid.UUID
	for _, row := range rows {
		if row.carried == readFiles {
			ids = append(ids, row.head.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	files, err := q.FilesOfMemories(ctx, ids)
	if err != nil {
		return nil, dberr.Wrap("read files", err)
	}
	byMemory := map[uuid.UUID][]records.File{}
	for _, row := range files {
		f := fileOf(row)
		byMemory[f.MemoryID] = append(byMemory[f.MemoryID], f)
	}
	return byMemory, nil
}

// memoryFiles returns those of the files that are on disk and mirror their memory or are marked for
// removal. It omits blocked and unreadable ones.
func memoryFiles(files []records.File) (present []memories.MemoryFile) {
	for _, f := range files {
		if f.Present && (f.Status == records.Mirrored || f.Status == records.Removing) {
			present = append(present, memories.MemoryFile{
				Path: f.Path, Session: f.Session, Hash: f.Hash, ModifiedAt: f.ModifiedAt, Unfinished: f.Unfinished,
			})
		}
	}
	return present
}

// notRemoved returns a problem for each of the files that a deletion could not remove, on disk or
// from an index. It omits files whose removal has not failed.
func notRemoved(files []records.File) (problems []memories.Problem) {
	for _, f := range files {
		if f.Status == records.Removing && f.Problem != "" {
			problems = append(problems, memories.Problem{Code: memories.CodeNotRemoved, Message: f.Problem})
		}
	}
	return problems
}

// MemoryVersions returns by id the current state and fingerprint of each of the agent's memories
// among ids, also of deleted ones. Unknown and purged ones have no entry. It fails with
// memories.ErrNotFound if an id is malformed.
func (s *Store) MemoryVersions(ctx context.Context, agentID int64, ids []string) (map[string]records.MemoryVersion, error) {
	parsed, err := dbconv.TryAll(ids, dbconv.ParseID)
	if err != nil {
		return nil, err
	}
	rows, err := s.q.RowsByID(ctx, queries.RowsByIDParams{AgentID: agentID, Ids: parsed})
	if err != nil {
		return nil, dberr.Wrap("read what memories are now", err)
	}
	versions := make(map[string]records.MemoryVersion, len(rows))
	for _, row := range rows {
		versions[row.Memory.ID.String()] = records.MemoryVersion{
			State: memories.State(row.Memory.State), Fingerprint: memories.Fingerprint(row.Memory.Fingerprint),
		}
	}
	return versions, nil
}
