package postgres

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Memory returns one memory of the agent, a deleted one too. It fails with memories.ErrNotFound for an unknown,
// foreign or malformed id.
func (s *Store) Memory(ctx context.Context, agent records.Agent, id string) (memories.Memory, error) {
	return memoryOf(ctx, s.pool, agent, id)
}

// Memory is Store.Memory, of the agent that is held.
func (w *Writer) Memory(ctx context.Context, slug, id string) (memories.Memory, error) {
	return memoryOf(ctx, w.conn, records.Agent{ID: w.agentID, Slug: slug}, id)
}

// oneMemory asks for a memory of an agent.
const oneMemory = `SELECT ` + rowColumns + `, 0::real, 0
		FROM memories m JOIN revisions r ON r.id = m.revision_id WHERE m.agent_id = $1 AND m.id = $2`

func memoryOf(ctx context.Context, on queries.DBTX, agent records.Agent, id string) (memories.Memory, error) {
	parsed, err := parseID(id)
	if err != nil {
		return memories.Memory{}, err
	}
	rows, err := on.Query(ctx, oneMemory, agent.ID, parsed)
	if err != nil {
		return memories.Memory{}, wrap("read memory", err)
	}
	row, err := pgx.CollectExactlyOneRow(rows, scanRow)
	if err != nil {
		return memories.Memory{}, wrap("read memory", err)
	}
	return completeOne(ctx, on, agent, row)
}

func completeOne(ctx context.Context, on queries.DBTX, agent records.Agent, row listRow) (memories.Memory, error) {
	found, err := complete(ctx, queries.New(on), scopeOf(agent), []listRow{row})
	if err != nil {
		return memories.Memory{}, err
	}
	return found[0], nil
}

// MemoriesByID returns memories of the agent without their text, deleted ones too, each once and by name. It fails with
// memories.ErrNotFound when one of the ids is unknown, foreign or malformed.
func (s *Store) MemoriesByID(ctx context.Context, agent records.Agent, ids []string) ([]memories.Memory, error) {
	asked := map[uuid.UUID]bool{}
	for _, id := range ids {
		parsed, err := parseID(id)
		if err != nil {
			return nil, err
		}
		asked[parsed] = true
	}
	rows, err := s.q.HeadsByID(ctx, queries.HeadsByIDParams{AgentID: agent.ID, Ids: slices.Collect(maps.Keys(asked))})
	if err != nil {
		return nil, wrap("read memories", err)
	}
	if len(rows) < len(asked) {
		return nil, memories.ErrNotFound
	}
	heads := make([]listRow, len(rows))
	for i, row := range rows {
		heads[i] = listRow{head: row.Memory}
	}
	slices.SortFunc(heads, func(a, b listRow) int {
		return cmp.Or(strings.Compare(a.head.Name, b.head.Name), bytes.Compare(a.head.ID[:], b.head.ID[:]))
	})
	return complete(ctx, s.q, scopeOf(agent), heads)
}

// Blocked returns the deleted contents that have turned up again, newest first.
func (s *Store) Blocked(ctx context.Context, agentID int64) ([]memories.Blocked, error) {
	rows, err := s.q.BlockedOf(ctx, agentID)
	return blockedList(rows, err)
}

func blockedList(rows []queries.Blocked, err error) ([]memories.Blocked, error) {
	if err != nil {
		return nil, wrap("read blocked contents", err)
	}
	blocked := make([]memories.Blocked, len(rows))
	for i, row := range rows {
		blocked[i] = blockedOf(row).Blocked
	}
	return blocked, nil
}

// GoneFilesOf returns where files of the memories were that are gone.
func (s *Store) GoneFilesOf(ctx context.Context, ms []memories.Memory) ([]string, error) {
	ids := make([]uuid.UUID, len(ms))
	for i, m := range ms {
		id, err := parseID(m.ID)
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	paths, err := s.q.GoneFilesOfMemories(ctx, ids)
	return paths, wrap("read gone files", err)
}

// FilesToIndex returns the durable files that a MEMORY.md is to list, and the paths of those whose memory is missing.
// Paths are relative to the agent's directory, and in order.
func (s *Store) FilesToIndex(ctx context.Context, agentID int64) (listed []memorymd.IndexedFile, missing []string, err error) {
	rows, err := s.q.FilesToIndex(ctx, agentID)
	for _, row := range rows {
		if !row.Present {
			missing = append(missing, row.Path)
			continue
		}
		listed = append(listed, memorymd.IndexedFile{
			ID: row.ID.String(), Path: row.Path, Name: row.Name, Type: memories.Type(text(row.Type)), Description: row.Description,
		})
	}
	return listed, missing, wrap("read the files to index", err)
}

// Mirrored counts the files on disk that are known, of the agents whose directory is there, and the memories that need attention, of all.
func (s *Store) Mirrored(ctx context.Context) (files, needsAttention int, err error) {
	row, err := s.q.CountFiles(ctx)
	return int(row.Mirrored), int(row.NeedsAttention), wrap("count files", err)
}

// MirroredByAgent counts the files on disk that are known, by the id of their agent. One without files, or whose directory is gone, is not
// in it.
func (s *Store) MirroredByAgent(ctx context.Context) (map[int64]int, error) {
	rows, err := s.q.CountFilesByAgent(ctx)
	files := make(map[int64]int, len(rows))
	for _, row := range rows {
		files[row.AgentID] = int(row.Present)
	}
	return files, wrap("count files by agent", err)
}
