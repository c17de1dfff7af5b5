// Package paging makes and reads the cursors of lists that are read page by page.
package paging

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"memoir/internal/records"
)

// sealed is the content of a cursor: the place of the last row of a page, and the mark of the list.
type sealed[Place any] struct {
	List string
	At   Place
}

// Seal returns the cursor of the page that begins after the place at, in the list with the mark.
// Unseal reads it.
func Seal[Place any](mark string, at Place) string {
	raw, err := json.Marshal(sealed[Place]{mark, at})
	if err != nil {
		panic(err) // places are strings, numbers, times and ids, which marshal
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// Unseal returns the place in a cursor that Seal has made. It returns nil and no error if cursor is
// empty, and records.ErrCursor if the cursor is malformed or has another mark. A client can forge
// the place, so the caller must check it.
func Unseal[Place any](mark, cursor string) (*Place, error) {
	if cursor == "" {
		return nil, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return nil, records.ErrCursor
	}
	var s sealed[Place]
	if json.Unmarshal(raw, &s) != nil || s.List != mark {
		return nil, records.ErrCursor
	}
	return &s.At, nil
}

// Time is the time and the id of the last row of a page.
type Time struct {
	At time.Time
	ID uuid.UUID
}

// Cut returns the first limit rows and the cursor of the next page. If there are at most limit
// rows, it returns all of them and an empty cursor. Callers must read limit+1 rows to learn of a
// next page. placeOf returns a row's place in the list. limit must be positive.
func Cut[Row, Place any](rows []Row, limit int, mark string, placeOf func(Row) Place) (page []Row, nextCursor string) {
	if len(rows) <= limit {
		return rows, ""
	}
	return rows[:limit], Seal(mark, placeOf(rows[limit-1]))
}

// Mark returns a short hash of the kind of a list and its filters, for its cursors. It detects
// the cursor of a list with other filters, which would silently leave out rows.
func Mark(filters ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", filters))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}
