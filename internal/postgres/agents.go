package postgres

import (
	"context"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Agents returns all agents with their counts, sorted by slug. It includes agents whose directory
// is missing or a link to another agent's.
func (s *Store) Agents(ctx context.Context) ([]records.Agent, error) {
	agents, err := s.AgentsUncounted(ctx)
	if err != nil {
		return nil, err
	}
	return agents, s.count(ctx, agents)
}

// AgentsUncounted returns all agents with zero counts, sorted by slug. It includes agents whose
// directory is missing or a link to another agent's.
func (s *Store) AgentsUncounted(ctx context.Context) ([]records.Agent, error) {
	rows, err := s.q.Agents(ctx)
	return dbconv.Rows("list agents", rows, err, agentOf)
}

// Agent returns the agent with the slug and its counts. It fails with memories.ErrNotFound if there
// is no such agent.
func (s *Store) Agent(ctx context.Context, slug string) (records.Agent, error) {
	agent, err := s.AgentUncounted(ctx, slug)
	if err != nil {
		return records.Agent{}, err
	}
	agents := []records.Agent{agent}
	err = s.count(ctx, agents)
	return agents[0], err
}

// AgentUncounted returns the agent with the slug and zero counts. It fails with
// memories.ErrNotFound if there is no such agent.
func (s *Store) AgentUncounted(ctx context.Context, slug string) (records.Agent, error) {
	row, err := s.q.AgentBySlug(ctx, slug)
	return agentOf(row), dberr.Wrap("read agent", err)
}

// count reads the counts of the agents' memories, blocked contents, conflicts and proposals, and
// adds them to Counts in the elements of agents. These counts must be zero before.
func (s *Store) count(ctx context.Context, agents []records.Agent) error {
	ids := make([]int64, len(agents))
	counts := make(map[int64]*records.Counts, len(agents))
	for i := range agents {
		ids[i] = agents[i].ID
		counts[agents[i].ID] = &agents[i].Counts
	}
	rows, err := s.q.CountMemories(ctx, ids)
	if err != nil {
		return dberr.Wrap("count memories", err)
	}
	for _, row := range rows {
		counts[row.AgentID].Add(memories.State(row.State), memories.Type(row.Type), int(row.N))
	}
	waiting, err := s.q.CountWaiting(ctx, ids)
	if err != nil {
		return dberr.Wrap("count what waits", err)
	}
	for _, row := range waiting {
		c := counts[row.ID]
		c.Blocked, c.NotRemoved, c.Disagreements = int(row.Blocked), int(row.NotRemoved), int(row.Disagreements)
		c.CitesGone, c.Proposals, c.Review, c.Team = int(row.CitesGone), int(row.Proposals), int(row.Review), int(row.Team)
	}
	return nil
}

// AddAgent adds an agent with a's slug, layout, directory, display name, CLAUDE.md path and
// presence, and returns its id. If the slug exists, because another server has added it, AddAgent
// changes nothing and fails with memories.ErrNotFound.
func (s *Store) AddAgent(ctx context.Context, a records.Agent) (int64, error) {
	id, err := s.q.AddAgent(ctx, queries.AddAgentParams{
		Slug: a.Slug, Layout: a.Layout, Dir: a.Dir, DisplayName: a.DisplayName,
		ClaudeMdPath: dbconv.Optional(a.ClaudeMD.Path), Present: a.Present, At: records.Now(),
	})
	return id, dberr.Wrap("add agent", err)
}

// SaveAgent adds an agent, or updates the row of the agent with a's slug, and returns its id. It
// saves the layout, directory, display name, presence and JoinedTo. An empty a.ClaudeMD.Path clears
// the saved path; another one is saved only if none is known. If the directory's path has changed,
// it clears PrimaryDir.
func (s *Store) SaveAgent(ctx context.Context, a records.Agent) (int64, error) {
	id, err := s.q.SaveAgent(ctx, queries.SaveAgentParams{
		Slug: a.Slug, Layout: a.Layout, Dir: a.Dir, DisplayName: a.DisplayName, JoinedTo: dbconv.Optional(a.JoinedTo),
		ClaudeMdPath: dbconv.Optional(a.ClaudeMD.Path), Present: a.Present, At: records.Now(),
	})
	return id, dberr.Wrap("save agent", err)
}

// AgentReturns marks the rows of the agent's mirrored files outside of sessions as absent, because
// its directory was missing, elsewhere or a link, and updates the conflicts of their memories. The
// next scan then treats the files that exist as returned, and the others do not count as removed. It
// does not change the rows of blocked and unreadable files, or of files marked for removal.
func (s *Store) AgentReturns(ctx context.Context, id int64) error {
	return dberr.Wrap("note the agent's return", s.q.UnsetPrimaryFiles(ctx, id))
}

// SetAgentPresent records whether the agent's directory exists. It changes nothing if that is
// already recorded or the id is unknown.
func (s *Store) SetAgentPresent(ctx context.Context, id int64, present bool) error {
	return dberr.Wrap("mark agent", s.q.SetAgentPresent(ctx, queries.SetAgentPresentParams{ID: id, Present: present, At: records.Now()}))
}

// DeleteAgent deletes an agent with all its memories, files, journal and other data, in one
// transaction. It also deletes its jobs, and the words for fuzzy search that no other agent uses.
// It clears JoinedTo of agents that were joined to it. It does nothing for an unknown id. No file
// on disk changes.
func (s *Store) DeleteAgent(ctx context.Context, id int64) error {
	return s.inTx(ctx, "forget agent", func(q *queries.Queries) error {
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
	})
}

// directoryID returns the stored identity of a directory. It returns nil if device is nil, which
// means that the directory was absent.
func directoryID(device, inode *int64) *records.DirectoryID {
	if device == nil {
		return nil
	}
	return &records.DirectoryID{Device: uint64(*device), Inode: uint64(dbconv.OrZero(inode))}
}

func agentOf(row queries.Agent) records.Agent {
	return records.Agent{
		ID: row.ID, Slug: row.Slug, Layout: row.Layout, Dir: row.Dir, DisplayName: row.DisplayName, Present: row.Present,
		Sessions: int(row.Sessions), PrimaryDir: directoryID(row.PrimaryDevice, row.PrimaryInode),
		ClaudeMD: records.ClaudeMD{
			Path: dbconv.OrZero(row.ClaudeMdPath), PublishedAt: dbconv.TimeOrZero(row.ClaudeMdPublishedAt), Chars: int(row.ClaudeMdChars),
			Problem: dbconv.OrZero(row.ClaudeMdProblem), PublishKey: dbconv.OrZero(row.ClaudeMdPublishKey), Version: row.MemoriesVersion,
		},
		MemoryOff: row.MemoryOff,
		Examined:  int(row.ExaminedVersion),
		JoinedTo:  dbconv.OrZero(row.JoinedTo),
		Counts:    records.Counts{ByType: map[memories.Type]int{}, MissingByType: map[memories.Type]int{}},
		CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC(),
	}
}

// Shared returns the agents that share their memories with the agent, sorted by id, with zero
// counts. It returns nil if with receives no shared memories, because its memory is off or it
// shares its own. It omits sharing agents whose memory is off.
func (s *Store) Shared(ctx context.Context, with records.Agent) ([]records.Agent, error) {
	if !with.IsGivenShared() {
		return nil, nil
	}
	rows, err := s.q.SharedAgents(ctx)
	return dbconv.Rows("read what is shared", rows, err, agentOf)
}

// SharedStamp returns a text that changes whenever the memories that agents share with all others
// may have changed. It is empty if no agent with its memory on shares them.
func (s *Store) SharedStamp(ctx context.Context) (string, error) {
	stamp, err := s.q.SharedStamp(ctx)
	return stamp, dberr.Wrap("read what is shared", err)
}
