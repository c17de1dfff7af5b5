package api

import (
	"time"

	"memoir/internal/memories"
)

// AsOf contains the query parameter for a past moment. It is exported because huma ignores embedded
// structs that are unexported.
type AsOf struct {
	AsOf memories.Moment `query:"as_of" doc:"RFC 3339, such as 2026-11-03T14:00:00Z: the state at that time; a future time counts as now. Purged memories and files are not included. Past lists are sorted by name, and do not take q, flagged and not_removed."`
}

// moment returns the requested time. It returns the zero time, which means the current state, if no
// time was given or if it is after now. For a malformed time, it returns *memories.InvalidError.
func (p AsOf) moment(now time.Time) (time.Time, error) {
	if p.AsOf == "" {
		return time.Time{}, nil
	}
	if err := (memories.Filter{AsOf: p.AsOf}).Check(); err != nil {
		return time.Time{}, err
	}
	at := p.AsOf.Time()
	if at.IsZero() {
		at = at.Add(1) // the zero time means that none was given
	}
	if at.After(now) {
		return time.Time{}, nil
	}
	return at, nil
}
