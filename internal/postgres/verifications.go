package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Verification returns the result of checking the citations of the memory's current content. It
// fails with memories.ErrNotFound if that was not checked, or the id is unknown, malformed or of
// another agent.
func (s *Store) Verification(ctx context.Context, agent records.Agent, id string) (records.Verification, error) {
	parsed, err := dbconv.ParseID(id)
	if err != nil {
		return records.Verification{}, err
	}
	row, err := s.q.VerificationOf(ctx, queries.VerificationOfParams{AgentID: agent.ID, MemoryID: parsed})
	if err != nil {
		return records.Verification{}, dberr.Wrap("read a verification", err)
	}
	return verificationOf(row.CheckedAt, row.Project, row.Citations)
}

func verificationOf(checkedAt time.Time, project string, citations []byte) (records.Verification, error) {
	v := records.Verification{CheckedAt: checkedAt.UTC(), Project: project}
	return v, dberr.Wrap("read citations", json.Unmarshal(citations, &v.Citations))
}

// ToReview returns at most limit undeleted memories of the agent whose current content cites
// something that no longer exists, by its last check. The order is: the most dead citations first,
// then the types that age fastest, then the oldest.
func (s *Store) ToReview(ctx context.Context, agent records.Agent, limit int) ([]records.DoubtfulMemory, error) {
	rows, err := s.q.ToReview(ctx, queries.ToReviewParams{AgentID: agent.ID, LimitTo: int32(limit)})
	if err != nil {
		return nil, dberr.Wrap("read what is to review", err)
	}
	return dbconv.TryAll(rows, func(row queries.ToReviewRow) (records.DoubtfulMemory, error) {
		v, err := verificationOf(row.CheckedAt, row.Project, row.Citations)
		return records.DoubtfulMemory{
			ID: row.ID.String(), Name: row.Name, Type: memories.Type(dbconv.OrZero(row.Type)), Description: row.Description,
			ModifiedAt: row.ModifiedAt.UTC(), Verification: v,
		}, err
	})
}

// DeadCitations returns by id those citations of the agent's memories among ids that lead nowhere,
// by the check of their current contents. Memories without such a citation have no entry. Unknown
// and malformed ids are ignored. It checks nothing itself.
func (s *Store) DeadCitations(ctx context.Context, agent records.Agent, ids []string) (map[string][]memories.CheckedCitation, error) {
	parsed := make([]uuid.UUID, 0, len(ids))
	for _, id := range ids {
		if memoryID, err := dbconv.ParseID(id); err == nil {
			parsed = append(parsed, memoryID)
		}
	}
	dead, err := deadCitations(ctx, s.q, agent, parsed)
	return dead, dberr.Wrap("read what is gone", err)
}

func deadCitations(ctx context.Context, q *queries.Queries, agent records.Agent, ids []uuid.UUID) (map[string][]memories.CheckedCitation, error) {
	rows, err := q.DeadCitationsOf(ctx, queries.DeadCitationsOfParams{AgentID: agent.ID, Ids: ids})
	if err != nil {
		return nil, err
	}
	dead := make(map[string][]memories.CheckedCitation, len(rows))
	for _, row := range rows {
		var checked []memories.CheckedCitation
		if err := json.Unmarshal(row.Citations, &checked); err != nil {
			return nil, err
		}
		dead[row.ID.String()] = memories.GoneCitations(checked)
	}
	return dead, nil
}

// errEnough ends Unverified early.
var errEnough = errors.New("enough")

// Unverified calls each with the agent's readable, undeleted memories whose citations must be
// checked, longest unchecked first. They were never checked, have changed since, or were checked
// before since or in another project. It stops when each returns false, and after
// records.MaxUnverified memories. A non-empty id selects one memory; it fails with
// memories.ErrNotFound if id is malformed. each must not block.
func (s *Store) Unverified(
	ctx context.Context, agent records.Agent, project, id string, since time.Time, each func(records.UnverifiedMemory) bool,
) error {
	var only *uuid.UUID
	if id != "" {
		parsed, err := dbconv.ParseID(id)
		if err != nil {
			return err
		}
		only = &parsed
	}
	// ForEachRow returns the error of Query.
	rows, _ := s.pool.Query(ctx, `SELECT u.id, u.revision_id, r.body, u.citations
		FROM (SELECT m.id, m.revision_id, v.citations, v.checked_at
			FROM memories m LEFT JOIN verifications v ON v.memory_id = m.id
			WHERE m.agent_id = $1 AND m.readable AND m.state <> 'deleted' AND ($2::uuid IS NULL OR m.id = $2)
				AND (v.memory_id IS NULL OR v.revision_id <> m.revision_id OR v.checked_at < $3 OR v.project <> $5)
			ORDER BY v.checked_at NULLS FIRST LIMIT $4) u
		JOIN revisions r ON r.id = u.revision_id
		ORDER BY u.checked_at NULLS FIRST`, agent.ID, only, since, records.MaxUnverified, project)
	var u records.UnverifiedMemory
	var before []byte
	_, err := pgx.ForEachRow(rows, []any{&u.ID, &u.RevisionID, &u.Body, &before}, func() error {
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
	return dberr.Wrap("read what to verify", err)
}

// SaveVerifications saves the results of checking citations in the project, with the time at. It
// replaces earlier results of the same memories, and skips memories that no longer exist.
func (s *Store) SaveVerifications(ctx context.Context, agent records.Agent, project string, at time.Time, verified []records.VerifiedMemory) error {
	save := queries.SaveVerificationsParams{AgentID: agent.ID, CheckedAt: at, Project: project}
	for _, v := range verified {
		citations, err := dbconv.ListJSON(v.Citations)
		if err != nil {
			return dberr.Wrap("save verifications", err)
		}
		save.MemoryIds = append(save.MemoryIds, v.ID)
		save.RevisionIds = append(save.RevisionIds, v.RevisionID)
		save.Gone = append(save.Gone, int32(len(memories.GoneCitations(v.Citations))))
		save.Citations = append(save.Citations, citations)
	}
	return dberr.Wrap("save verifications", s.q.SaveVerifications(ctx, save))
}

// VerifiedAgents returns the ids of the agents with saved results of citation checks, in any order.
func (s *Store) VerifiedAgents(ctx context.Context) ([]int64, error) {
	ids, err := s.q.VerifiedAgents(ctx)
	return ids, dberr.Wrap("list verified agents", err)
}

// DeleteVerifications deletes all saved results of citation checks of an agent, for example because
// it no longer has a project. It does not change the memories.
func (s *Store) DeleteVerifications(ctx context.Context, agentID int64) error {
	return dberr.Wrap("forget verifications", s.q.DeleteVerifications(ctx, agentID))
}

// NamesOf calls each with a memory's name and a file's path, for every file on disk of the agent's
// undeleted memories, in any order. It passes a memory without a file on disk once, with its last
// path.
func (s *Store) NamesOf(ctx context.Context, agent records.Agent, each func(name, path string)) error {
	// ForEachRow returns the error of Query.
	rows, _ := s.pool.Query(ctx, `SELECT m.name, coalesce(f.path, m.path)
		FROM memories m LEFT JOIN files f ON f.memory_id = m.id AND f.present
		WHERE m.agent_id = $1 AND m.state <> 'deleted'`, agent.ID)
	var name, path string
	_, err := pgx.ForEachRow(rows, []any{&name, &path}, func() error {
		each(name, path)
		return nil
	})
	return dberr.Wrap("read names", err)
}

// WantedMemories returns at most most memories that never existed and to which the agent's undeleted
// memories link, by the last check of their current contents. Those with the most links are first.
// It compares names apart from letter case.
func (s *Store) WantedMemories(ctx context.Context, agentID int64, most int) ([]memories.WantedMemory, error) {
	rows, err := s.q.WantedMemories(ctx, queries.WantedMemoriesParams{AgentID: agentID, Most: int32(most)})
	return dbconv.Rows("list wanted memories", rows, err, func(row queries.WantedMemoriesRow) memories.WantedMemory {
		return memories.WantedMemory{Name: row.Name, Links: int(row.Links)}
	})
}
