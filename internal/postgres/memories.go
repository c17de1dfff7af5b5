package postgres

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
)

// Memory returns one memory of the agent, a deleted one too. It fails with memories.ErrNotFound for an unknown,
// foreign or malformed id.
func (s *Store) Memory(ctx context.Context, agent Agent, id string) (memories.Memory, error) {
	parsed, err := parseID(id)
	if err != nil {
		return memories.Memory{}, err
	}
	row, err := s.q.Memory(ctx, queries.MemoryParams{AgentID: agent.ID, ID: parsed})
	if err != nil {
		return memories.Memory{}, wrap("read memory", err)
	}
	found, err := s.complete(ctx, map[int64]string{agent.ID: agent.Slug}, []listRow{{head: row.Memory, description: row.Description, body: row.Body}})
	if err != nil {
		return memories.Memory{}, err
	}
	return found[0], nil
}

// MemoriesByID returns memories of the agent without their text, deleted ones too, each once and by name. It fails with
// memories.ErrNotFound when one of the ids is unknown, foreign or malformed.
func (s *Store) MemoriesByID(ctx context.Context, agent Agent, ids []string) ([]memories.Memory, error) {
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
	return s.complete(ctx, map[int64]string{agent.ID: agent.Slug}, heads)
}

// complete adds to each row the files that carry it.
func (s *Store) complete(ctx context.Context, slugs map[int64]string, rows []listRow) ([]memories.Memory, error) {
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.head.ID
	}
	files, err := s.q.FilesOfMemories(ctx, ids)
	if err != nil {
		return nil, wrap("read files", err)
	}
	byMemory := map[uuid.UUID][]File{}
	for _, row := range files {
		f := fileOf(row)
		byMemory[f.MemoryID] = append(byMemory[f.MemoryID], f)
	}
	found := make([]memories.Memory, len(rows))
	for i, row := range rows {
		head, err := headOf(row.head)
		if err != nil {
			return nil, err
		}
		m := head.Memory
		m.Agent, m.Description, m.Body = slugs[m.AgentID], row.description, row.body
		m.Files, m.Problems = carriersOf(byMemory[row.head.ID], m)
		if !m.Readable && m.State != memories.Deleted {
			m.Files = []memories.Carrier{{Path: m.Path, Session: m.Session, Hash: m.Hash, ModifiedAt: m.ModifiedAt}}
		}
		found[i] = m
	}
	return found, nil
}

// carriersOf returns the files that carry the memory, and its problems with one more for each file that its deletion
// could not remove.
func carriersOf(files []File, m memories.Memory) ([]memories.Carrier, []memories.Problem) {
	problems := slices.Clone(m.Problems)
	var carriers []memories.Carrier
	for _, f := range files {
		if f.Status == Blocked || f.Status == Unreadable {
			continue
		}
		carriers = append(carriers, memories.Carrier{Path: f.Path, Session: f.Session, Hash: f.Hash, ModifiedAt: f.ModifiedAt})
		if f.Status == Removing && f.Problem != "" {
			problems = append(problems, memories.Problem{Code: memories.CodeNotRemoved, Message: f.Problem})
		}
	}
	return carriers, problems
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

// FilesToIndex returns the durable files that a MEMORY.md is to list, and the paths of those whose memory is missing.
// Paths are relative to the agent's directory, and in order.
func (s *Store) FilesToIndex(ctx context.Context, agentID int64) (listed []memories.IndexedFile, missing []string, err error) {
	rows, err := s.q.FilesToIndex(ctx, agentID)
	for _, row := range rows {
		if !row.Present {
			missing = append(missing, row.Path)
			continue
		}
		listed = append(listed, memories.IndexedFile{
			ID: row.ID.String(), Path: row.Path, Name: row.Name, Type: memories.Type(text(row.Type)), Description: row.Description,
		})
	}
	return listed, missing, wrap("read the files to index", err)
}

// Mirrored counts the files on disk that are known, and the memories that need attention, over all agents.
func (s *Store) Mirrored(ctx context.Context) (files, needsAttention int, err error) {
	row, err := s.q.CountFiles(ctx)
	return int(row.Mirrored), int(row.NeedsAttention), wrap("count files", err)
}

// MirroredByAgent counts the files on disk that are known, by the id of their agent. One without files is not in it.
func (s *Store) MirroredByAgent(ctx context.Context) (map[int64]int, error) {
	rows, err := s.q.CountFilesByAgent(ctx)
	files := make(map[int64]int, len(rows))
	for _, row := range rows {
		files[row.AgentID] = int(row.Present)
	}
	return files, wrap("count files by agent", err)
}
