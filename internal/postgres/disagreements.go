package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
)

// Disagreement is a memory under whose name files on disk say different things, the newest of them a session's. It is
// settled as soon as the newest is the agent's own file, which is what a save makes, until a session says something new.
// Two primary files that say different things disagree until one of them is changed or removed.
type Disagreement struct {
	ID       string // of the memory
	Name     string
	Versions int       // different contents on disk
	Sessions int       // that carry one of them
	Durable  bool      // the agent's own file carries one too
	Primary  int       // different contents of primary files
	NewestAt time.Time // when the newest of them became new
}

// Disagreements returns what the agent's sessions disagree about, by name.
func (s *Store) Disagreements(ctx context.Context, agent Agent) ([]Disagreement, error) {
	return s.disagreements(ctx, queries.DisagreementsParams{AgentID: agent.ID})
}

// Disagreement returns how the files of one memory disagree; nil: they do not, or it is settled.
func (s *Store) Disagreement(ctx context.Context, m memories.Memory) (*Disagreement, error) {
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

func (s *Store) disagreements(ctx context.Context, of queries.DisagreementsParams) ([]Disagreement, error) {
	rows, err := s.q.Disagreements(ctx, of)
	found := make([]Disagreement, len(rows))
	for i, row := range rows {
		found[i] = Disagreement{
			ID: row.ID.String(), Name: row.Name, Versions: int(row.Versions), Sessions: int(row.Sessions), Durable: row.Durable,
			Primary: int(row.PrimaryVersions), NewestAt: row.NewestAt.UTC(),
		}
	}
	return found, wrap("read disagreements", err)
}

// Version is one content that files on disk carry now.
type Version struct {
	Fingerprint memories.Fingerprint
	Type        memories.Type
	Description string
	Body        string
	Current     bool // it is the memory's content
	Files       []VersionFile
}

// VersionFile is one file that says it.
type VersionFile struct {
	Path       string
	Session    string // empty: the agent's own
	Hash       string
	ModifiedAt time.Time
	ContentAt  time.Time // when it became new
}

// Versions returns the contents that the memory's files on disk carry now, the newest first.
func (s *Store) Versions(ctx context.Context, m memories.Memory) ([]Version, error) {
	rows, err := s.q.VersionsOf(ctx, uuid.MustParse(m.ID))
	if err != nil {
		return nil, wrap("read versions", err)
	}
	var versions []Version
	place := map[memories.Fingerprint]int{}
	for _, row := range rows {
		fingerprint := memories.Fingerprint(row.Fingerprint)
		i, known := place[fingerprint]
		if !known {
			i = len(versions)
			place[fingerprint] = i
			versions = append(versions, Version{
				Fingerprint: fingerprint, Type: memories.Type(text(row.Type)), Description: row.Description, Body: row.Body,
				Current: fingerprint == m.Fingerprint,
			})
		}
		versions[i].Files = append(versions[i].Files, VersionFile{
			Path: row.Path, Session: text(row.Session), Hash: row.Hash, ModifiedAt: row.ModifiedAt.UTC(), ContentAt: row.ContentAt.UTC(),
		})
	}
	return versions, nil
}
