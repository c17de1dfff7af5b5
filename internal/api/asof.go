package api

import (
	"time"

	"memoir/internal/memories"
)

// AsOf is the part of a request that asks for a past moment. It is exported because the framework passes over embedded
// structs that are not.
type AsOf struct {
	AsOf memories.Moment `query:"as_of" doc:"RFC 3339, such as 2026-11-03T14:00:00Z: the state at that time; a future time counts as now. Purged memories and files are not included. Past lists are sorted by name, and do not take q, flagged and not_removed."`
}

// moment returns the moment that is asked for; zero for none, and for one that is not past yet.
func (p AsOf) moment(now time.Time) (time.Time, error) {
	if p.AsOf == "" {
		return time.Time{}, nil
	}
	if err := (memories.Filter{AsOf: p.AsOf}).Check(); err != nil {
		return time.Time{}, err
	}
	at := p.AsOf.Time()
	if at.IsZero() {
		at = at.Add(1) // the first moment there is, and not none
	}
	if at.After(now) {
		return time.Time{}, nil
	}
	return at, nil
}
