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

// journal writes what happened, and how many more memories live by it.
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
		RevisionID: optionalID(h.RevisionID), ModifiedAt: optionalTime(h.ModifiedAt), Renamed: optional(h.Renamed), Team: h.Team,
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
		params.Alive = append(params.Alive, int32(g.alive))
	}
	return q.AddGrowth(ctx, params)
}

// growth is by how many the living memories of a type have become more on a day.
type growth struct {
	day   time.Time
	t     memories.Type
	alive int
}

// growthOf sums up what happened, in the order of days and types, leaving out what comes to nothing.
func growthOf(happened []records.JournalEntry) []growth {
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
	grown := make([]growth, 0, len(sums))
	for k, n := range sums {
		if n != 0 {
			grown = append(grown, growth{k.day, k.t, n})
		}
	}
	slices.SortFunc(grown, func(a, b growth) int { return cmp.Or(a.day.Compare(b.day), cmp.Compare(a.t, b.t)) })
	return grown
}
