package postgres

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
)

// Happening is one thing that happened to a memory, for the journal. It is written in the transaction in which it
// happens: exactly once, or not at all.
type Happening struct {
	At            time.Time
	Kind          memories.ActivityKind
	Actor         memories.Actor
	MemoryID      uuid.UUID // zero: a content was kept out of no memory
	Name          string
	Path, Session string
	// What the memory is from then on. An empty State says that it is what it was; Type is then that of a content which
	// was kept out or let in.
	State      memories.State
	Type       memories.Type
	RevisionID uuid.UUID // zero: its contents have gone with it
	ModifiedAt time.Time
	Before     Life
	Renamed    string // the memory's other name, where it was renamed
	Team       bool   // it is in team memory
}

// Life is what counts of a memory when memories are counted. The zero Life has not begun.
type Life struct {
	State memories.State
	Type  memories.Type
}

// Life returns what counts of the memory.
func (h Head) Life() Life { return Life{h.State, h.Type} }

func (l Life) goesOn() bool { return l.State != "" && l.State != memories.Deleted }

// HappensTo returns what happens to a memory that is h from then on, and was before what before says.
func HappensTo(h Head, before Life, at time.Time, kind memories.ActivityKind, actor memories.Actor) Happening {
	return Happening{
		At: at, Kind: kind, Actor: actor, MemoryID: h.UUID, Name: h.Name, Path: h.Path, Session: h.Session,
		State: h.State, Type: h.Type, RevisionID: h.RevisionID, ModifiedAt: h.ModifiedAt, Before: before, Team: h.Team,
	}
}

// happensLast is what ends a memory for good: its contents go with it, and it has been in the trash or goes there.
func happensLast(h Head, at time.Time, kind memories.ActivityKind, actor memories.Actor) Happening {
	end := HappensTo(h, h.Life(), at, kind, actor)
	end.State, end.RevisionID = memories.Deleted, uuid.Nil
	return end
}

// Clears is what happens when the entry of a file that could not be read goes.
func Clears(h Head, at time.Time, actor memories.Actor) Happening {
	return happensLast(h, at, memories.DidClear, actor)
}

// journal writes what happened, and how many more memories live by it.
func journal(ctx context.Context, q *queries.Queries, agentID int64, happened ...Happening) error {
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

func activityOf(agentID int64, h Happening) queries.InsertActivityParams {
	return queries.InsertActivityParams{
		AgentID: agentID, At: h.At, MemoryID: optionalID(h.MemoryID), Name: h.Name, Kind: string(h.Kind), Actor: string(h.Actor),
		Path: h.Path, Session: optional(h.Session), State: optional(string(h.State)), Type: optional(string(h.Type)),
		RevisionID: optionalID(h.RevisionID), ModifiedAt: optionalTime(h.ModifiedAt), Renamed: optional(h.Renamed), Team: h.Team,
	}
}

func addGrowth(ctx context.Context, q *queries.Queries, agentID int64, happened []Happening) error {
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
func growthOf(happened []Happening) []growth {
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
		if h.Before.goesOn() {
			sums[key{day, h.Before.Type}]--
		}
		if (Life{h.State, h.Type}).goesOn() {
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
