package postgres

import (
	"context"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// carried says what a list already knows of the files that carry a memory.
type carried int16

const (
	// carriedSomehow: they have to be asked for.
	carriedSomehow carried = iota
	carriedByNone
	// carriedAsItSays: the memory's own row says all there is to say of its one file. So it is with nearly all memories, and
	// a list that knows is spared a round trip and a row for each.
	carriedAsItSays
)

// howCarried is the column of a query of memories m that tells it.
const howCarried = `(SELECT CASE count(*)
		WHEN 0 THEN CASE WHEN m.state = 'deleted' AND EXISTS (SELECT FROM files r
			WHERE r.agent_id = m.agent_id AND r.status = 'removing' AND r.memory_id = m.id AND NOT r.present) THEN 0 ELSE 1 END
		WHEN 1 THEN CASE WHEN bool_and(f.status = 'carries' AND f.path = m.path AND f.session IS NOT DISTINCT FROM m.session
			AND f.hash = m.hash AND f.modified_at = m.modified_at AND f.unfinished IS NULL) THEN 2 ELSE 0 END
		ELSE 0 END::smallint
	FROM files f WHERE f.memory_id = m.id AND f.present)`

// complete makes memories of rows, each with the files that carry it.
func complete(ctx context.Context, q *queries.Queries, of scope, rows []listRow) ([]memories.Memory, error) {
	files, err := filesYetUnknown(ctx, q, rows)
	if err != nil {
		return nil, err
	}
	found := make([]memories.Memory, len(rows))
	for i, row := range rows {
		head, err := headOf(row.head)
		if err != nil {
			return nil, err
		}
		m := head.Memory
		m.Agent, m.Description, m.Body = of.slugs[m.AgentID], row.description, row.body
		if row.carried == carriedAsItSays || !m.Readable && m.State != memories.Deleted {
			m.Files = []memories.MemoryFile{{Path: m.Path, Session: m.Session, Hash: m.Hash, ModifiedAt: m.ModifiedAt}}
		} else {
			m.Files = carriersOf(files[row.head.ID])
		}
		m.Problems = append(m.Problems, notRemoved(files[row.head.ID])...)
		found[i] = m
	}
	return found, nil
}

// filesYetUnknown returns the files on disk of those memories of which they are not known yet.
func filesYetUnknown(ctx context.Context, q *queries.Queries, rows []listRow) (map[uuid.UUID][]records.File, error) {
	var ids []uuid.UUID
	for _, row := range rows {
		if row.carried == carriedSomehow {
			ids = append(ids, row.head.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	files, err := q.FilesOfMemories(ctx, ids)
	if err != nil {
		return nil, wrap("read files", err)
	}
	byMemory := map[uuid.UUID][]records.File{}
	for _, row := range files {
		f := fileOf(row)
		byMemory[f.MemoryID] = append(byMemory[f.MemoryID], f)
	}
	return byMemory, nil
}

func carriersOf(files []records.File) (carriers []memories.MemoryFile) {
	for _, f := range files {
		if f.Present && (f.Status == records.Mirrored || f.Status == records.Removing) {
			carriers = append(carriers, memories.MemoryFile{
				Path: f.Path, Session: f.Session, Hash: f.Hash, ModifiedAt: f.ModifiedAt, Unfinished: f.Unfinished,
			})
		}
	}
	return carriers
}

// notRemoved returns a problem for each file that the memory's deletion could not remove, or not take out of an index.
func notRemoved(files []records.File) (problems []memories.Problem) {
	for _, f := range files {
		if f.Status == records.Removing && f.Problem != "" {
			problems = append(problems, memories.Problem{Code: memories.CodeNotRemoved, Message: f.Problem})
		}
	}
	return problems
}
