package postgres

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

func rowOf(row queries.Memory) (records.MemoryRow, error) {
	h := records.MemoryRow{
		Memory: memories.Memory{
			ID: row.ID.String(), AgentID: row.AgentID, Name: row.Name, Team: row.Team, Readable: row.Readable,
			Type: memories.Type(text(row.Type)), Description: row.Description, State: memories.State(row.State),
			Path: row.Path, Session: text(row.Session), Hash: row.Hash, Size: row.Size,
			Fingerprint: memories.Fingerprint(row.Fingerprint),
			ModifiedAt:  row.ModifiedAt.UTC(), ContentAt: row.ContentAt.UTC(), ClaudeMDChars: int(row.ClaudeMdChars),
			ClaudeMDListed: row.ClaudeMdListed,
			CreatedAt:      row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC(), DeletedAt: timeOrZero(row.DeletedAt),
			DeletedActor: memories.Actor(text(row.DeletedActor)),
		},
		UUID: row.ID, RevisionID: row.RevisionID, DeletedBy: records.DeletedBy(text(row.DeletedBy)), Restoring: row.Restoring,
		Conflict: memories.Conflict(text(row.Conflict)),
	}
	if row.IndexLines != nil {
		if err := json.Unmarshal(row.IndexLines, &h.IndexLines); err != nil {
			return h, fmt.Errorf("read the index lines of memory %s: %w", row.ID, err)
		}
	}
	h.Problems = []memories.Problem{}
	if string(row.Problems) == "[]" { // as nearly always, and a list asks for each of its rows
		return h, nil
	}
	if err := json.Unmarshal(row.Problems, &h.Problems); err != nil {
		return h, fmt.Errorf("read the problems of memory %s: %w", row.ID, err)
	}
	return h, nil
}

func fileOf(row queries.File) records.File {
	f := records.File{
		Path: row.Path, Session: text(row.Session), Status: records.FileStatus(row.Status), Present: row.Present,
		Fingerprint: memories.Fingerprint(row.Fingerprint), Hash: row.Hash, Size: row.Size,
		ModTime: row.MtimeNs, ModifiedAt: row.ModifiedAt.UTC(), ContentAt: row.ContentAt.UTC(),
		Problem: text(row.Problem), ExpectedHash: text(row.ExpectedHash),
		Flaws: memories.ParseFlaw(text(row.Flaws)), Unfinished: memories.ParseFlaw(text(row.Unfinished)),
	}
	if row.MemoryID != nil {
		f.MemoryID = *row.MemoryID
	}
	if row.Signature != nil {
		f.Signature = *row.Signature
	}
	return f
}

func filesOf(rows []queries.File) []records.File {
	files := make([]records.File, len(rows))
	for i, row := range rows {
		files[i] = fileOf(row)
	}
	return files
}

func blockedOf(row queries.BlockedContent) records.BlockedFile {
	return records.BlockedFile{
		Blocked: memories.Blocked{
			ID: row.ID.String(), Name: row.Name, Team: row.Team, Type: memories.Type(text(row.Type)), Description: row.Description,
			Body: row.Body, Path: row.Path, Session: text(row.Session), Hash: row.Hash, SeenAt: row.SeenAt.UTC(),
		},
		Fingerprint: memories.Fingerprint(row.Fingerprint),
	}
}

func problemsJSON(problems []memories.Problem) ([]byte, error) {
	if len(problems) == 0 {
		return []byte("[]"), nil
	}
	return json.Marshal(problems)
}

// parseID reads an id that came from outside. One that cannot be an id is the id of nothing.
func parseID(id string) (uuid.UUID, error) {
	parsed, err := uuid.Parse(id)
	if err != nil || parsed.String() != id {
		return uuid.UUID{}, memories.ErrNotFound
	}
	return parsed, nil
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func optionalNumber(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func optionalID(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

// signed carries a device or inode number, which uses all 64 bits, through a bigint.
func signed(n *uint64) *int64 {
	if n == nil {
		return nil
	}
	i := int64(*n)
	return &i
}
