package postgres

import (
	"context"
	"time"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/paging"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// addProposal adds a proposal and returns 1. If the agent has a proposal with the same fingerprint,
// in any state, it changes nothing and returns 0.
func addProposal(ctx context.Context, q *queries.Queries, p records.Proposal) (int64, error) {
	return q.AddProposal(ctx, queries.AddProposalParams{
		ID: p.ID, AgentID: p.AgentID, State: string(p.State), Name: p.Name, Type: string(p.Type), Description: p.Description, Body: p.Body,
		Fingerprint: p.Fingerprint[:], Quote: p.Quote, QuotedAt: dbconv.OptionalTime(p.QuotedAt), Session: p.Session, ProposedAt: p.ProposedAt,
		DecidedAt: dbconv.OptionalTime(p.DecidedAt), DecidedBy: dbconv.Optional(string(p.DecidedBy)), TargetMemoryID: dbconv.Optional(p.TargetID), BaseEtag: p.BaseETag,
	})
}

// Proposal returns one of the agent's proposals, in any state. It fails with memories.ErrNotFound
// if the id is unknown, malformed or of another agent.
func (s *Store) Proposal(ctx context.Context, agentID int64, id string) (records.Proposal, error) {
	parsed, err := dbconv.ParseID(id)
	if err != nil {
		return records.Proposal{}, err
	}
	row, err := s.q.ProposalByID(ctx, queries.ProposalByIDParams{AgentID: agentID, ID: parsed})
	return proposalOf(row), dberr.Wrap("read a proposal", err)
}

// Proposals returns one page of at most limit of the agent's proposals in the state, newest first.
// An empty state means all states. cursor is the NextCursor of the page before, or empty for the
// first page. It fails with records.ErrCursor if cursor is not of this list.
func (s *Store) Proposals(ctx context.Context, agentID int64, state records.ProposalState, limit int, cursor string) (records.ProposalPage, error) {
	mark := paging.Mark("proposals", agentID, state)
	after, err := paging.Unseal[paging.Time](mark, cursor)
	if err != nil {
		return records.ProposalPage{}, err
	}
	query := queries.ListProposalsParams{AgentID: agentID, State: dbconv.Optional(string(state)), Most: int32(limit + 1)}
	if after != nil {
		query.AfterAt, query.AfterID = &after.At, after.ID
	}
	rows, err := s.q.ListProposals(ctx, query)
	if err != nil {
		return records.ProposalPage{}, dberr.Wrap("list proposals", err)
	}
	page := records.ProposalPage{Total: len(rows)}
	rows, page.NextCursor = paging.Cut(rows, limit, mark, func(last queries.Proposal) paging.Time {
		return paging.Time{At: last.ProposedAt.UTC(), ID: last.ID}
	})
	if page.NextCursor != "" || after != nil {
		n, err := s.q.CountProposals(ctx, queries.CountProposalsParams{AgentID: agentID, State: query.State})
		if err != nil {
			return records.ProposalPage{}, dberr.Wrap("count proposals", err)
		}
		page.Total = int(n)
	}
	page.Proposals = dbconv.All(rows, proposalOf)
	return page, nil
}

// BeginAccepting moves a waiting proposal to the state accepting. It saves p's edited memory,
// TargetID, BaseETag, DecidedBy and DecidedAt. It fails with memories.ErrChanged, and changes
// nothing, if the proposal is not waiting. It creates no memory; EndAccepting or CancelAccepting
// must follow.
func (s *Store) BeginAccepting(ctx context.Context, p records.Proposal) error {
	n, err := s.q.BeginAccepting(ctx, queries.BeginAcceptingParams{
		AgentID: p.AgentID, ID: p.ID, At: &p.DecidedAt, DecidedBy: dbconv.Optional(string(p.DecidedBy)), Name: p.Name, Type: string(p.Type),
		Description: p.Description, Body: p.Body, TargetMemoryID: dbconv.Optional(p.TargetID), BaseEtag: p.BaseETag,
	})
	return decided("accept a proposal", n, err)
}

// EndAccepting moves a proposal from accepting to accepted, and saves memoryID, the id of the
// memory that it became. It fails with memories.ErrNotFound if memoryID is malformed. It does
// nothing if the proposal is not in the state accepting.
func (s *Store) EndAccepting(ctx context.Context, p records.Proposal, memoryID string) error {
	parsed, err := dbconv.ParseID(memoryID)
	if err != nil {
		return err
	}
	return dberr.Wrap("accept a proposal", s.q.EndAccepting(ctx, queries.EndAcceptingParams{AgentID: p.AgentID, ID: p.ID, MemoryID: &parsed}))
}

// CancelAccepting moves a proposal from accepting back to waiting, and clears its decision,
// TargetID and BaseETag. Edits of the memory stay. It does nothing if the proposal is not in the
// state accepting.
func (s *Store) CancelAccepting(ctx context.Context, p records.Proposal) error {
	return dberr.Wrap("give up accepting a proposal", s.q.CancelAccepting(ctx, queries.CancelAcceptingParams{AgentID: p.AgentID, ID: p.ID}))
}

// RefuseProposal moves a waiting proposal to the state refused, and saves p's DecidedAt and
// DecidedBy. It fails with memories.ErrChanged, and changes nothing, if the proposal is not
// waiting.
func (s *Store) RefuseProposal(ctx context.Context, p records.Proposal) error {
	n, err := s.q.RefuseProposal(ctx, queries.RefuseProposalParams{
		AgentID: p.AgentID, ID: p.ID, At: &p.DecidedAt, DecidedBy: dbconv.Optional(string(p.DecidedBy)),
	})
	return decided("refuse a proposal", n, err)
}

// decided returns memories.ErrChanged if err is nil and n, the number of changed rows, is 0.
// Otherwise it returns err translated by dberr.Wrap.
func decided(doing string, n int64, err error) error {
	if err == nil && n == 0 {
		return memories.ErrChanged
	}
	return dberr.Wrap(doing, err)
}

// ProposalsToFinish returns at most 100 proposals of all agents that are in the state accepting and
// were decided before a time, oldest decision first.
func (s *Store) ProposalsToFinish(ctx context.Context, before time.Time) ([]records.Proposal, error) {
	rows, err := s.q.ProposalsToFinish(ctx, &before)
	return dbconv.Rows("list proposals to finish", rows, err, proposalOf)
}

// HadContent returns the id of the agent's memory with the proposal's name that now has the
// proposal's content and is not in the trash. A memory with that name that has had the content
// since p.DecidedAt counts too, also in the trash. It fails with memories.ErrNotFound if there is
// no such memory.
func (s *Store) HadContent(ctx context.Context, p records.Proposal) (string, error) {
	c := p.Canonical()
	fingerprint := memories.FingerprintOf(c.Type, c.Description, c.Body)
	id, err := s.q.HadContent(ctx, queries.HadContentParams{AgentID: p.AgentID, Name: c.Name, Fingerprint: fingerprint[:], Since: p.DecidedAt})
	return id.String(), dberr.Wrap("look for what was accepted", err)
}

// HasTombstone reports whether the agent has a tombstone for the content, under any name. Such a
// content was deleted, or lost its name by a rename, and is blocked if it returns.
func (s *Store) HasTombstone(ctx context.Context, agentID int64, content memories.Fingerprint) (bool, error) {
	buried, err := s.q.HasTombstone(ctx, queries.HasTombstoneParams{AgentID: agentID, Fingerprint: content[:]})
	return buried, dberr.Wrap("look at tombstones", err)
}

// DeletedContents returns the names, descriptions and bodies, without types, of at most most
// memories in the agent's trash, the last deleted first. It omits unreadable files.
func (s *Store) DeletedContents(ctx context.Context, agentID int64, most int) ([]memories.Content, error) {
	rows, err := s.q.DeletedContents(ctx, queries.DeletedContentsParams{AgentID: agentID, Most: int32(most)})
	return dbconv.Rows("read what was deleted", rows, err, func(row queries.DeletedContentsRow) memories.Content {
		return memories.Content{Name: row.Name, Description: row.Description, Body: row.Body}
	})
}

func proposalOf(row queries.Proposal) records.Proposal {
	p := records.Proposal{
		ID: row.ID, AgentID: row.AgentID, State: records.ProposalState(row.State),
		Content: memories.Content{Name: row.Name, Type: memories.Type(row.Type), Description: row.Description, Body: row.Body},
		Quote:   row.Quote, QuotedAt: dbconv.TimeOrZero(row.QuotedAt), Session: row.Session, ProposedAt: row.ProposedAt.UTC(),
		DecidedAt: dbconv.TimeOrZero(row.DecidedAt), DecidedBy: memories.Actor(dbconv.OrZero(row.DecidedBy)), BaseETag: row.BaseEtag,
		TargetID: dbconv.OrZero(row.TargetMemoryID),
	}
	copy(p.Fingerprint[:], row.Fingerprint)
	if row.MemoryID != nil {
		p.MemoryID = row.MemoryID.String()
	}
	return p
}
