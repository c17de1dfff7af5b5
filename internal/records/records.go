// Package records has the plain values that the database keeps: agents, memories, files, revisions,
// the journal, logs, plans, proposals, recalls, verifications and jobs, with their states and
// limits, and the arguments and results of reading them. It has no SQL and does no I/O, and it does
// not decide what a row means. Package postgres stores and reads these values; all other packages
// use them without knowing it:
//
//	page, err := store.Memories(ctx, agent, memories.Filter{}, memories.PageRequest{Limit: 10})
package records

import "time"

// Now returns the current time in UTC, cut off to microseconds. Postgres stores no finer times, so
// a stored time equals the one that is read back.
func Now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }
