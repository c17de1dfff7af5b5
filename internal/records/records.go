// Package records has the plain values that the database keeps: agents, memories, files, revisions,
// the journal, logs, plans, proposals, recalls, verifications and jobs, with their states and
// limits, and the arguments and results of reading them. It has no SQL and does no I/O, and it does
// not decide what a row means. Package postgres stores and reads these values; all other packages
// use them without knowing it:
//
//	page, err := store.Memories(ctx, agent, records.MemoryList{Type: memories.User, Limit: records.MaxLimit})
package records

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Now returns the current time in UTC, in the microseconds that Postgres keeps, so that a stored
// time equals the one that is read back.
func Now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// CanBeText reports whether Postgres stores s as text: it is valid UTF-8 without NUL. No row has
// any other text.
func CanBeText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }
