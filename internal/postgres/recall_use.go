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

// RecallUse is how often an agent was given something.
type RecallUse struct {
	// Days are in order; a day has an entry for each who asked and each way to choose, and none without recalls.
	Days []RecallDay
	// Medians are of the time that choosing took lately, by the way.
	Medians map[string]time.Duration
	// Most are the memories that were given most often, of MostTotal that were given at all.
	Most      []RecalledMemory
	MostTotal int
	// Never are memories that were not given, first those that were there the longest, of NeverTotal that there are.
	Never      []RecalledMemory
	NeverTotal int
}

// RecallDay is how many recalls there were on one day, of one who asks and one way to choose.
type RecallDay struct {
	Day        time.Time // its beginning, in UTC
	AskedBy    string    // script, hook, mcp
	SelectedBy string    // model, keyword; empty: nothing was looked at
	Recalls    int
	Giving     int // of these, how many gave something
	// NoneOfMany is how many gave nothing although there were ManyCandidates or more to choose from.
	NoneOfMany int
}

const (
	// ManyCandidates is how many memories are enough that one of them should have been worth giving.
	ManyCandidates = 10
	// timed is of how many recalls at most the median is taken, the last ones.
	timed = 2000
)

// RecalledMemory is a memory with how often it was given.
type RecalledMemory struct {
	memories.Memory     // its name, type and times
	Recalls         int // that gave it
	// Chances is how many recalls have looked at memories since it was learned, of those that are counted.
	Chances int
}

// RecallUse counts the recalls of so many days in UTC, of which the last is that of now. most bounds how many memories are named that
// were given most, and never.
func (s *Store) RecallUse(ctx context.Context, agentID int64, now time.Time, days, most int) (RecallUse, error) {
	beginnings := DaysUpTo(now, days)
	use := RecallUse{Medians: map[string]time.Duration{}}
	reading, readingCtx := errgroup.WithContext(ctx)
	reading.Go(func() error {
		rows, err := s.q.CountRecallsByDay(readingCtx, queries.CountRecallsByDayParams{AgentID: agentID, Days: beginnings, Many: ManyCandidates})
		for _, row := range rows {
			use.Days = append(use.Days, RecallDay{row.Day.UTC(), row.AskedBy, row.SelectedBy, int(row.Recalls), int(row.Giving), int(row.NoneOfMany)})
		}
		return err
	})
	reading.Go(func() error {
		rows, err := s.q.RecallMedians(readingCtx, queries.RecallMediansParams{AgentID: agentID, Since: beginnings[0], Most: timed})
		for _, row := range rows {
			use.Medians[text(row.SelectedBy)] = time.Duration(row.Median) * time.Microsecond
		}
		return err
	})
	reading.Go(func() error { return s.readExtremes(readingCtx, agentID, beginnings[0], most, &use) })
	return use, wrap("count recalls", reading.Wait())
}

// DaysUpTo returns when each of so many days in UTC began, of which the last is that of now.
func DaysUpTo(now time.Time, days int) []time.Time {
	beginnings := make([]time.Time, days)
	for i := range beginnings {
		beginnings[i] = now.UTC().Truncate(day).AddDate(0, 0, i+1-days)
	}
	return beginnings
}

// readExtremes fills in what was given most, and never.
func (s *Store) readExtremes(ctx context.Context, agentID int64, since time.Time, most int, use *RecallUse) error {
	rows, err := s.q.RecallExtremes(ctx, queries.RecallExtremesParams{AgentID: agentID, Since: since, Most: int32(most)})
	if err != nil {
		return err
	}
	for _, row := range rows {
		m := RecalledMemory{Memory: memories.Memory{
			ID: row.ID.String(), AgentID: agentID, Name: row.Name, Type: memories.Type(text(row.Type)), ModifiedAt: row.ModifiedAt.UTC(), CreatedAt: row.CreatedAt.UTC(),
		}, Recalls: int(row.Recalls)}
		if m.Recalls == 0 {
			use.Never, use.NeverTotal = append(use.Never, m), int(row.Total)
		} else {
			use.Most, use.MostTotal = append(use.Most, m), int(row.Total)
		}
	}
	return s.countChances(ctx, agentID, since, use.Never, use.Most)
}

// countChances fills in how many recalls have looked at memories since each of these was learned, or since then. Each recall is
// counted once, in the time between two of them.
func (s *Store) countChances(ctx context.Context, agentID int64, since time.Time, lists ...[]RecalledMemory) error {
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
			// By the clock of another server a memory may have been given before it was learned.
			list[i].Chances = max(chances[place], list[i].Recalls)
		}
	}
	return nil
}

// never is after everything that happens.
var never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

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
	unrecalled := []RecalledMemory{{Memory: m}}
	err = s.countChances(ctx, m.AgentID, m.CreatedAt, unrecalled)
	return RecallsOfMemory{Chances: unrecalled[0].Chances}, wrap("count recalls", err)
}
