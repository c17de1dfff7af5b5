package postgres

import (
	"context"
	"maps"
	"time"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

const day = 24 * time.Hour

// Growth returns, for each of the agents, the number of undeleted memories by type at the end of
// some days, oldest first. There are at most points days, evenly spread from since to until, both
// included. A zero since means the first day in these agents' journal. Memories that were purged
// since count as long as they existed.
func (s *Store) Growth(ctx context.Context, agentIDs []int64, since, until time.Time, points int) (map[int64][]records.GrowthPoint, error) {
	rows, err := s.q.Growth(ctx, agentIDs)
	if err != nil {
		return nil, dberr.Wrap("read the growth", err)
	}
	byAgent := map[int64][]queries.MemoryGrowth{}
	first := until
	for _, row := range rows {
		byAgent[row.AgentID] = append(byAgent[row.AgentID], row)
		if row.Day.Time.Before(first) && !row.Day.Time.Before(memories.KnownSince) {
			first = row.Day.Time
		}
	}
	if since.IsZero() {
		since = first
	}
	days := spread(since, until, points)
	grown := make(map[int64][]records.GrowthPoint, len(agentIDs))
	for _, id := range agentIDs {
		grown[id] = accumulate(byAgent[id], days)
	}
	return grown, nil
}

// spread returns the beginnings (UTC) of at most points days from since to until, both included,
// evenly spread, oldest first. If points is below 2 or since is not before until, it returns only
// the day of until.
func spread(since, until time.Time, points int) []time.Time {
	since, until = since.UTC().Truncate(day), until.UTC().Truncate(day)
	between := max(0, int(until.Sub(since)/day))
	points = max(1, min(points, between+1))
	days := make([]time.Time, points)
	for i := range days {
		days[i] = until
		if points > 1 {
			days[i] = since.Add(time.Duration(i*between/(points-1)) * day)
		}
	}
	return days
}

// accumulate returns, for each day, the number of undeleted memories by type at its end. changes
// are those of one agent, by day. Both lists must be in ascending order. It omits types without a
// memory.
func accumulate(changes []queries.MemoryGrowth, days []time.Time) []records.GrowthPoint {
	alive := records.Alive{}
	points := make([]records.GrowthPoint, len(days))
	for i, d := range days {
		for len(changes) > 0 && !changes[0].Day.Time.After(d) {
			alive[memories.Type(changes[0].Type)] += int(changes[0].Delta)
			changes = changes[1:]
		}
		points[i] = records.GrowthPoint{Day: d, Alive: maps.Clone(alive)}
		maps.DeleteFunc(points[i].Alive, func(_ memories.Type, n int) bool { return n == 0 })
	}
	return points
}

// Ages returns, for each of the agents, the number of undeleted memories by type, with one entry
// for each age range in records.AgeBounds. The age is the time from the last modification to now.
// It omits unreadable files and memories without a known modification time. Ranges without a memory
// have an empty Alive.
func (s *Store) Ages(ctx context.Context, agentIDs []int64, now time.Time) (map[int64][]records.Alive, error) {
	bounds := dbconv.All(records.AgeBounds[1:], func(days int) float64 { return float64(days) })
	rows, err := s.q.Ages(ctx, queries.AgesParams{Now: now, Bounds: bounds, AgentIds: agentIDs, KnownSince: memories.KnownSince})
	if err != nil {
		return nil, dberr.Wrap("read the ages", err)
	}
	ages := make(map[int64][]records.Alive, len(agentIDs))
	for _, id := range agentIDs {
		ages[id] = make([]records.Alive, len(records.AgeBounds))
		for i := range ages[id] {
			ages[id][i] = records.Alive{}
		}
	}
	for _, row := range rows {
		ages[row.AgentID][row.Bucket][memories.Type(row.Type)] += int(row.N)
	}
	return ages, nil
}
