package api

import (
	"context"
	"strings"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// AsOf is the part of a request that asks for a past moment. It is exported because the framework passes over embedded
// structs that are not.
type AsOf struct {
	AsOf string `query:"as_of" doc:"RFC 3339, such as 2026-11-03T14:00:00Z: the state at that time; a future time counts as now. Purged memories and files are not included. Past lists are sorted by name, and do not take q, flagged and not_removed."`
}

// moment returns the moment that is asked for; zero for none, and for one that is not past yet.
func (p AsOf) moment(now time.Time) (time.Time, error) {
	if p.AsOf == "" {
		return time.Time{}, nil
	}
	// An offset's plus sign that was not escaped arrives as a space.
	at, err := time.Parse(time.RFC3339, strings.Replace(p.AsOf, " ", "+", 1))
	if err != nil {
		return time.Time{}, &memories.InvalidError{Field: "as_of", Reason: "is not a moment as in 2026-11-03T14:00:00Z"}
	}
	if at.IsZero() {
		at = at.Add(1) // the first moment there is, and not none
	}
	if at.After(now) {
		return time.Time{}, nil
	}
	return at, nil
}

// listPast answers a list of memories as they were.
func (a *api) listPast(ctx context.Context, row records.Agent, in *listMemoriesInput, at time.Time) (*answer[MemoryList], error) {
	if in.Q != "" {
		return nil, &memories.InvalidError{Field: "q", Reason: "cannot be given with as_of: the past is not indexed"}
	}
	if in.Flagged || in.NotRemoved {
		return nil, &memories.InvalidError{Field: "as_of", Reason: "cannot be given with flagged or not_removed: what was odd about files then is not kept"}
	}
	if in.Sort != "" && in.Sort != string(records.ByName) {
		return nil, &memories.InvalidError{Field: "sort", Reason: "can only be name with as_of"}
	}
	page, err := a.store.MemoriesAsOf(ctx, row, at, records.AsOfList{
		Type: memories.Type(in.Type), State: memories.State(in.State), Stale: in.Stale, Session: in.Session, Name: in.Name, Scope: memories.Scope(in.Scope), Limit: in.Limit, Cursor: in.Cursor,
	})
	return ok(memoryList(page, func(string) string { return "" }, at)), err
}
