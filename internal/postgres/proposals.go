package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

func addProposal(ctx context.Context, q *queries.Queries, p records.Proposal) (int64, error) {
	return q.AddProposal(ctx, queries.AddProposalParams{
		ID: p.ID, AgentID: p.AgentID, State: string(p.State), Name: p.Name, Type: string(p.Type), Description: p.Description, Body: p.Body,
		Fingerprint: p.Fingerprint[:], Quote: p.Quote, QuotedAt: optionalTime(p.QuotedAt), Session: p.Session, ProposedAt: p.ProposedAt,
		DecidedAt: optionalTime(p.DecidedAt), DecidedBy: optional(string(p.DecidedBy)), Updates: optionalID(p.Updates), Match: p.Match,
	})
}

// Proposal returns one of an agent. It fails with memories.ErrNotFound, also for a malformed id.
func (s *Store) Proposal(ctx context.Context, agentID int64, id string) (records.Proposal, error) {
	parsed, err := parseID(id)
	if err != nil {
		return records.Proposal{}, err
	}
	row, err := s.q.ProposalByID(ctx, queries.ProposalByIDParams{AgentID: agentID, ID: parsed})
	return proposalOf(row), wrap("read a proposal", err)
}

// A proposalPlace is where a page of proposals has ended.
type proposalPlace struct {
	At time.Time
	ID uuid.UUID
}

// Proposals returns one page of an agent's proposals, the newest first. An empty state is any. cursor is the NextCursor of the page
// before, empty for the first. It fails with ErrCursor.
func (s *Store) Proposals(ctx context.Context, agentID int64, state records.ProposalState, limit int, cursor string) (records.ProposalPage, error) {
	mark := markOf("proposals", agentID, state)
	after, err := unseal[proposalPlace](mark, cursor)
	if err != nil {
		return records.ProposalPage{}, err
	}
	wanted := optional(string(state))
	asked := queries.ListProposalsParams{AgentID: agentID, State: wanted, Most: int32(limit + 1)}
	if after != nil {
		asked.AfterAt, asked.AfterID = &after.At, after.ID
	}
	rows, err := s.q.ListProposals(ctx, asked)
	if err != nil {
		return records.ProposalPage{}, wrap("list proposals", err)
	}
	page := records.ProposalPage{Total: len(rows)}
	if len(rows) > limit {
		rows = rows[:limit]
		last := rows[limit-1]
		page.NextCursor = seal(mark, proposalPlace{last.ProposedAt.UTC(), last.ID})
	}
	if page.NextCursor != "" || after != nil {
		n, err := s.q.CountProposals(ctx, queries.CountProposalsParams{AgentID: agentID, State: wanted})
		if err != nil {
			return records.ProposalPage{}, wrap("count proposals", err)
		}
		page.Total = int(n)
	}
	page.Proposals = proposalsOf(rows)
	return page, nil
}

// BeginAccepting decides that a proposal is accepted, as it is given. It fails with memories.ErrChanged where it does not wait any
// more: somebody else has decided.
func (s *Store) BeginAccepting(ctx context.Context, p records.Proposal) error {
	n, err := s.q.BeginAccepting(ctx, queries.BeginAcceptingParams{
		AgentID: p.AgentID, ID: p.ID, At: &p.DecidedAt, DecidedBy: optional(string(p.DecidedBy)), Name: p.Name, Type: string(p.Type),
		Description: p.Description, Body: p.Body, Updates: optionalID(p.Updates), Match: p.Match,
	})
	return decided("accept a proposal", n, err)
}

// EndAccepting notes which memory a proposal has become.
func (s *Store) EndAccepting(ctx context.Context, p records.Proposal, memoryID string) error {
	parsed, err := parseID(memoryID)
	if err != nil {
		return err
	}
	return wrap("accept a proposal", s.q.EndAccepting(ctx, queries.EndAcceptingParams{AgentID: p.AgentID, ID: p.ID, MemoryID: &parsed}))
}

// GiveUpAccepting has a proposal that could not be accepted wait again.
func (s *Store) GiveUpAccepting(ctx context.Context, p records.Proposal) error {
	return wrap("give up accepting a proposal", s.q.GiveUpAccepting(ctx, queries.GiveUpAcceptingParams{AgentID: p.AgentID, ID: p.ID}))
}

// RefuseProposal decides that a proposal is refused. It fails as BeginAccepting does.
func (s *Store) RefuseProposal(ctx context.Context, p records.Proposal) error {
	n, err := s.q.RefuseProposal(ctx, queries.RefuseProposalParams{
		AgentID: p.AgentID, ID: p.ID, At: &p.DecidedAt, DecidedBy: optional(string(p.DecidedBy)),
	})
	return decided("refuse a proposal", n, err)
}

func decided(doing string, n int64, err error) error {
	if err == nil && n == 0 {
		return memories.ErrChanged
	}
	return wrap(doing, err)
}

// ProposalsToFinish returns those of all agents that somebody began to accept before that, the oldest first, 100 at most.
func (s *Store) ProposalsToFinish(ctx context.Context, before time.Time) ([]records.Proposal, error) {
	rows, err := s.q.ProposalsToFinish(ctx, &before)
	return proposalsOf(rows), wrap("list proposals to finish", err)
}

// HadContent returns the id of the memory of the proposal's name that says what it is accepted as, or has come to since that was
// decided. It fails with memories.ErrNotFound where there is none.
func (s *Store) HadContent(ctx context.Context, p records.Proposal) (string, error) {
	c := p.Canonical()
	fingerprint := memories.FingerprintOf(c.Type, c.Description, c.Body)
	id, err := s.q.HadContent(ctx, queries.HadContentParams{AgentID: p.AgentID, Name: c.Name, Fingerprint: fingerprint[:], Since: p.DecidedAt})
	return id.String(), wrap("look for what was accepted", err)
}

// IsBuried says whether a memory of an agent that was deleted has said just this.
func (s *Store) IsBuried(ctx context.Context, agentID int64, content memories.Fingerprint) (bool, error) {
	buried, err := s.q.IsBuried(ctx, queries.IsBuriedParams{AgentID: agentID, Fingerprint: content[:]})
	return buried, wrap("look at tombstones", err)
}

// Deleted returns what the memories say that were deleted last.
func (s *Store) Deleted(ctx context.Context, agentID int64, most int) ([]memories.Content, error) {
	rows, err := s.q.SpentContents(ctx, queries.SpentContentsParams{AgentID: agentID, Most: int32(most)})
	deleted := make([]memories.Content, len(rows))
	for i, row := range rows {
		deleted[i] = memories.Content{Name: row.Name, Description: row.Description, Body: row.Body}
	}
	return deleted, wrap("read what was deleted", err)
}

func proposalsOf(rows []queries.Proposal) []records.Proposal {
	all := make([]records.Proposal, len(rows))
	for i, row := range rows {
		all[i] = proposalOf(row)
	}
	return all
}

func proposalOf(row queries.Proposal) records.Proposal {
	p := records.Proposal{
		ID: row.ID, AgentID: row.AgentID, State: records.ProposalState(row.State),
		Content: memories.Content{Name: row.Name, Type: memories.Type(row.Type), Description: row.Description, Body: row.Body},
		Quote:   row.Quote, QuotedAt: moment(row.QuotedAt), Session: row.Session, ProposedAt: row.ProposedAt.UTC(),
		DecidedAt: moment(row.DecidedAt), DecidedBy: memories.Actor(text(row.DecidedBy)), Match: row.Match,
	}
	copy(p.Fingerprint[:], row.Fingerprint)
	if row.Updates != nil {
		p.Updates = *row.Updates
	}
	if row.MemoryID != nil {
		p.MemoryID = row.MemoryID.String()
	}
	return p
}
