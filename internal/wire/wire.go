// Package wire defines the JSON of the API's responses about agents and memories: one struct for
// each, and a function that fills it. Empty texts, unknown numbers and unset times are null. It
// does not read the database. The API sends these structs. The command line reads them from a
// server, and prints them when it works without one.
//
//	answer := wire.MemoryOf(m, agent.ClaudeMD.Problem, time.Now())
package wire

import "time"

// List returns the results of convert for each element of all, in order. The result is empty, not
// nil, if all is empty, so that its JSON is [].
func List[A, B any](all []A, convert func(A) B) []B {
	list := make([]B, len(all))
	for i, a := range all {
		list[i] = convert(a)
	}
	return list
}

// Text returns a pointer to a copy of s, or nil if s is empty.
func Text[S ~string](s S) *string {
	if s == "" {
		return nil
	}
	plain := string(s)
	return &plain
}

// Moment returns a pointer to t in UTC, or nil if t is zero.
func Moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// Count returns a pointer to a copy of n, or nil if n is 0.
func Count(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}
