package postgres

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// mapAll returns convert(row) for each row, in the same order. It returns an empty list, not nil,
// if there are no rows.
func mapAll[Row, T any](rows []Row, convert func(Row) T) []T {
	all := make([]T, len(rows))
	for i, row := range rows {
		all[i] = convert(row)
	}
	return all
}

// mapRows returns convert(row) for each row of a query, in the same order. If the query's error is
// not nil, mapRows returns it with the text of doing before it, translated by dberr.Wrap.
func mapRows[Row, T any](doing string, rows []Row, err error, convert func(Row) T) ([]T, error) {
	return mapAll(rows, convert), dberr.Wrap(doing, err)
}

// tryMap returns convert(row) for each row, in the same order. At the first error it stops, and
// returns nil and that error. It returns an empty list, not nil, if there are no rows.
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

// rowsOf converts the result of a query for whole memories, in the same order. It returns the
// query's error translated by dberr.Wrap. If the JSON of a row is malformed, it returns nil and an
// error.
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

// filesOf converts the result of a query for whole files, in the same order. It returns the query's
// error translated by dberr.Wrap.
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

// ignoreNoRows returns nil if err is pgx.ErrNoRows, and else err.
func ignoreNoRows(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	return err
}

// listJSON returns the list as JSON. It returns [], not null, for a nil list.
func listJSON[T any](list []T) ([]byte, error) { return json.Marshal(append([]T{}, list...)) }

// parseID parses an id that came from a user. It returns memories.ErrNotFound if the id is not a
// UUID in the form that Memoir writes.
func parseID(id string) (uuid.UUID, error) {
	parsed, err := uuid.Parse(id)
	if err != nil || parsed.String() != id {
		return uuid.UUID{}, memories.ErrNotFound
	}
	return parsed, nil
}

// orZero returns the value at p, or the zero value if p is nil, which is NULL in SQL.
func orZero[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// timeOrZero returns the time at t in UTC, or the zero time if t is nil, which is NULL in SQL.
func timeOrZero(t *time.Time) time.Time { return orZero(t).UTC() }

// optional returns a pointer to the value. For the zero value it returns nil, which is NULL in SQL.
func optional[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// optionalTime returns a pointer to the time. For the zero time it returns nil, which is NULL in
// SQL.
func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
