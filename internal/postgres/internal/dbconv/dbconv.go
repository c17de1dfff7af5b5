// Package dbconv converts between rows and values: lists, NULLs, ids and JSON.
package dbconv

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dberr"
)

// All returns convert(row) for each row, in the same order. It returns an empty list, not nil,
// if there are no rows.
func All[Row, T any](rows []Row, convert func(Row) T) []T {
	all := make([]T, len(rows))
	for i, row := range rows {
		all[i] = convert(row)
	}
	return all
}

// Rows returns convert(row) for each row of a query, in the same order. If the query's error is
// not nil, Rows returns it with the text of doing before it, translated by dberr.Wrap.
func Rows[Row, T any](doing string, rows []Row, err error, convert func(Row) T) ([]T, error) {
	return All(rows, convert), dberr.Wrap(doing, err)
}

// TryAll returns convert(row) for each row, in the same order. At the first error it stops, and
// returns nil and that error. It returns an empty list, not nil, if there are no rows.
func TryAll[Row, T any](rows []Row, convert func(Row) (T, error)) ([]T, error) {
	all := make([]T, len(rows))
	for i, row := range rows {
		var err error
		if all[i], err = convert(row); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// IgnoreNoRows returns nil if err is pgx.ErrNoRows, and else err.
func IgnoreNoRows(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	return err
}

// ListJSON returns the list as JSON. It returns [], not null, for a nil list.
func ListJSON[T any](list []T) ([]byte, error) { return json.Marshal(append([]T{}, list...)) }

// ParseID parses an id that came from a user. It returns memories.ErrNotFound if the id is not a
// UUID in the form that Memoir writes.
func ParseID(id string) (uuid.UUID, error) {
	parsed, err := uuid.Parse(id)
	if err != nil || parsed.String() != id {
		return uuid.UUID{}, memories.ErrNotFound
	}
	return parsed, nil
}

// OrZero returns the value at p, or the zero value if p is nil, which is NULL in SQL.
func OrZero[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// TimeOrZero returns the time at t in UTC, or the zero time if t is nil, which is NULL in SQL.
func TimeOrZero(t *time.Time) time.Time { return OrZero(t).UTC() }

// Optional returns a pointer to the value. For the zero value it returns nil, which is NULL in SQL.
func Optional[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// OptionalTime returns a pointer to the time. For the zero time it returns nil, which is NULL in
// SQL.
func OptionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
