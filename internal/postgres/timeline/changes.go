package timeline

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// EventChanges returns what an event has changed, in the order of its first entries. The event is an
// action, or one entry of the journal, which stands for all of its action about the same memory. The
// result is empty for an unknown event, and for one that changed no memory.
func (e *Events) EventChanges(ctx context.Context, event string) ([]records.EventChange, error) {
	query := queries.EventEntriesParams{Action: event}
	if agent, at, id, ok := records.ParseEventKey(event); ok {
		entry, err := e.q.EventOf(ctx, queries.EventOfParams{AgentID: agent, At: at, ID: id})
		if errors.Is(err, pgx.ErrNoRows) || err == nil && entry.MemoryID == nil {
			return nil, nil
		}
		if err != nil {
			return nil, dberr.Wrap("read an event", err)
		}
		query = queries.EventEntriesParams{Action: dbconv.OrZero(entry.Action), AgentID: agent, At: at, ID: id, MemoryID: entry.MemoryID}
	}
	entries, err := e.q.EventEntries(ctx, query)
	if err != nil {
		return nil, dberr.Wrap("read an event", err)
	}
	var changes []records.EventChange
	var firsts queries.StatesAroundParams
	at := map[uuid.UUID]int{} // index in changes
	for _, entry := range entries {
		i, ok := at[entry.MemoryID]
		if !ok {
			i = len(changes)
			at[entry.MemoryID], changes = i, append(changes, records.EventChange{
				Agent: entry.Slug, MemoryID: entry.MemoryID.String(), IsNew: entry.Kind == string(memories.ActivityLearned),
			})
			firsts.MemoryIds = append(firsts.MemoryIds, entry.MemoryID)
			firsts.Ats, firsts.Ids = append(firsts.Ats, entry.At), append(firsts.Ids, entry.ID)
		}
		c := &changes[i]
		c.Kind, c.At = memories.ActivityKind(entry.Kind), entry.At.UTC()
		c.After = records.MemoryState{
			State: memories.State(entry.State), Name: entry.Name, Team: entry.Team, Fingerprint: fingerprintOf(entry.Fingerprint),
			Hash: dbconv.OrZero(entry.Hash), ModifiedAt: dbconv.TimeOrZero(entry.ModifiedAt),
		}
	}
	states, err := e.q.StatesAround(ctx, firsts)
	for _, s := range states {
		c := &changes[at[s.MemoryID]]
		c.Before = records.MemoryState{
			State: memories.State(s.State), Name: s.Name, Team: s.Team, Fingerprint: fingerprintOf(s.Fingerprint), Hash: s.Hash, ModifiedAt: s.ModifiedAt.UTC(),
		}
		c.Now = records.MemoryState{
			State: memories.State(s.NowState), Name: s.NowName, Team: s.NowTeam, Fingerprint: fingerprintOf(s.NowFingerprint), ModifiedAt: s.NowModifiedAt.UTC(),
		}
	}
	return changes, dberr.Wrap("read states around an event", err)
}

// fingerprintOf returns the zero Fingerprint for an absent content.
func fingerprintOf(raw []byte) (f memories.Fingerprint) {
	copy(f[:], raw)
	return f
}

// revealsApart is the time between two reveals of a memory that are two entries. The Timeline would
// show others in one line.
const revealsApart = 10 * time.Minute

// AddReveal records that the actor has seen the memory's text without masks, with the action of ctx.
// It records one of several within ten minutes. It does nothing for an unknown memory.
func (e *Events) AddReveal(ctx context.Context, agentID int64, id string, actor memories.Actor) error {
	memory, err := dbconv.ParseID(id)
	if err != nil {
		return err
	}
	now, action := records.Now(), records.ActionOf(ctx)
	return dberr.Wrap("record a reveal", e.q.AddReveal(ctx, queries.AddRevealParams{
		AgentID: agentID, ID: memory, At: now, Since: now.Add(-revealsApart), Actor: string(actor),
		Action: dbconv.Optional(action.ID), Browser: dbconv.Optional(action.Browser), Person: dbconv.Optional(action.Person),
	}))
}
