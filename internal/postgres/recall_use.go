package postgres

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

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
