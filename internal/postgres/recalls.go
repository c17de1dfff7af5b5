package postgres

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// SaveRecall adds a recall, or updates the result of the known one with r.ID. It saves no delivered
// memories. It does not wait for the disk, so a power cut may lose it.
func (s *Store) SaveRecall(ctx context.Context, r records.Recall) error {
	return s.withoutWaiting(ctx, "keep a recall", func(q *queries.Queries) error { return saveRecall(ctx, q, r) })
}

// Deliver calls choose with the memories that r.Session has received, and saves r as delivered with
// the memories that choose returns, in one transaction. Deliveries to one session wait for each
// other. If r.State is settled and another call has delivered r, it saves nothing, does not call
// choose, and returns nil. At an error of choose it saves nothing and returns the error. A power
// cut may lose the delivery.
func (s *Store) Deliver(ctx context.Context, r records.Recall, choose func(records.SessionDelivery) ([]records.DeliveredMemory, error)) error {
	return s.withoutWaiting(ctx, "hand out a recall", func(q *queries.Queries) (err error) {
		var received records.SessionDelivery
		if r.Session != "" {
			if err := q.LockRecallSession(ctx, queries.LockRecallSessionParams{AgentID: r.AgentID, Session: r.Session, At: r.At}); err != nil {
				return err
			}
			if received, err = deliveredTo(ctx, q, r.AgentID, r.Session); err != nil {
				return err
			}
		}
		if r.State == records.RecallSettled {
			if n, err := q.DeliverRecall(ctx, r.ID); err != nil || n == 0 {
				return err
			}
		}
		chosen, err := choose(received)
		if err != nil {
			return err
		}
		r.State, r.DeliveredCount = records.RecallDelivered, len(chosen)
		if err := saveRecall(ctx, q, r); err != nil || len(chosen) == 0 {
			return err
		}
		return saveItems(ctx, q, r, chosen)
	})
}

// withoutWaiting runs do in one transaction whose commit does not wait for the disk, so a power cut
// may lose it. If do fails, it rolls back. It returns the error with the text of doing before it.
func (s *Store) withoutWaiting(ctx context.Context, doing string, do func(*queries.Queries) error) error {
	return s.inTx(ctx, doing, func(q *queries.Queries) error {
		if err := q.CommitAsync(ctx); err != nil {
			return err
		}
		return do(q)
	})
}

func saveRecall(ctx context.Context, q *queries.Queries, r records.Recall) error {
	chosen, err := dbconv.ListJSON(r.Chosen)
	if err != nil {
		return err
	}
	return q.SaveRecall(ctx, queries.SaveRecallParams{
		ID: r.ID, AgentID: r.AgentID, At: r.At, Session: dbconv.Optional(r.Session), AskedBy: r.AskedBy, Query: r.Query, State: string(r.State),
		SelectedBy: dbconv.Optional(r.SelectedBy), Skipped: dbconv.Optional(r.Skipped), Note: dbconv.Optional(r.Note), Candidates: int32(r.Candidates),
		TookUs: r.Took.Microseconds(), Chosen: chosen, DeliveredCount: int32(r.DeliveredCount),
	})
}

// saveItems adds the memories in delivered to the recall r, in order. delivered must not be empty.
func saveItems(ctx context.Context, q *queries.Queries, r records.Recall, delivered []records.DeliveredMemory) error {
	params := queries.SaveRecallItemsParams{RecallID: r.ID, AgentID: r.AgentID, Session: dbconv.Optional(r.Session), At: r.At}
	for _, m := range delivered {
		why, err := json.Marshal(m.Why)
		if err != nil {
			return err
		}
		params.MemoryIds = append(params.MemoryIds, m.ID)
		params.Names = append(params.Names, m.Name)
		params.Bytes = append(params.Bytes, int32(m.Bytes))
		params.Whys = append(params.Whys, string(why))
	}
	return q.SaveRecallItems(ctx, params)
}

// RecallByID returns a recall of the agent without the memories that it returned. It fails with
// memories.ErrNotFound if the id is unknown, malformed or of another agent.
func (s *Store) RecallByID(ctx context.Context, agentID int64, id string) (records.Recall, error) {
	parsed, err := dbconv.ParseID(id)
	if err != nil {
		return records.Recall{}, err
	}
	row, err := s.q.RecallByID(ctx, queries.RecallByIDParams{ID: parsed, AgentID: agentID})
	if err != nil {
		return records.Recall{}, dberr.Wrap("read a recall", err)
	}
	return recallOf(row)
}

// LastQuery returns the query of the session's last recall, or "" if there is none.
func (s *Store) LastQuery(ctx context.Context, agentID int64, session string) (string, error) {
	found, err := s.q.LastRecallQuery(ctx, queries.LastRecallQueryParams{AgentID: agentID, Session: session})
	if err != nil || len(found) == 0 {
		return "", dberr.Wrap("read the last recall", err)
	}
	return found[0], nil
}

// SettledRecalls returns the ids of the session's recalls since a time that are in the state
// settled, oldest first. Their memories are chosen, but not delivered yet.
func (s *Store) SettledRecalls(ctx context.Context, agentID int64, session string, since time.Time) ([]uuid.UUID, error) {
	ids, err := s.q.SettledRecalls(ctx, queries.SettledRecallsParams{AgentID: agentID, Session: session, Since: since})
	return ids, dberr.Wrap("list recalls that wait", err)
}

// DeleteOldRecalls deletes the recalls of all agents before a time, with the records of their
// delivered memories. It also deletes the records of sessions without a delivery or compaction
// since then. No memory changes.
func (s *Store) DeleteOldRecalls(ctx context.Context, before time.Time) error {
	if _, err := s.q.DeleteOldRecalls(ctx, before); err != nil {
		return dberr.Wrap("forget recalls", err)
	}
	_, err := s.q.DeleteOldRecallSessions(ctx, before)
	return dberr.Wrap("forget recalls", err)
}

func recallOf(row queries.Recall) (records.Recall, error) {
	r := records.Recall{
		ID: row.ID, AgentID: row.AgentID, At: row.At.UTC(), Session: dbconv.OrZero(row.Session), AskedBy: row.AskedBy, Query: row.Query,
		State: records.RecallState(row.State), SelectedBy: dbconv.OrZero(row.SelectedBy), Skipped: dbconv.OrZero(row.Skipped), Note: dbconv.OrZero(row.Note),
		Candidates: int(row.Candidates), Took: time.Duration(row.TookUs) * time.Microsecond, DeliveredCount: int(row.DeliveredCount),
	}
	return r, json.Unmarshal(row.Chosen, &r.Chosen)
}
