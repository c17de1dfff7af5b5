package postgres

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
)

// RecallList says which recalls of an agent are wanted.
type RecallList struct {
	AgentID int64
	Session string // empty: of all, and of none
	Limit   int    // 1 to MaxLimit
	Cursor  string // the NextCursor of the page before, for the same list
}

// RecallPage is one part of the records, newest first.
type RecallPage struct {
	Recalls    []PastRecall
	NextCursor string // empty: this is the end
}

// PastRecall is the record of a recall with what was handed out of it, the best first.
type PastRecall struct {
	Recall
	Memories []PastHandOut
}

// PastHandOut is a memory that was handed out. There says that it can still be read, if only from the trash.
type PastHandOut struct {
	HandedOut
	There bool
}

type recallPlace struct {
	At time.Time
	ID uuid.UUID
}

// Recalls returns one page of an agent's recalls, newest first. It fails with ErrCursor.
func (s *Store) Recalls(ctx context.Context, list RecallList) (RecallPage, error) {
	mark := markOf("recalls", list.AgentID, list.Session)
	before, err := unseal[recallPlace](mark, list.Cursor)
	if err != nil {
		return RecallPage{}, err
	}
	rows, err := s.recallsBefore(ctx, list, before)
	if err != nil {
		return RecallPage{}, wrap("list recalls", err)
	}
	page := RecallPage{}
	if len(rows) > list.Limit {
		rows = rows[:list.Limit]
		page.NextCursor = seal(mark, recallPlace{rows[list.Limit-1].At, rows[list.Limit-1].ID})
	}
	page.Recalls, err = s.withMemories(ctx, rows)
	return page, wrap("list recalls", err)
}

// recallsBefore reads one row more than are wanted.
func (s *Store) recallsBefore(ctx context.Context, list RecallList, before *recallPlace) ([]queries.Recall, error) {
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

func (s *Store) withMemories(ctx context.Context, rows []queries.Recall) ([]PastRecall, error) {
	recalls := make([]PastRecall, len(rows))
	ids := make([]uuid.UUID, len(rows))
	place := map[uuid.UUID]int{}
	for i, row := range rows {
		recall, err := recallOf(row)
		if err != nil {
			return nil, err
		}
		recalls[i].Recall, ids[i], place[row.ID] = recall, row.ID, i
	}
	given, err := s.q.RecalledBy(ctx, ids)
	for _, row := range given {
		m := PastHandOut{HandedOut{Choice{ID: row.MemoryID}, row.Name, int(row.Bytes)}, row.There}
		if err := json.Unmarshal(row.Why, &m.Why); err != nil {
			return nil, err
		}
		of := &recalls[place[row.RecallID]]
		of.Memories = append(of.Memories, m)
	}
	return recalls, err
}

// RecallCount is how many recalls there were of one kind.
type RecallCount struct {
	Recalls int
	Giving  int // of these, how many gave something
	// NoneOfMany is how many gave nothing although there were ManyCandidates or more to choose from.
	NoneOfMany int
}

// ManyCandidates is how many memories are enough that one of them should have been worth giving.
const ManyCandidates = 10

// RecallDay is how many recalls there were on one day, of one who asks and one way to choose.
type RecallDay struct {
	Day        time.Time // its beginning, in UTC
	AskedBy    string    // script, hook, mcp
	SelectedBy string    // model, keyword; empty: nothing was looked at
	RecallCount
}

// DaysUpTo returns when the first of so many days in UTC began, of which the last is that of now.
func DaysUpTo(now time.Time, days int) time.Time {
	return now.UTC().Truncate(day).AddDate(0, 0, 1-days)
}

// RecallsByDay returns how many recalls an agent had since then, in the order of the days; days without any are left out.
func (s *Store) RecallsByDay(ctx context.Context, agentID int64, since time.Time) ([]RecallDay, error) {
	rows, err := s.q.CountRecallsByDay(ctx, queries.CountRecallsByDayParams{AgentID: agentID, Since: since, Many: ManyCandidates})
	days := make([]RecallDay, len(rows))
	for i, row := range rows {
		days[i] = RecallDay{row.Day.Time, row.AskedBy, row.SelectedBy, RecallCount{int(row.Recalls), int(row.Giving), int(row.NoneOfMany)}}
	}
	return days, wrap("count recalls", err)
}

// RecallMedians returns the median of the time that choosing has taken since then, by the way in which it was done.
func (s *Store) RecallMedians(ctx context.Context, agentID int64, since time.Time) (map[string]time.Duration, error) {
	rows, err := s.q.RecallMedians(ctx, queries.RecallMediansParams{AgentID: agentID, Since: since})
	medians := make(map[string]time.Duration, len(rows))
	for _, row := range rows {
		medians[text(row.SelectedBy)] = time.Duration(row.Median) * time.Microsecond
	}
	return medians, wrap("measure recalls", err)
}

// RecalledMemory is a memory with how often it was given.
type RecalledMemory struct {
	memories.Memory     // its name, type and times
	Recalls         int // that gave it
	// Chances is how many recalls have looked at memories since it was learned, or since the time that is asked about.
	Chances int
}

// Extremes are the memories that recalls give most, and those that they never give.
type Extremes struct {
	// Most are those that were given most often, and MostTotal is how many were given at all.
	Most      []RecalledMemory
	MostTotal int
	// Never are those that were not given, first those that had the most chances, and NeverTotal is how many there are.
	Never      []RecalledMemory
	NeverTotal int
}

// RecallExtremes returns so many at most of each, by the recalls since then.
func (s *Store) RecallExtremes(ctx context.Context, agentID int64, since time.Time, most int) (Extremes, error) {
	var never []queries.NeverRecalledRow
	var always []queries.MostRecalledRow
	reading, readingCtx := errgroup.WithContext(ctx)
	reading.Go(func() (err error) {
		never, err = s.q.NeverRecalled(readingCtx, queries.NeverRecalledParams{AgentID: agentID, Since: since, Most: int32(most)})
		return err
	})
	reading.Go(func() (err error) {
		always, err = s.q.MostRecalled(readingCtx, queries.MostRecalledParams{AgentID: agentID, Since: since, Most: int32(most)})
		return err
	})
	if err := reading.Wait(); err != nil {
		return Extremes{}, wrap("count what was recalled", err)
	}
	var e Extremes
	for _, row := range never {
		e.NeverTotal = int(row.Total)
		e.Never = append(e.Never, recalledMemory(row.ID, agentID, row.Name, row.Type, row.ModifiedAt, row.CreatedAt, 0))
	}
	for _, row := range always {
		e.MostTotal = int(row.Total)
		e.Most = append(e.Most, recalledMemory(row.ID, agentID, row.Name, row.Type, row.ModifiedAt, row.CreatedAt, row.Recalls))
	}
	return e, s.countChances(ctx, agentID, since, e.Never, e.Most)
}

func recalledMemory(id uuid.UUID, agentID int64, name string, t *string, modified, created time.Time, recalls int64) RecalledMemory {
	return RecalledMemory{Memory: memories.Memory{
		ID: id.String(), AgentID: agentID, Name: name, Type: memories.Type(text(t)), ModifiedAt: modified.UTC(), CreatedAt: created.UTC(),
	}, Recalls: int(recalls)}
}

// countChances fills in how many recalls have looked at memories since each of these was learned, in one pass over them.
func (s *Store) countChances(ctx context.Context, agentID int64, since time.Time, lists ...[]RecalledMemory) error {
	var moments []time.Time
	for _, list := range lists {
		for _, m := range list {
			moments = append(moments, later(m.CreatedAt, since))
		}
	}
	if len(moments) == 0 {
		return nil
	}
	slices.SortFunc(moments, time.Time.Compare)
	rows, err := s.q.CountRecallsBetween(ctx, queries.CountRecallsBetweenParams{AgentID: agentID, Moments: moments})
	if err != nil {
		return wrap("count recalls", err)
	}
	chances := make([]int, len(moments)+1)
	for _, row := range rows {
		chances[row.Place-1] = int(row.Recalls)
	}
	for i := len(moments) - 1; i >= 0; i-- {
		chances[i] += chances[i+1]
	}
	for _, list := range lists {
		for i := range list {
			first, _ := slices.BinarySearchFunc(moments, later(list[i].CreatedAt, since), time.Time.Compare)
			list[i].Chances = chances[first]
		}
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// RecallsOfMemory is how often a memory was given, of what is still on record.
type RecallsOfMemory struct {
	Recalls int
	Last    time.Time // zero where there are none
	// Chances is how many recalls have looked at memories since it was learned; counted only where none gave it.
	Chances int
}

// RecallsOf returns how often a memory was given.
func (s *Store) RecallsOf(ctx context.Context, m memories.Memory) (RecallsOfMemory, error) {
	id, err := parseID(m.ID)
	if err != nil {
		return RecallsOfMemory{}, err
	}
	row, err := s.q.RecallsOfMemory(ctx, queries.RecallsOfMemoryParams{AgentID: m.AgentID, MemoryID: id})
	if err != nil {
		return RecallsOfMemory{}, wrap("count the recalls of a memory", err)
	}
	if row.Recalls > 0 {
		return RecallsOfMemory{Recalls: int(row.Recalls), Last: row.Last.UTC()}, nil
	}
	never := []RecalledMemory{{Memory: m}}
	err = s.countChances(ctx, m.AgentID, m.CreatedAt, never)
	return RecallsOfMemory{Chances: never[0].Chances}, err
}
