package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
)

// Verification is what came of looking in an agent's project for what a memory cites.
type Verification struct {
	CheckedAt time.Time
	Project   string // the directory that was looked into, absolute
	Citations []memories.CheckedCitation
}

// Verification returns what came of checking what the memory says now. It fails with memories.ErrNotFound where that was not checked,
// and for an unknown, foreign or malformed id.
func (s *Store) Verification(ctx context.Context, agent Agent, id string) (Verification, error) {
	parsed, err := parseID(id)
	if err != nil {
		return Verification{}, err
	}
	row, err := s.q.VerificationOf(ctx, queries.VerificationOfParams{AgentID: agent.ID, MemoryID: parsed})
	if err != nil {
		return Verification{}, wrap("read a verification", err)
	}
	return verificationOf(row.CheckedAt, row.Project, row.Citations)
}

func verificationOf(checkedAt time.Time, project string, citations []byte) (Verification, error) {
	v := Verification{CheckedAt: checkedAt.UTC(), Project: project}
	return v, wrap("read citations", json.Unmarshal(citations, &v.Citations))
}

// Doubtful is a memory that cites what is gone.
type Doubtful struct {
	ID          string
	Name        string
	Type        memories.Type // empty: it has none
	Description string
	ModifiedAt  time.Time // what its age counts from
	Verification
}

// ToReview returns the agent's memories that cite what is gone, at most limit of them: those with the most of it first, then the types
// that age fastest, then the oldest.
func (s *Store) ToReview(ctx context.Context, agent Agent, limit int) ([]Doubtful, error) {
	rows, err := s.q.ToReview(ctx, queries.ToReviewParams{AgentID: agent.ID, LimitTo: int32(limit)})
	if err != nil {
		return nil, wrap("read what is to review", err)
	}
	doubtful := make([]Doubtful, len(rows))
	for i, row := range rows {
		v, err := verificationOf(row.CheckedAt, row.Project, row.Citations)
		if err != nil {
			return nil, err
		}
		doubtful[i] = Doubtful{
			ID: row.ID.String(), Name: row.Name, Type: memories.Type(text(row.Type)), Description: row.Description,
			ModifiedAt: row.ModifiedAt.UTC(), Verification: v,
		}
	}
	return doubtful, nil
}

// GoneOf returns what is gone of what the given memories of the agent cite, by their ids. One that cites nothing that is gone, and an id
// of no memory of the agent, is not in it.
func (s *Store) GoneOf(ctx context.Context, agent Agent, ids []string) (map[string][]memories.CheckedCitation, error) {
	asked := make([]uuid.UUID, 0, len(ids))
	for _, id := range ids {
		if parsed, err := parseID(id); err == nil {
			asked = append(asked, parsed)
		}
	}
	gone, err := goneOf(ctx, s.q, agent, asked)
	return gone, wrap("read what is gone", err)
}

func goneOf(ctx context.Context, q *queries.Queries, agent Agent, ids []uuid.UUID) (map[string][]memories.CheckedCitation, error) {
	rows, err := q.GoneOf(ctx, queries.GoneOfParams{AgentID: agent.ID, Ids: ids})
	if err != nil {
		return nil, err
	}
	gone := make(map[string][]memories.CheckedCitation, len(rows))
	for _, row := range rows {
		var checked []memories.CheckedCitation
		if err := json.Unmarshal(row.Citations, &checked); err != nil {
			return nil, err
		}
		gone[row.ID.String()] = memories.GoneCitations(checked)
	}
	return gone, nil
}

// Unverified is a memory of which it is to be checked what it cites.
type Unverified struct {
	ID         uuid.UUID
	RevisionID uuid.UUID
	Body       string
	Before     []memories.CheckedCitation // what came of the last check, of whatever it said then
}

// errEnough ends a reading early.
var errEnough = errors.New("enough")

// Unverified calls each for the agent's memories that are to be checked in a project, the longest
// unchecked first, until each returns false: those that have changed since their check, or were
// checked before since, or in another project. An id, unless empty, asks for that memory only.
// each must not block.
func (s *Store) Unverified(
	ctx context.Context, agent Agent, project, id string, since time.Time, each func(Unverified) bool,
) error {
	only := uuid.NullUUID{}
	if id != "" {
		parsed, err := parseID(id)
		if err != nil {
			return err
		}
		only = uuid.NullUUID{UUID: parsed, Valid: true}
	}
	rows, err := s.pool.Query(ctx, `SELECT u.id, u.revision_id, r.body, u.citations
		FROM (SELECT m.id, m.revision_id, v.citations, v.checked_at
			FROM memories m LEFT JOIN verifications v ON v.memory_id = m.id
			WHERE m.agent_id = $1 AND m.readable AND m.state <> 'deleted' AND ($2::uuid IS NULL OR m.id = $2)
				AND (v.memory_id IS NULL OR v.revision_id <> m.revision_id OR v.checked_at < $3 OR v.project <> $5)
			ORDER BY v.checked_at NULLS FIRST LIMIT $4) u
		JOIN revisions r ON r.id = u.revision_id
		ORDER BY u.checked_at NULLS FIRST`, agent.ID, only, since, MaxUnverified, project)
	if err != nil {
		return wrap("read what to verify", err)
	}
	var u Unverified
	var before []byte
	_, err = pgx.ForEachRow(rows, []any{&u.ID, &u.RevisionID, &u.Body, &before}, func() error {
		u.Before = nil
		if before != nil {
			if err := json.Unmarshal(before, &u.Before); err != nil {
				return err
			}
		}
		if !each(u) {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return wrap("read what to verify", err)
}

// MaxUnverified is how many memories one reading gives.
const MaxUnverified = 2000

// Verified is what came of checking one memory.
type Verified struct {
	ID         uuid.UUID
	RevisionID uuid.UUID // what it said
	Citations  []memories.CheckedCitation
}

// SaveVerifications keeps what came of checking memories of the agent, in place of what was kept before. One that was purged
// meanwhile is left out.
func (s *Store) SaveVerifications(ctx context.Context, agent Agent, project string, at time.Time, verified []Verified) error {
	save := queries.SaveVerificationsParams{AgentID: agent.ID, CheckedAt: at, Project: project}
	for _, v := range verified {
		citations := []byte("[]")
		if len(v.Citations) > 0 {
			var err error
			if citations, err = json.Marshal(v.Citations); err != nil {
				return wrap("save verifications", err)
			}
		}
		save.MemoryIds = append(save.MemoryIds, v.ID)
		save.RevisionIds = append(save.RevisionIds, v.RevisionID)
		save.Gone = append(save.Gone, int32(len(memories.GoneCitations(v.Citations))))
		save.Citations = append(save.Citations, citations)
	}
	return wrap("save verifications", s.q.SaveVerifications(ctx, save))
}

// VerifiedAgents returns the ids of the agents of which something is kept.
func (s *Store) VerifiedAgents(ctx context.Context) ([]int64, error) {
	ids, err := s.q.VerifiedAgents(ctx)
	return ids, wrap("list verified agents", err)
}

// ForgetVerifications removes what is kept of an agent that has no project any more.
func (s *Store) ForgetVerifications(ctx context.Context, agentID int64) error {
	return wrap("forget verifications", s.q.ForgetVerifications(ctx, agentID))
}

// NamesOf calls each with every name and every path by which a link may lead to a memory of the agent that is not deleted.
func (s *Store) NamesOf(ctx context.Context, agent Agent, each func(name, path string)) error {
	rows, err := s.pool.Query(ctx, `SELECT m.name, coalesce(f.path, m.path)
		FROM memories m LEFT JOIN files f ON f.memory_id = m.id AND f.present
		WHERE m.agent_id = $1 AND m.state <> 'deleted'`, agent.ID)
	if err != nil {
		return wrap("read names", err)
	}
	var name, path string
	_, err = pgx.ForEachRow(rows, []any{&name, &path}, func() error {
		each(name, path)
		return nil
	})
	return wrap("read names", err)
}
