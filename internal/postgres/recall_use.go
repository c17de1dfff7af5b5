package postgres

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/paging"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Recalls returns one page of an agent's recalls, newest first, each with the memories that it
// returned, best first. list.Session selects one session; if it is empty, all recalls are returned.
// It fails with records.ErrCursor if the cursor is not of this list.
func (s *Store) Recalls(ctx context.Context, list records.RecallList) (records.RecallPage, error) {
	mark := paging.Mark("recalls", list.AgentID, list.Session)
	before, err := paging.Unseal[paging.Time](mark, list.Cursor)
	if err != nil {
		return records.RecallPage{}, err
	}
	rows, err := s.recallsBefore(ctx, list, before)
	if err != nil {
		return records.RecallPage{}, dberr.Wrap("list recalls", err)
	}
	page := records.RecallPage{}
	rows, page.NextCursor = paging.Cut(rows, list.Limit, mark, func(last queries.Recall) paging.Time {
		return paging.Time{At: last.At, ID: last.ID}
	})
	page.Recalls, err = s.withMemories(ctx, rows)
	return page, dberr.Wrap("list recalls", err)
}

// recallsBefore returns the rows of one page of recalls, newest first, and one more if there is a
// next page. before is the place of the last recall of the page before, or nil.
func (s *Store) recallsBefore(ctx context.Context, list records.RecallList, before *paging.Time) ([]queries.Recall, error) {
	var at *time.Time
	var id *uuid.UUID
	if before != nil {
		at, id = &before.At, &before.ID
	}
	most := int32(list.Limit + 1)
	if list.Session == "" {
		return s.q.ListRecalls(ctx, queries.ListRecallsParams{AgentID: list.AgentID, Before: at, BeforeID: id, Most: most})
	}
	return s.q.ListRecallsOfSession(ctx, queries.ListRecallsOfSessionParams{AgentID: list.AgentID, Session: list.Session, Before: at, BeforeID: id, Most: most})
}

// withMemories converts the rows into recalls, in the same order, and reads the memories that they
// returned, best first.
func (s *Store) withMemories(ctx context.Context, rows []queries.Recall) ([]records.PastRecall, error) {
	recalls := make([]records.PastRecall, len(rows))
	ids := make([]uuid.UUID, len(rows))
	place := map[uuid.UUID]int{}
	for i, row := range rows {
		recall, err := recallOf(row)
		if err != nil {
			return nil, err
		}
		recalls[i].Recall, ids[i], place[row.ID] = recall, row.ID, i
	}
	items, err := s.q.RecallItems(ctx, ids)
	for _, row := range items {
		m := records.PastDelivery{DeliveredMemory: records.DeliveredMemory{RecallChoice: records.RecallChoice{ID: row.MemoryID}, Name: row.Name, Bytes: int(row.Bytes)}, There: row.There}
		if err := json.Unmarshal(row.Why, &m.Why); err != nil {
			return nil, err
		}
		of := &recalls[place[row.RecallID]]
		of.Memories = append(of.Memories, m)
	}
	return recalls, err
}

// timed is the number of latest recalls from which the median times are computed. It is arbitrary.
const timed = 2000

// RecallUse returns statistics of the agent's recalls in the last days (UTC), today included:
// numbers by day, and median times of the last 2,000. It adds the memories that were returned most
// often and those never returned, at most most of each. now is the current time; days must be
// positive.
func (s *Store) RecallUse(ctx context.Context, agentID int64, now time.Time, days, most int) (records.RecallUse, error) {
	beginnings := records.DaysUpTo(now, days)
	use := records.RecallUse{Medians: map[string]time.Duration{}}
	byDay, err := s.q.CountRecallsByDay(ctx, queries.CountRecallsByDayParams{AgentID: agentID, Days: beginnings, Many: records.ManyCandidates})
	if err != nil {
		return use, dberr.Wrap("count recalls", err)
	}
	for _, row := range byDay {
		use.Days = append(use.Days, records.RecallDay{
			Day: row.Day.UTC(), AskedBy: row.AskedBy, SelectedBy: row.SelectedBy, Recalls: int(row.Recalls), Giving: int(row.Giving), NoneOfMany: int(row.NoneOfMany),
		})
	}
	medians, err := s.q.RecallMedians(ctx, queries.RecallMediansParams{AgentID: agentID, Since: beginnings[0], Most: timed})
	if err != nil {
		return use, dberr.Wrap("count recalls", err)
	}
	for _, row := range medians {
		use.Medians[dbconv.OrZero(row.SelectedBy)] = time.Duration(row.Median) * time.Microsecond
	}
	return use, dberr.Wrap("count recalls", s.readExtremes(ctx, agentID, beginnings[0], most, &use))
}

// readExtremes sets Most, Never and their totals in use: the agent's memories that recalls since a
// time have returned most often, and never. It reads at most most of each, and sets their Chances.
// It omits unreadable and deleted memories.
func (s *Store) readExtremes(ctx context.Context, agentID int64, since time.Time, most int, use *records.RecallUse) error {
	rows, err := s.q.RecallExtremes(ctx, queries.RecallExtremesParams{AgentID: agentID, Since: since, Most: int32(most)})
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
	return s.countChances(ctx, agentID, since, use.Never, use.Most)
}

// countChances sets Chances in each memory of the lists: how many recalls have considered memories
// since it was created, without those before since. Chances is at least the memory's Recalls. To
// count each span between two creations once, it sums up the spans from the last to the first.
func (s *Store) countChances(ctx context.Context, agentID int64, since time.Time, lists ...[]records.RecalledMemory) error {
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
	rows, err := s.q.CountRecallsBetween(ctx, queries.CountRecallsBetweenParams{AgentID: agentID, Beginnings: learned, Ends: append(learned[1:len(learned):len(learned)], never)})
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
func (s *Store) RecallsOf(ctx context.Context, m memories.Memory) (records.RecallsOfMemory, error) {
	id, err := dbconv.ParseID(m.ID)
	if err != nil {
		return records.RecallsOfMemory{}, err
	}
	row, err := s.q.RecallsOfMemory(ctx, queries.RecallsOfMemoryParams{AgentID: m.AgentID, MemoryID: id})
	if err != nil {
		return records.RecallsOfMemory{}, dberr.Wrap("count the recalls of a memory", err)
	}
	if row.Recalls > 0 {
		return records.RecallsOfMemory{Recalls: int(row.Recalls), Last: row.Last.UTC()}, nil
	}
	unrecalled := []records.RecalledMemory{{Memory: m}}
	err = s.countChances(ctx, m.AgentID, m.CreatedAt, unrecalled)
	return records.RecallsOfMemory{Chances: unrecalled[0].Chances}, dberr.Wrap("count recalls", err)
}

// RecordMemoryRead counts that an agent has read the file at path, relative to its directory, for the
// memory of that file. It does nothing for another file.
func (s *Store) RecordMemoryRead(ctx context.Context, agentID int64, path string, at time.Time) error {
	return dberr.Wrap("record a read", s.q.RecordMemoryRead(ctx, queries.RecordMemoryReadParams{AgentID: agentID, Path: path, At: at}))
}

// RecordIndexLoaded counts that a conversation has loaded the agent's MEMORY.md, for each memory whose
// line is within the limits. A second call with the same session counts nothing.
func (s *Store) RecordIndexLoaded(ctx context.Context, agentID int64, session string, at time.Time) error {
	return dberr.Wrap("record a loaded index", s.q.RecordIndexLoaded(ctx, queries.RecordIndexLoadedParams{AgentID: agentID, Session: session, At: at}))
}
