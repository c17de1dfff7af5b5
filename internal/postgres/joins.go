package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
)

// What is done with two agents' directories.
const (
	Joining = "join" // the one's is to become a link to the other's
	Parting = "part" // and a directory of its own again
)

// Join is something that was begun with two agents' directories, and is not done.
type Join struct {
	AgentID  int64
	IntoID   int64
	IntoSlug string
	Doing    string
	// Beside is the name in the directory above the agent's, under which what is to take that one's place is made, and what had it ends up.
	Beside string
	Actor  memories.Actor
}

// BeginJoin notes what is about to be done with the agent's directory and another's. When two are to be joined, what was deleted of this
// one stays deleted in the other, unless that has the very content alive.
func (w *Writer) BeginJoin(ctx context.Context, j Join) error {
	return w.inTx(ctx, "note that two agents are to be joined", func(q *queries.Queries) error {
		err := q.BeginJoin(ctx, queries.BeginJoinParams{AgentID: w.agentID, IntoID: j.IntoID, Doing: j.Doing, Beside: j.Beside, Actor: string(j.Actor), At: Now()})
		if err != nil || j.Doing == Parting {
			return err
		}
		return q.BequeathTombstones(ctx, queries.BequeathTombstonesParams{AgentID: w.agentID, IntoID: j.IntoID})
	})
}

// Bequeathed returns the tombstones under some names that the other agent would get.
func (w *Writer) Bequeathed(ctx context.Context, into int64, names []string) (map[Tombstone]bool, error) {
	rows, err := w.q.BequeathedTombstones(ctx, queries.BequeathedTombstonesParams{AgentID: w.agentID, IntoID: into, Names: names})
	tombstones := make(map[Tombstone]bool, len(rows))
	for _, row := range rows {
		tombstones[Tombstone{memories.Key{Name: row.Name, Team: row.Team}, memories.Fingerprint(row.Fingerprint)}] = true
	}
	return tombstones, wrap("read tombstones", err)
}

// BegunJoin returns what was begun with the agent's directory; nil: nothing.
func (w *Writer) BegunJoin(ctx context.Context) (*Join, error) {
	row, err := w.q.JoinOf(ctx, w.agentID)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	j := joinOf(queries.BegunJoinsRow(row))
	return &j, wrap("read what was begun", err)
}

// BegunJoins returns all that was begun and is not done.
func (s *Store) BegunJoins(ctx context.Context) ([]Join, error) {
	rows, err := s.q.BegunJoins(ctx)
	joins := make([]Join, len(rows))
	for i, row := range rows {
		joins[i] = joinOf(row)
	}
	return joins, wrap("read what was begun", err)
}

func joinOf(row queries.BegunJoinsRow) Join {
	return Join{
		AgentID: row.AgentID, IntoID: row.IntoID, IntoSlug: row.IntoSlug, Doing: row.Doing, Beside: row.Beside, Actor: memories.Actor(row.Actor),
	}
}

// EndJoin notes that the agent, of that slug, is joined to the other now, or parted from it, and tells it in the journals of both.
func (w *Writer) EndJoin(ctx context.Context, j Join, slug string) error {
	kind, to := memories.DidJoin, j.IntoSlug
	if j.Doing == Parting {
		kind, to = memories.DidPart, ""
	}
	return w.inTx(ctx, "note that two agents are "+string(kind), func(q *queries.Queries) error {
		w.agent = nil
		at := Now()
		if ended, err := q.EndJoin(ctx, w.agentID); err != nil || ended == 0 {
			return err
		}
		if err := q.SetJoinedTo(ctx, queries.SetJoinedToParams{ID: w.agentID, JoinedTo: optional(to), At: at}); err != nil {
			return err
		}
		tell := Happening{At: at, Kind: kind, Actor: j.Actor}
		for agent, other := range map[int64]string{w.agentID: j.IntoSlug, j.IntoID: slug} {
			tell.Name = other
			if err := journal(ctx, q, agent, tell); err != nil {
				return err
			}
		}
		return nil
	})
}

// GiveUpJoin forgets what was begun.
func (w *Writer) GiveUpJoin(ctx context.Context) error {
	_, err := w.q.EndJoin(ctx, w.agentID)
	return wrap("give up what was begun", err)
}
