package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Agents returns every known agent with its counts, sorted by slug.
func (s *Store) Agents(ctx context.Context) ([]records.Agent, error) {
	agents, err := s.AgentsUncounted(ctx)
	if err != nil {
		return nil, err
	}
	return agents, s.count(ctx, agents)
}

// AgentsUncounted returns every known agent without its counts, by slug.
func (s *Store) AgentsUncounted(ctx context.Context) ([]records.Agent, error) {
	rows, err := s.q.Agents(ctx)
	if err != nil {
		return nil, dberr.Wrap("list agents", err)
	}
	agents := make([]records.Agent, len(rows))
	for i, row := range rows {
		agents[i] = agentOf(row)
	}
	return agents, nil
}

// Agent returns one agent with its counts. It fails with memories.ErrNotFound.
func (s *Store) Agent(ctx context.Context, slug string) (records.Agent, error) {
	agent, err := s.AgentUncounted(ctx, slug)
	if err != nil {
		return records.Agent{}, err
	}
	agents := []records.Agent{agent}
	err = s.count(ctx, agents)
	return agents[0], err
}

// AgentUncounted returns one agent without its counts. It fails with memories.ErrNotFound.
func (s *Store) AgentUncounted(ctx context.Context, slug string) (records.Agent, error) {
	row, err := s.q.AgentBySlug(ctx, slug)
	if err != nil {
		return records.Agent{}, dberr.Wrap("read agent", err)
	}
	return agentOf(row), nil
}

func (s *Store) count(ctx context.Context, agents []records.Agent) error {
	ids := make([]int64, len(agents))
	place := make(map[int64]*records.Counts, len(agents))
	for i := range agents {
		ids[i] = agents[i].ID
		place[agents[i].ID] = &agents[i].Counts
	}
	rows, err := s.q.CountMemories(ctx, ids)
	if err != nil {
		return dberr.Wrap("count memories", err)
	}
	for _, row := range rows {
		place[row.AgentID].Add(memories.State(row.State), memories.Type(row.Type), int(row.N))
	}
	waiting, err := s.q.CountWaiting(ctx, ids)
	if err != nil {
		return dberr.Wrap("count what waits", err)
	}
	for _, row := range waiting {
		c := place[row.ID]
		c.Blocked, c.NotRemoved, c.Disagreements = int(row.Blocked), int(row.NotRemoved), int(row.Disagreements)
		c.CitesGone, c.Proposals, c.Team = int(row.CitesGone), int(row.Proposals), int(row.Team)
	}
	return nil
}

// AddAgent adds an agent and returns its id. It fails with memories.ErrNotFound if another server
// has added the slug.
func (s *Store) AddAgent(ctx context.Context, a records.Agent) (int64, error) {
	id, err := s.q.AddAgent(ctx, queries.AddAgentParams{
		Slug: a.Slug, Layout: a.Layout, Dir: a.Dir, DisplayName: a.DisplayName,
		ClaudeMdPath: optional(a.ClaudeMD.Path), Present: a.Present, At: records.Now(),
	})
	return id, dberr.Wrap("add agent", err)
}

// SaveAgent adds an agent or updates the directory of a known one. It returns the agent's id.
func (s *Store) SaveAgent(ctx context.Context, a records.Agent) (int64, error) {
	id, err := s.q.SaveAgent(ctx, queries.SaveAgentParams{
		Slug: a.Slug, Layout: a.Layout, Dir: a.Dir, DisplayName: a.DisplayName, JoinedTo: optional(a.JoinedTo),
		ClaudeMdPath: optional(a.ClaudeMD.Path), Present: a.Present, At: records.Now(),
	})
	return id, dberr.Wrap("save agent", err)
}

// AgentReturns records that the agent's directory was missing, elsewhere, or a link to another
// agent's. The files of that time count as unseen, not as removed.
func (s *Store) AgentReturns(ctx context.Context, id int64) error {
	return dberr.Wrap("note the agent's return", s.q.UnsetPrimaryFiles(ctx, id))
}

// SetAgentPresent records whether the agent's directory exists.
func (s *Store) SetAgentPresent(ctx context.Context, id int64, present bool) error {
	return dberr.Wrap("mark agent", s.q.SetAgentPresent(ctx, queries.SetAgentPresentParams{ID: id, Present: present, At: records.Now()}))
}

// DeleteAgent deletes an agent and all its data.
func (s *Store) DeleteAgent(ctx context.Context, id int64) error {
	return dberr.Wrap("forget agent", pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		q := s.q.WithTx(tx)
		texts, err := q.TextsOf(ctx, queries.TextsOfParams{AgentID: &id})
		if err != nil {
			return err
		}
		if err := q.DeleteAgent(ctx, id); err != nil {
			return err
		}
		// After the agent, because AddJob locks its row.
		if err := q.DeleteJobs(ctx, id); err != nil {
			return err
		}
		return deleteUnusedWords(ctx, q, texts)
	}))
}

func directoryID(device, inode *int64) *records.DirectoryID {
	if device == nil {
		return nil
	}
	id := &records.DirectoryID{Device: uint64(*device)}
	if inode != nil {
		id.Inode = uint64(*inode)
	}
	return id
}

func agentOf(row queries.Agent) records.Agent {
	return records.Agent{
		ID: row.ID, Slug: row.Slug, Layout: row.Layout, Dir: row.Dir, DisplayName: row.DisplayName, Present: row.Present,
		Sessions: int(row.Sessions), PrimaryDir: directoryID(row.PrimaryDevice, row.PrimaryInode),
		ClaudeMD: records.ClaudeMD{
			Path: text(row.ClaudeMdPath), PublishedAt: timeOrZero(row.ClaudeMdPublishedAt), Chars: int(row.ClaudeMdChars),
			Problem: text(row.ClaudeMdProblem), PublishKey: text(row.ClaudeMdPublishKey), Version: row.MemoriesVersion,
		},
		MemoryOff: row.MemoryOff,
		JoinedTo:  text(row.JoinedTo),
		Counts:    records.Counts{ByType: map[memories.Type]int{}, MissingByType: map[memories.Type]int{}},
		CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC(),
	}
}

func agentWithShared(row queries.AgentByIDRow) records.Agent {
	agent := agentOf(row.Agent)
	agent.Shared = row.Shared
	return agent
}

func timeOrZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// Shared returns the agents that share their memories with the agent, without counts.
func (s *Store) Shared(ctx context.Context, with records.Agent) ([]records.Agent, error) {
	if !with.IsGivenShared() {
		return nil, nil
	}
	agents, err := sharedAgents(ctx, s.q)
	return agents, dberr.Wrap("read what is shared", err)
}

func sharedAgents(ctx context.Context, q *queries.Queries) ([]records.Agent, error) {
	rows, err := q.SharedAgents(ctx)
	agents := make([]records.Agent, len(rows))
	for i, row := range rows {
		agents[i] = agentOf(row)
	}
	return agents, err
}

// SharedStamp returns a text that changes whenever shared memories may have changed. It is empty if
// no agent shares any.
func (s *Store) SharedStamp(ctx context.Context) (string, error) {
	stamp, err := s.q.SharedStamp(ctx)
	return stamp, dberr.Wrap("read what is shared", err)
}

// sharedMemories are the memories that all agents share, for CLAUDE.md.
type sharedMemories struct {
	dirs      []string
	summaries []claudemd.Summary // in the order of the block
}

// with returns the sections together with the shared memories.
func (s Sections) with(shared sharedMemories) Sections {
	s.Summaries = claudemd.Merged(s.Summaries, shared.summaries)
	s.SharedDirs = shared.dirs
	return s
}

// sharedAt reads the shared memories as of a time. The zero time means now.
func sharedAt(ctx context.Context, q *queries.Queries, at time.Time) (sharedMemories, error) {
	var shared sharedMemories
	from, err := q.SharedAgents(ctx)
	if err != nil {
		return shared, dberr.Wrap("read what is shared", err)
	}
	for _, agent := range from {
		shared.dirs = append(shared.dirs, agent.Dir)
		headings, err := summariesAt(ctx, q, agent.ID, at)
		if err != nil {
			return shared, err
		}
		for i := range headings {
			headings[i].Shared = agent.Slug
		}
		shared.summaries = claudemd.Merged(shared.summaries, headings)
	}
	return shared, nil
}
