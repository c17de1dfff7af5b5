package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// journal adds the entries to the journal, those of a request with the action of ctx. It also adds to
// the daily counts how they change the number of undeleted memories. It does nothing without entries.
func journal(ctx context.Context, q *queries.Queries, agentID int64, happened ...records.JournalEntry) error {
	if len(happened) == 0 {
		return nil
	}
	_, err := q.InsertActivity(ctx, dbconv.All(happened, func(h records.JournalEntry) queries.InsertActivityParams {
		var action records.Action
		if h.Actor.IsRequest() {
			action = records.ActionOf(ctx)
		}
		return queries.InsertActivityParams{
			AgentID: agentID, At: h.At, MemoryID: dbconv.Optional(h.MemoryID), Name: h.Name, Kind: string(h.Kind), Actor: string(h.Actor),
			Path: h.Path, Session: dbconv.Optional(h.Session), State: dbconv.Optional(string(h.State)), Type: dbconv.Optional(string(h.Type)),
			RevisionID: dbconv.Optional(h.RevisionID), ModifiedAt: dbconv.OptionalTime(h.ModifiedAt), OtherName: dbconv.Optional(h.OtherName), Team: h.Team,
			Action: dbconv.Optional(action.ID), Browser: dbconv.Optional(action.Browser), Person: dbconv.Optional(action.Person),
		}
	}))
	if err != nil {
		return err
	}
	return addGrowth(ctx, q, agentID, happened)
}

// addGrowth adds to the daily counts, by day (UTC) and type, how the entries change the number of
// undeleted memories. It ignores entries without a state, and saves no change that others cancel
// out.
func addGrowth(ctx context.Context, q *queries.Queries, agentID int64, happened []records.JournalEntry) error {
	type key struct {
		day time.Time
		t   memories.Type
	}
	sums := map[key]int{}
	for _, h := range happened {
		if h.State == "" {
			continue
		}
		on := h.At.UTC().Truncate(day)
		if h.Before.IsLiving() {
			sums[key{on, h.Before.Type}]--
		}
		if (records.CountKey{State: h.State, Type: h.Type}).IsLiving() {
			sums[key{on, h.Type}]++
		}
	}
	params := queries.AddGrowthParams{AgentID: agentID}
	for k, delta := range sums {
		if delta != 0 {
			params.Days = append(params.Days, pgtype.Date{Time: k.day, Valid: true})
			params.Types = append(params.Types, string(k.t))
			params.Deltas = append(params.Deltas, int32(delta))
		}
	}
	if len(params.Days) == 0 {
		return nil
	}
	return q.AddGrowth(ctx, params)
}
