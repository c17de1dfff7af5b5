package recalled

import (
	"context"
	"slices"
	"time"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// timed is the number of latest recalls from which the median times are computed. It is arbitrary.
const timed = 2000

// RecallUse returns statistics of the agent's recalls in the last days (UTC), today included:
// numbers by day, and median times of the last 2,000. It adds the memories that were returned most
// often and those never returned, at most most of each, or none if most is 0. now is the current time; days must be
// positive.
func (r *Reads) RecallUse(ctx context.Context, agentID int64, now time.Time, days, most int) (records.RecallUse, error) {
	beginnings := records.DaysUpTo(now, days)
	use := records.RecallUse{Medians: map[string]time.Duration{}}
	byDay, err := r.q.CountRecallsByDay(ctx, queries.CountRecallsByDayParams{AgentID: agentID, Days: beginnings, Many: records.ManyCandidates})
	if err != nil {
		return use, dberr.Wrap("count recalls", err)
	}
	for _, row := range byDay {
		use.Days = append(use.Days, records.RecallDay{
			Day: row.Day.UTC(), AskedBy: row.AskedBy, SelectedBy: row.SelectedBy, Recalls: int(row.Recalls), Giving: int(row.Giving), NoneOfMany: int(row.NoneOfMany),
		})
	}
	medians, err := r.q.RecallMedians(ctx, queries.RecallMediansParams{AgentID: agentID, Since: beginnings[0], Most: timed})
	if err != nil {
		return use, dberr.Wrap("count recalls", err)
	}
	for _, row := range medians {
		use.Medians[dbconv.OrZero(row.SelectedBy)] = time.Duration(row.Median) * time.Microsecond
	}
	if most == 0 {
		return use, nil
	}
	return use, dberr.Wrap("count recalls", r.readExtremes(ctx, agentID, beginnings[0], most, &use))
}

// readExtremes sets Most, Never and their totals in use: the agent's memories that recalls since a
// time have returned most often, and never. It reads at most most of each, and sets their Chances.
// It omits unreadable and deleted memories.
func (r *Reads) readExtremes(ctx context.Context, agentID int64, since time.Time, most int, use *records.RecallUse) error {
	rows, err := r.q.RecallExtremes(ctx, queries.RecallExtremesParams{AgentID: agentID, Since: since, Most: int32(most)})
	if err != nil {
		return err
	}
	for _, row := range rows {
		m := records.RecalledMemory{Memory: memories.Memory{
			ID: row.ID.String(), AgentID: agentID, Name: row.Name, Type: memories.Type(dbconv.OrZero(row.Type)), ModifiedAt: row.ModifiedAt.UTC(), CreatedAt: row.CreatedAt.UTC(),
		}, Recalls: int(row.Recalls)}
		if m.Recalls == 0 {
			use.Never, use.NeverTotal = append(use.Never, m), int(row.Total)
		} else {
			use.Most, use.MostTotal = append(use.Most, m), int(row.Total)
		}
	}
	return r.countChances(ctx, agentID, since, use.Never, use.Most)
}

// countChances sets Chances in each memory of the lists: how many recalls have considered memories
// since it was created, without those before since. Chances is at least the memory's Recalls. To
// count each span between two creations once, it sums up the spans from the last to the first.
func (r *Reads) countChances(ctx context.Context, agentID int64, since time.Time, lists ...[]records.RecalledMemory) error {
	var learned []time.Time
	for _, list := range lists {
		for _, m := range list {
			learned = append(learned, later(m.CreatedAt, since))
		}
	}
	if len(learned) == 0 {
		return nil
	}
	slices.SortFunc(learned, time.Time.Compare)
	learned = slices.CompactFunc(learned, time.Time.Equal)
	rows, err := r.q.CountRecallsBetween(ctx, queries.CountRecallsBetweenParams{AgentID: agentID, Beginnings: learned, Ends: append(learned[1:len(learned):len(learned)], never)})
	if err != nil {
		return err
	}
	chances := make([]int, len(learned)+1)
	for _, row := range rows {
		chances[row.Place-1] = int(row.Recalls)
	}
	for i := len(learned) - 1; i >= 0; i-- {
		chances[i] += chances[i+1]
	}
	for _, list := range lists {
		for i := range list {
			place, _ := slices.BinarySearchFunc(learned, later(list[i].CreatedAt, since), time.Time.Compare)
			// The clock of another server may be ahead.
			list[i].Chances = max(chances[place], list[i].Recalls)
		}
	}
	return nil
}

// never is a time after all others.
var never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// RecallsOf returns how often recalls have returned a memory, and when last. Only if none has, it
// returns as Chances how many recalls have considered memories since m.CreatedAt. It fails with
// memories.ErrNotFound if m.ID is malformed; an unknown id gives 0 recalls.
func (r *Reads) RecallsOf(ctx context.Context, m memories.Memory) (records.RecallsOfMemory, error) {
	id, err := dbconv.ParseID(m.ID)
	if err != nil {
		return records.RecallsOfMemory{}, err
	}
	row, err := r.q.RecallsOfMemory(ctx, queries.RecallsOfMemoryParams{AgentID: m.AgentID, MemoryID: id})
	if err != nil {
		return records.RecallsOfMemory{}, dberr.Wrap("count the recalls of a memory", err)
	}
	if row.Recalls > 0 {
		return records.RecallsOfMemory{Recalls: int(row.Recalls), Last: row.Last.UTC()}, nil
	}
	unrecalled := []records.RecalledMemory{{Memory: m}}
	err = r.countChances(ctx, m.AgentID, m.CreatedAt, unrecalled)
	return records.RecallsOfMemory{Chances: unrecalled[0].Chances}, dberr.Wrap("count recalls", err)
}
