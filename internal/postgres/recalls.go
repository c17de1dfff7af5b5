package postgres

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/postgres/internal/queries"
)

// RecallState is how far a recall has come.
type RecallState string

// The states of a recall.
const (
	RecallPending   RecallState = "pending"    // it is being chosen
	RecallSettled   RecallState = "settled"    // it waits to be fetched
	RecallHandedOut RecallState = "handed_out" // whoever asked has it
)

// Recall is the record of one.
type Recall struct {
	ID         uuid.UUID
	AgentID    int64
	At         time.Time
	Session    string // empty: none
	AskedBy    string // script, hook, mcp
	Query      string // its beginning
	State      RecallState
	SelectedBy string // model, keyword; empty: nothing was looked at
	Skipped    string // why not
	Note       string // why another way was taken than was wanted
	Candidates int
	Took       time.Duration
	Chosen     []Choice // the best first
	Given      int      // how many of them were handed out
}

// Choice is a memory that was chosen, and why.
type Choice struct {
	ID  uuid.UUID `json:"id"`
	Why []string  `json:"why"`
}

// HandedOut is a memory that was given to whoever asked.
type HandedOut struct {
	Choice
	Name  string
	Bytes int
}

// SaveRecall keeps a recall that nothing is handed out of yet, or as it is by now.
func (s *Store) SaveRecall(ctx context.Context, r Recall) error {
	return s.withoutWaiting(ctx, "keep a recall", func(q *queries.Queries) error { return saveRecall(ctx, q, r) })
}

// HandOut keeps a recall, and what of it is handed out: what choose returns, which is told what the session was given before. Two
// at once for one session wait for each other. choose is not called for a recall that had settled and has been handed out already.
func (s *Store) HandOut(ctx context.Context, r Recall, choose func(Given) ([]HandedOut, error)) error {
	return s.withoutWaiting(ctx, "hand out a recall", func(q *queries.Queries) (err error) {
		var given Given
		if r.Session != "" {
			if err := q.LockRecallSession(ctx, queries.LockRecallSessionParams{AgentID: r.AgentID, Session: r.Session, At: r.At}); err != nil {
				return err
			}
			if given, err = givenTo(ctx, q, r.AgentID, r.Session); err != nil {
				return err
			}
		}
		if r.State == RecallSettled {
			if n, err := q.HandOutRecall(ctx, r.ID); err != nil || n == 0 {
				return err
			}
		}
		out, err := choose(given)
		if err != nil {
			return err
		}
		handedOut := r
		handedOut.State, handedOut.Given = RecallHandedOut, len(out)
		if err := saveRecall(ctx, q, handedOut); err != nil || len(out) == 0 {
			return err
		}
		return saveHandedOut(ctx, q, handedOut, out)
	})
}

// withoutWaiting runs do in one transaction that Postgres answers before it is on disk.
func (s *Store) withoutWaiting(ctx context.Context, doing string, do func(*queries.Queries) error) error {
	return wrap(doing, pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		q := s.q.WithTx(tx)
		if err := q.NeedNotWaitForTheDisk(ctx); err != nil {
			return err
		}
		return do(q)
	}))
}

func saveRecall(ctx context.Context, q *queries.Queries, r Recall) error {
	if r.Chosen == nil {
		r.Chosen = []Choice{}
	}
	chosen, err := json.Marshal(r.Chosen)
	if err != nil {
		return err
	}
	return q.SaveRecall(ctx, queries.SaveRecallParams{
		ID: r.ID, AgentID: r.AgentID, At: r.At, Session: optional(r.Session), AskedBy: r.AskedBy, Query: r.Query, State: string(r.State),
		SelectedBy: optional(r.SelectedBy), Skipped: optional(r.Skipped), Note: optional(r.Note), Candidates: int32(r.Candidates),
		TookUs: r.Took.Microseconds(), Chosen: chosen, Given: int32(r.Given),
	})
}

func saveHandedOut(ctx context.Context, q *queries.Queries, r Recall, out []HandedOut) error {
	params := queries.SaveRecalledParams{RecallID: r.ID, AgentID: r.AgentID, Session: optional(r.Session), At: r.At}
	for _, o := range out {
		why, err := json.Marshal(o.Why)
		if err != nil {
			return err
		}
		params.MemoryIds = append(params.MemoryIds, o.ID)
		params.Names = append(params.Names, o.Name)
		params.Bytes = append(params.Bytes, int32(o.Bytes))
		params.Whys = append(params.Whys, string(why))
	}
	return q.SaveRecalled(ctx, params)
}

// RecallByID returns a recall of an agent. It fails with memories.ErrNotFound.
func (s *Store) RecallByID(ctx context.Context, agentID int64, id string) (Recall, error) {
	parsed, err := parseID(id)
	if err != nil {
		return Recall{}, err
	}
	row, err := s.q.RecallByID(ctx, queries.RecallByIDParams{ID: parsed, AgentID: agentID})
	if err != nil {
		return Recall{}, wrap("read a recall", err)
	}
	return recallOf(row)
}

// RecallsToHandOut returns the ids of the recalls of a session since then that wait to be fetched, the oldest first.
func (s *Store) RecallsToHandOut(ctx context.Context, agentID int64, session string, since time.Time) ([]uuid.UUID, error) {
	ids, err := s.q.RecallsToHandOut(ctx, queries.RecallsToHandOutParams{AgentID: agentID, Session: session, Since: since})
	return ids, wrap("list recalls that wait", err)
}

// ForgetRecalls removes what is older than that.
func (s *Store) ForgetRecalls(ctx context.Context, before time.Time) error {
	if _, err := s.q.ForgetRecalls(ctx, before); err != nil {
		return wrap("forget recalls", err)
	}
	_, err := s.q.ForgetRecallSessions(ctx, before)
	return wrap("forget recalls", err)
}

func recallOf(row queries.Recall) (Recall, error) {
	r := Recall{
		ID: row.ID, AgentID: row.AgentID, At: row.At.UTC(), Session: text(row.Session), AskedBy: row.AskedBy, Query: row.Query,
		State: RecallState(row.State), SelectedBy: text(row.SelectedBy), Skipped: text(row.Skipped), Note: text(row.Note),
		Candidates: int(row.Candidates), Took: time.Duration(row.TookUs) * time.Microsecond, Given: int(row.Given),
	}
	return r, json.Unmarshal(row.Chosen, &r.Chosen)
}

// TakeBack has recalls that were handed out wait to be fetched again.
func (s *Store) TakeBack(ctx context.Context, recalls []Recall) error {
	if len(recalls) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(recalls))
	for i, r := range recalls {
		ids[i] = r.ID
	}
	return s.withoutWaiting(ctx, "take back recalls", func(q *queries.Queries) error {
		if err := q.ForgetRecalled(ctx, ids); err != nil {
			return err
		}
		return q.SettleRecalls(ctx, ids)
	})
}
