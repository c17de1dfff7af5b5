// Package carried has the statements about what agents carry into conversations besides CLAUDE.md:
// the size of MEMORY.md, and what recalls deliver.
package carried

import (
	"context"
	"time"

	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Sizes reads the sizes of all agents. It is safe for concurrent use.
type Sizes struct{ q *queries.Queries }

// New returns the Sizes of a database.
func New(q *queries.Queries) *Sizes { return &Sizes{q} }

// maxRecalls is the number of an agent's last recalls of which the median is taken. More cost 100 ms
// on the pages of an agent with 100,000 (measured).
const maxRecalls = 2000

// Carried returns by id the sizes for each of the agents. The last recalls since a time count.
func (s *Sizes) Carried(ctx context.Context, agentIDs []int64, since time.Time) (map[int64]records.Carried, error) {
	rows, err := s.q.Carried(ctx, queries.CarriedParams{AgentIds: agentIDs, Since: since, Most: maxRecalls})
	found := make(map[int64]records.Carried, len(rows))
	for _, row := range rows {
		found[row.AgentID] = records.Carried{
			IndexChars: int(row.IndexChars), RecalledBytes: int(row.RecalledBytes), Conversations: int(row.Conversations),
		}
	}
	return found, dberr.Wrap("read what agents carry", err)
}

// MemoriesAtPaths returns the ids of the agent's memories whose files are at the paths now, by path.
func (s *Sizes) MemoriesAtPaths(ctx context.Context, agentID int64, paths []string) (map[string]string, error) {
	rows, err := s.q.MemoriesAtPaths(ctx, queries.MemoriesAtPathsParams{AgentID: agentID, Paths: paths})
	found := make(map[string]string, len(rows))
	for _, row := range rows {
		found[row.Path] = row.MemoryID.String()
	}
	return found, dberr.Wrap("read the memories of files", err)
}
