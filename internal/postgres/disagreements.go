package postgres

import (
	"context"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Disagreements returns a summary for each of the agent's memories whose files on disk conflict,
// sorted by name. records.Disagreement defines a conflict. It omits deleted memories.
func (s *Store) Disagreements(ctx context.Context, agent records.Agent) ([]records.Disagreement, error) {
	return s.disagreements(ctx, queries.DisagreementsParams{AgentID: agent.ID})
}

// Disagreement returns a summary of the conflict between the files of one memory. It returns nil
// and no error if they do not conflict, the memory is deleted, or m.Files has fewer than two files.
// m.ID must be valid.
func (s *Store) Disagreement(ctx context.Context, m memories.Memory) (*records.Disagreement, error) {
	if len(m.Files) < 2 {
		return nil, nil
	}
	id := uuid.MustParse(m.ID)
	found, err := s.disagreements(ctx, queries.DisagreementsParams{AgentID: m.AgentID, MemoryID: &id})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

func (s *Store) disagreements(ctx context.Context, of queries.DisagreementsParams) ([]records.Disagreement, error) {
	rows, err := s.q.Disagreements(ctx, of)
	return dbconv.Rows("read disagreements", rows, err, func(row queries.DisagreementsRow) records.Disagreement {
		return records.Disagreement{
			ID: row.ID.String(), Name: row.Name, Versions: int(row.Versions), Sessions: int(row.Sessions), HasPrimary: row.HasPrimary,
			Primary: int(row.PrimaryVersions), NewestAt: row.NewestAt.UTC(),
		}
	})
}

// Versions returns the different contents of the memory's files on disk, each with its files, the
// content of the newest file first. Current marks the content with m.Fingerprint. It omits files
// that are blocked, unreadable or marked for removal. It returns nil if there is no other file.
// m.ID must be valid.
func (s *Store) Versions(ctx context.Context, m memories.Memory) ([]records.Version, error) {
	rows, err := s.q.VersionsOf(ctx, uuid.MustParse(m.ID))
	if err != nil {
		return nil, dberr.Wrap("read versions", err)
	}
	var versions []records.Version
	place := map[memories.Fingerprint]int{}
	for _, row := range rows {
		fingerprint := memories.Fingerprint(row.Fingerprint)
		i, known := place[fingerprint]
		if !known {
			i = len(versions)
			place[fingerprint] = i
			versions = append(versions, records.Version{
				Fingerprint: fingerprint, Type: memories.Type(dbconv.OrZero(row.Type)), Description: row.Description, Body: row.Body,
				Current: fingerprint == m.Fingerprint,
			})
		}
		versions[i].Files = append(versions[i].Files, records.VersionFile{
			Path: row.Path, Session: dbconv.OrZero(row.Session), Hash: row.Hash, ModifiedAt: row.ModifiedAt.UTC(), ContentAt: row.ContentAt.UTC(),
		})
	}
	return versions, nil
}
