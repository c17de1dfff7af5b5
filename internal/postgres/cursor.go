package postgres

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"memoir/internal/records"
)

// sealed is the place at which a page has ended, with a mark of the list that it belongs to.
type sealed[Place any] struct {
	List string
	At   Place
}

// seal makes a cursor of the place at which a page has ended.
func seal[Place any](mark string, at Place) string {
	raw, err := json.Marshal(sealed[Place]{mark, at})
	if err != nil {
		panic(err) // places are strings, numbers, times and ids, which marshal
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// unseal reads a cursor; nil for none. It fails with ErrCursor where seal has not made it for this list.
func unseal[Place any](mark, cursor string) (*Place, error) {
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

// timeCursor is the time and the id of the last row of a page.
type timeCursor struct {
	At time.Time
	ID uuid.UUID
}

// cutPage returns the first limit rows, and the cursor of the page after them. The cursor is empty if
// there are no further rows. placeOf returns the place of the last row of the page.
func cutPage[Row, Place any](rows []Row, limit int, mark string, placeOf func(Row) Place) (page []Row, nextCursor string) {
	if len(rows) <= limit {
		return rows, ""
	}
	return rows[:limit], seal(mark, placeOf(rows[limit-1]))
}

// markOf tells a list from others by what it was asked for: a cursor of another one would leave rows out in silence.
func markOf(asked ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", asked))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}
