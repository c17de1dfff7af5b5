package postgres

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// mapAll returns the result of convert for each row. The list is never nil.
func mapAll[Row, T any](rows []Row, convert func(Row) T) []T {
	all := make([]T, len(rows))
	for i, row := range rows {
		all[i] = convert(row)
	}
	return all
}

// mapRows is mapAll for the result of a query. It returns err as dberr.Wrap does.
func mapRows[Row, T any](doing string, rows []Row, err error, convert func(Row) T) ([]T, error) {
	return mapAll(rows, convert), dberr.Wrap(doing, err)
}

// tryMap returns the result of convert for each row, or nil and the first error of convert.
func tryMap[Row, T any](rows []Row, convert func(Row) (T, error)) ([]T, error) {
	all := make([]T, len(rows))
	for i, row := range rows {
		var err error
		if all[i], err = convert(row); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func rowOf(row queries.Memory) (records.MemoryRow, error) {
	h := records.MemoryRow{
		Memory: memories.Memory{
			ID: row.ID.String(), AgentID: row.AgentID, Name: row.Name, Team: row.Team, Readable: row.Readable,
			Type: memories.Type(orZero(row.Type)), Description: row.Description, State: memories.State(row.State),
			Path: row.Path, Session: orZero(row.Session), Hash: row.Hash, Size: row.Size,
			Fingerprint: memories.Fingerprint(row.Fingerprint),
			ModifiedAt:  row.ModifiedAt.UTC(), ContentAt: row.ContentAt.UTC(), ClaudeMDChars: int(row.ClaudeMdChars),
			ClaudeMDListed: row.ClaudeMdListed,
			CreatedAt:      row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC(), DeletedAt: timeOrZero(row.DeletedAt),
			DeletedActor: memories.Actor(orZero(row.DeletedActor)),
		},
		UUID: row.ID, RevisionID: row.RevisionID, DeletedBy: records.DeletedBy(orZero(row.DeletedBy)), Restoring: row.Restoring,
		Conflict: memories.Conflict(orZero(row.Conflict)),
	}
	if row.IndexLines != nil {
		if err := json.Unmarshal(row.IndexLines, &h.IndexLines); err != nil {
			return h, fmt.Errorf("read the index lines of memory %s: %w", row.ID, err)
		}
	}
	if err := json.Unmarshal(row.Problems, &h.Problems); err != nil {
		return h, fmt.Errorf("read the problems of memory %s: %w", row.ID, err)
	}
	return h, nil
}

// rowsOf converts the result of a query that selects whole memories.
func rowsOf[Row ~struct{ Memory queries.Memory }](rows []Row, err error) ([]records.MemoryRow, error) {
	if err != nil {
		return nil, dberr.Wrap("read memories", err)
	}
	return tryMap(rows, func(row Row) (records.MemoryRow, error) {
		return rowOf(struct{ Memory queries.Memory }(row).Memory)
	})
}

func fileOf(row queries.File) records.File {
	return records.File{
		Path: row.Path, Session: orZero(row.Session), Status: records.FileStatus(row.Status), Present: row.Present,
		Fingerprint: memories.Fingerprint(row.Fingerprint), Hash: row.Hash, Size: row.Size,
		ModTime: row.MtimeNs, ModifiedAt: row.ModifiedAt.UTC(), ContentAt: row.ContentAt.UTC(),
		Problem: orZero(row.Problem), ExpectedHash: orZero(row.ExpectedHash),
		Flaws: memories.ParseFlaw(orZero(row.Flaws)), Unfinished: memories.ParseFlaw(orZero(row.Unfinished)),
		MemoryID: orZero(row.MemoryID), Signature: orZero(row.Signature),
	}
}

// filesOf converts the result of a query that selects whole files.
func filesOf(rows []queries.File, err error) ([]records.File, error) {
	return mapRows("read files", rows, err, fileOf)
}

func blockedOf(row queries.BlockedContent) records.BlockedFile {
	return records.BlockedFile{
		Blocked: memories.Blocked{
			ID: row.ID.String(), Name: row.Name, Team: row.Team, Type: memories.Type(orZero(row.Type)), Description: row.Description,
			Body: row.Body, Path: row.Path, Session: orZero(row.Session), Hash: row.Hash, SeenAt: row.SeenAt.UTC(),
		},
		Fingerprint: memories.Fingerprint(row.Fingerprint),
	}
}

// listJSON returns the list as JSON. It is [] and never null if the list is empty.
func listJSON[T any](list []T) ([]byte, error) { return json.Marshal(append([]T{}, list...)) }

// parseID reads an id that came from outside. One that cannot be an id is the id of nothing.
func parseID(id string) (uuid.UUID, error) {
	parsed, err := uuid.Parse(id)
	if err != nil || parsed.String() != id {
		return uuid.UUID{}, memories.ErrNotFound
	}
	return parsed, nil
}

// orZero returns the value at p, or the zero value if p is nil.
func orZero[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// timeOrZero returns the time at t in UTC, or the zero time if t is nil.
func timeOrZero(t *time.Time) time.Time { return orZero(t).UTC() }

// optional returns a pointer to the value. It returns nil, which is NULL in SQL, for the zero value.
func optional[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
