// Package recalled has the statements about the recalls of one memory, and their statistics.
package recalled

import (
	"context"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// searched is the number of an agent's newest recalls that are searched for memories that were
// chosen and not delivered. No index leads to them. It is arbitrary.
const searched = 500

// Reads reads the recalls of all agents. It is safe for concurrent use.
type Reads struct{ q *queries.Queries }

// New returns the Reads of a database.
func New(q *queries.Queries) *Reads { return &Reads{q} }

// RecallsWith returns the newest recalls of m's agent that delivered the memory, or that chose it and
// did not deliver it, at most most. It fails with memories.ErrNotFound if m.ID is malformed.
func (r *Reads) RecallsWith(ctx context.Context, m memories.Memory, most int) ([]records.RecallWith, error) {
	id, err := dbconv.ParseID(m.ID)
	if err != nil {
		return nil, err
	}
	rows, err := r.q.ListRecallsOfMemory(ctx, queries.ListRecallsOfMemoryParams{AgentID: m.AgentID, MemoryID: id, Most: int32(most), Newest: searched})
	found := make([]records.RecallWith, len(rows))
	for i, row := range rows {
		found[i] = records.RecallWith{At: row.At.UTC(), Session: dbconv.OrZero(row.Session), AskedBy: row.AskedBy, Query: row.Query, Given: row.Given}
	}
	return found, dberr.Wrap("list the recalls of a memory", err)
}
