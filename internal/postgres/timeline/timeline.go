// Package timeline has the statements about events over time: what happened to memories, what
// sessions learned and were given, and the names of their persons and channels.
package timeline

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/paging"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/postgres/visible"
	"memoir/internal/records"
)

// Events reads the timeline of all agents. It is safe for concurrent use.
type Events struct{ q *queries.Queries }

// New returns the Events of a database.
func New(pool *visible.Pool) *Events { return &Events{queries.New(pool)} }

var _ records.Timeline = (*Events)(nil)

// endOfTime is later than any event.
var endOfTime = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// TimelineEvents returns the newest list.Limit events that the list selects, the newest first. It
// fails with memories.ErrNotFound if list.MemoryID is malformed.
func (e *Events) TimelineEvents(ctx context.Context, list records.TimelineList) ([]records.TimelineEvent, error) {
	until := list.Until
	if until.IsZero() {
		until = endOfTime
	}
	var memory *uuid.UUID
	if list.MemoryID != "" {
		id, err := dbconv.ParseID(list.MemoryID)
		if err != nil {
			return nil, err
		}
		memory = &id
	}
	found, err := e.entries(ctx, list, until, memory)
	if err != nil {
		return nil, err
	}
	scans, err := e.firstScans(ctx, list, until)
	if err != nil {
		return nil, err
	}
	recalls, err := e.recalls(ctx, list, until, memory)
	if err != nil {
		return nil, err
	}
	found = slices.Concat(found, scans, recalls)
	slices.SortFunc(found, records.TimelineEvent.Compare)
	return found[:min(len(found), list.Limit)], nil
}

func (e *Events) entries(ctx context.Context, list records.TimelineList, until time.Time, memory *uuid.UUID) ([]records.TimelineEvent, error) {
	if list.Kind == records.KindRecalled {
		return nil, nil
	}
	query := queries.TimelineEntriesParams{
		AgentIds: list.AgentIDs, Until: until, Kind: string(list.Kind), Actor: string(list.Actor), Session: list.Session,
		MemoryID: memory, Pattern: pattern(list.Words), Most: int32(list.Limit),
	}
	if list.FirstScan != records.EachMemory {
		isFirst := list.FirstScan == records.OnlyThese
		query.FirstScan = &isFirst
	}
	rows, err := e.q.TimelineEntries(ctx, query)
	return dbconv.Rows("read the timeline", rows, err, func(row queries.TimelineEntriesRow) records.TimelineEvent {
		return records.TimelineEvent{
			AgentID: row.AgentID, At: row.At.UTC(), ID: row.ID, Kind: memories.ActivityKind(row.Kind), Actor: memories.Actor(row.Actor),
			Session: dbconv.OrZero(row.Session), Action: dbconv.OrZero(row.Action), Browser: dbconv.OrZero(row.Browser), Person: dbconv.OrZero(row.Person),
		}
	})
}

// firstScans returns an event for each first scan that found memories, if list has them.
func (e *Events) firstScans(ctx context.Context, list records.TimelineList, until time.Time) ([]records.TimelineEvent, error) {
	if list.FirstScan != records.OneEvent || list.Kind != "" && list.Kind != memories.ActivityLearned {
		return nil, nil
	}
	rows, err := e.q.FirstScans(ctx, queries.FirstScansParams{AgentIds: list.AgentIDs, Until: until, Actor: string(list.Actor)})
	return dbconv.Rows("count the memories of first scans", rows, err, func(row queries.FirstScansRow) records.TimelineEvent {
		return records.TimelineEvent{
			AgentID: row.ID, At: row.CreatedAt.UTC(), ID: -row.ID, Kind: memories.ActivityLearned, Actor: memories.ByMemoir, FirstScan: int(row.N),
		}
	})
}

func (e *Events) recalls(ctx context.Context, list records.TimelineList, until time.Time, memory *uuid.UUID) ([]records.TimelineEvent, error) {
	if list.FirstScan == records.OnlyThese || !isOfRecalls(list) {
		return nil, nil
	}
	rows, err := e.q.TimelineRecalls(ctx, queries.TimelineRecallsParams{
		AgentIds: list.AgentIDs, Until: until, Session: list.Session, MemoryID: memory, Pattern: pattern(list.Words), Most: int32(list.Limit),
	})
	return dbconv.Rows("read the recalls of the timeline", rows, err, func(row queries.TimelineRecallsRow) records.TimelineEvent {
		return records.TimelineEvent{
			AgentID: row.AgentID, At: row.At.UTC(), RecallID: row.ID, Kind: records.KindRecalled, Actor: memories.BySession,
			Session: dbconv.OrZero(row.Session),
		}
	})
}

// isOfRecalls reports whether the list can have recalls. Their actor is the session.
func isOfRecalls(l records.TimelineList) bool {
	return (l.Kind == "" || l.Kind == records.KindRecalled) && (l.Actor == "" || l.Actor == memories.BySession)
}

// pattern returns the LIKE pattern of texts that contain words, or "" without words.
func pattern(words string) string {
	if words == "" {
		return ""
	}
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(words) + "%"
}

// EventDetails returns the details of each of the events, in the same order. The details of an event
// that does not exist are zero.
func (e *Events) EventDetails(ctx context.Context, events []records.TimelineEvent) ([]records.EventDetails, error) {
	entries, err := e.entryDetails(ctx, events)
	if err != nil {
		return nil, err
	}
	recalls, err := e.recallDetails(ctx, events)
	if err != nil {
		return nil, err
	}
	return dbconv.All(events, func(event records.TimelineEvent) records.EventDetails {
		if event.RecallID == uuid.Nil {
			return entries[event.ID]
		}
		found := recalls[event.RecallID]
		found.At, found.Kind, found.Actor, found.Session = event.At, event.Kind, event.Actor, event.Session
		return found
	}), nil
}

func (e *Events) entryDetails(ctx context.Context, events []records.TimelineEvent) (map[int64]records.EventDetails, error) {
	var keys queries.TimelineDetailsParams
	for _, event := range events {
		if event.RecallID == uuid.Nil && event.FirstScan == 0 {
			keys.AgentIds, keys.Ats, keys.Ids = append(keys.AgentIds, event.AgentID), append(keys.Ats, event.At), append(keys.Ids, event.ID)
		}
	}
	found := make(map[int64]records.EventDetails, len(keys.Ids))
	if len(keys.Ids) == 0 {
		return found, nil
	}
	rows, err := e.q.TimelineDetails(ctx, keys)
	for _, row := range rows {
		a := memories.Activity{
			ID: row.ID, At: row.At.UTC(), Agent: row.Slug, Exists: row.Found, Name: row.Name, Kind: memories.ActivityKind(row.Kind),
			Actor: memories.Actor(row.Actor), Path: row.Path, Session: dbconv.OrZero(row.Session), State: memories.State(dbconv.OrZero(row.State)),
			Type: memories.Type(dbconv.OrZero(row.Type)), Description: dbconv.OrZero(row.Description), Hash: dbconv.OrZero(row.Hash),
			Renamed: dbconv.OrZero(row.OtherName),
		}
		if row.MemoryID != nil {
			a.MemoryID = row.MemoryID.String()
		}
		found[row.ID] = records.EventDetails{Activity: a, Team: row.Team, IsLast: row.IsLast}
	}
	return found, dberr.Wrap("read events", err)
}

func (e *Events) recallDetails(ctx context.Context, events []records.TimelineEvent) (map[uuid.UUID]records.EventDetails, error) {
	var ids []uuid.UUID
	for _, event := range events {
		if event.RecallID != uuid.Nil {
			ids = append(ids, event.RecallID)
		}
	}
	found := make(map[uuid.UUID]records.EventDetails, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	rows, err := e.q.TimelineRecallDetails(ctx, ids)
	for _, row := range rows {
		found[row.ID] = records.EventDetails{
			Activity: memories.Activity{Agent: row.Slug, MemoryID: row.MemoryID.String(), Exists: row.Found, Name: row.Name},
			Prompt:   row.Query, Given: int(row.DeliveredCount),
		}
	}
	return found, dberr.Wrap("read recalls of events", err)
}

// Deletions returns the number of deletions of the agents' memories on each day with one, in order.
func (e *Events) Deletions(ctx context.Context, agentIDs []int64) ([]records.DayCount, error) {
	rows, err := e.q.DeletionsByDay(ctx, agentIDs)
	return dbconv.Rows("count deletions", rows, err, func(row queries.DeletionsByDayRow) records.DayCount {
		return records.DayCount{Day: row.Day.Time, N: int(row.N)}
	})
}

// ChangesSince compares the agents' memories at a time with those of now.
func (e *Events) ChangesSince(ctx context.Context, agentIDs []int64, at time.Time) (records.ChangesSince, error) {
	row, err := e.q.ChangesSince(ctx, queries.ChangesSinceParams{AgentIds: agentIDs, At: at})
	return records.ChangesSince{Learned: int(row.Learned), Deleted: int(row.Deleted), Changed: int(row.Changed)}, dberr.Wrap("count changes", err)
}

// SessionNames returns the names of persons and channels, by their ids, by agent id. An agent
// without names has no entry.
func (e *Events) SessionNames(ctx context.Context, agentIDs []int64) (map[int64]map[string]string, error) {
	rows, err := e.q.SessionNames(ctx, agentIDs)
	names := map[int64]map[string]string{}
	for _, row := range rows {
		if names[row.AgentID] == nil {
			names[row.AgentID] = map[string]string{}
		}
		names[row.AgentID][row.ID] = row.Name
	}
	return names, dberr.Wrap("read names of sessions", err)
}

// SaveSessionName gives a person or channel of the agent's sessions a name. An empty name removes it.
func (e *Events) SaveSessionName(ctx context.Context, agentID int64, id, name string) error {
	if name == "" {
		return dberr.Wrap("remove a name", e.q.DeleteSessionName(ctx, queries.DeleteSessionNameParams{AgentID: agentID, ID: id}))
	}
	return dberr.Wrap("save a name", e.q.SaveSessionName(ctx, queries.SaveSessionNameParams{AgentID: agentID, ID: id, Name: name}))
}

// sessionPlace is the time and the name of the last session of a page.
type sessionPlace struct {
	At   time.Time
	Name string
}

// SessionSummaries returns one page of at most limit of the agent's sessions that have or had a
// memory file, or were given memories. cursor is the NextCursor of the page before, or empty for the
// first page. It fails with records.ErrCursor if cursor is not of this list.
func (e *Events) SessionSummaries(ctx context.Context, agentID int64, limit int, cursor string) (records.SessionSummaries, error) {
	mark := paging.Mark("session summaries", agentID)
	after, err := paging.Unseal[sessionPlace](mark, cursor)
	if err != nil || after != nil && !memories.CanBeText(after.Name) {
		return records.SessionSummaries{}, records.ErrCursor
	}
	query := queries.TimelineSessionsParams{AgentID: agentID, Most: int32(limit + 1)}
	if after != nil {
		query.AfterAt, query.AfterSession = &after.At, after.Name
	}
	found, err := e.sessions(ctx, query)
	if err != nil {
		return records.SessionSummaries{}, err
	}
	page := records.SessionSummaries{}
	page.Sessions, page.NextCursor = paging.Cut(found, limit, mark, func(last records.SessionSummary) sessionPlace {
		return sessionPlace{last.At, last.Name}
	})
	return page, nil
}

// SessionSummary returns one session of the agent. It fails with memories.ErrNotFound if the session
// neither had a memory file nor was given memories.
func (e *Events) SessionSummary(ctx context.Context, agentID int64, session string) (records.SessionSummary, error) {
	found, err := e.sessions(ctx, queries.TimelineSessionsParams{AgentID: agentID, Session: session, Most: 1})
	if err == nil && len(found) == 0 {
		err = memories.ErrNotFound
	}
	if err != nil {
		return records.SessionSummary{}, err
	}
	return found[0], nil
}

func (e *Events) sessions(ctx context.Context, query queries.TimelineSessionsParams) ([]records.SessionSummary, error) {
	rows, err := e.q.TimelineSessions(ctx, query)
	if err != nil {
		return nil, dberr.Wrap("read sessions", err)
	}
	names := dbconv.All(rows, func(row queries.TimelineSessionsRow) string { return row.Session })
	learned, err := e.q.LearnedInSessions(ctx, queries.LearnedInSessionsParams{AgentID: query.AgentID, Sessions: names})
	if err != nil {
		return nil, dberr.Wrap("count what sessions learned", err)
	}
	recalled, err := e.q.RecalledInSessions(ctx, queries.RecalledInSessionsParams{AgentID: query.AgentID, Sessions: names})
	if err != nil {
		return nil, dberr.Wrap("count what sessions were given", err)
	}
	return dbconv.All(rows, func(row queries.TimelineSessionsRow) records.SessionSummary {
		s := records.SessionSummary{Name: row.Session, At: row.At.UTC(), Files: int(row.Files)}
		for _, l := range learned {
			if l.Session == s.Name {
				s.Learned = int(l.N)
			}
		}
		for _, r := range recalled {
			if r.Session == s.Name {
				s.Recalled = int(r.N)
			}
		}
		return s
	}), nil
}

// GivenMemories returns at most limit of the memories that a session was given, the newest first,
// each once.
func (e *Events) GivenMemories(ctx context.Context, agentID int64, session string, limit int) ([]records.GivenMemory, error) {
	rows, err := e.q.RecalledMemories(ctx, queries.RecalledMemoriesParams{AgentID: agentID, Session: session, Most: int32(limit)})
	return dbconv.Rows("read what a session was given", rows, err, func(row queries.RecalledMemoriesRow) records.GivenMemory {
		return records.GivenMemory{ID: row.MemoryID.String(), Name: row.Name, At: row.At.UTC(), Exists: row.Found}
	})
}
