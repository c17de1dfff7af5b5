package postgres

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// journal adds journal entries and updates the daily growth.
func journal(ctx context.Context, q *queries.Queries, agentID int64, happened ...records.JournalEntry) error {
	if len(happened) == 0 {
		return nil
	}
	rows := make([]queries.InsertActivityParams, len(happened))
	for i, h := range happened {
		rows[i] = activityOf(agentID, h)
	}
	if _, err := q.InsertActivity(ctx, rows); err != nil {
		return err
	}
	return addGrowth(ctx, q, agentID, happened)
}

func activityOf(agentID int64, h records.JournalEntry) queries.InsertActivityParams {
	return queries.InsertActivityParams{
		AgentID: agentID, At: h.At, MemoryID: optionalID(h.MemoryID), Name: h.Name, Kind: string(h.Kind), Actor: string(h.Actor),
		Path: h.Path, Session: optional(h.Session), State: optional(string(h.State)), Type: optional(string(h.Type)),
		RevisionID: optionalID(h.RevisionID), ModifiedAt: optionalTime(h.ModifiedAt), OtherName: optional(h.OtherName), Team: h.Team,
	}
}

func addGrowth(ctx context.Context, q *queries.Queries, agentID int64, happened []records.JournalEntry) error {
	grown := growthOf(happened)
	if len(grown) == 0 {
		return nil
	}
	params := queries.AddGrowthParams{AgentID: agentID}
	for _, g := range grown {
		params.Days = append(params.Days, pgtype.Date{Time: g.day, Valid: true})
		params.Types = append(params.Types, string(g.t))
		params.Deltas = append(params.Deltas, int32(g.delta))
	}
	return q.AddGrowth(ctx, params)
}

// growthDelta is the change of the number of living memories of a type on a day.
type growthDelta struct {
	day   time.Time
	t     memories.Type
	delta int
}

// growthOf sums the entries by day and type, without zero sums.
func growthOf(happened []records.JournalEntry) []growthDelta {
	type key struct {
		day time.Time
		t   memories.Type
	}
	sums := map[key]int{}
	for _, h := range happened {
		if h.State == "" {
			continue
		}
		day := h.At.UTC().Truncate(24 * time.Hour)
		if h.Before.IsLiving() {
			sums[key{day, h.Before.Type}]--
		}
		if (records.CountKey{State: h.State, Type: h.Type}).IsLiving() {
			sums[key{day, h.Type}]++
		}
	}
	grown := make([]growthDelta, 0, len(sums))
	for k, n := range sums {
		if n != 0 {
			grown = append(grown, growthDelta{k.day, k.t, n})
		}
	}
	slices.SortFunc(grown, func(a, b growthDelta) int { return cmp.Or(a.day.Compare(b.day), cmp.Compare(a.t, b.t)) })
	return grown
}
