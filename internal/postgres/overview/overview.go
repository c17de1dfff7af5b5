// Package overview reads what all agents have learned in a time, and how large their contexts are.
package overview

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Reader reads from a database. It is safe for concurrent use. It leaves out agents whose directory
// is a link to another agent's.
type Reader struct{ q *queries.Queries }

// NewReader returns the Reader of a database.
func NewReader(db queries.DBTX) *Reader { return &Reader{queries.New(db)} }

// ChangesByAgent counts by agent id the memories that were learned, changed and deleted from since
// to until. Agents without a change have no entry.
func (r *Reader) ChangesByAgent(ctx context.Context, since, until time.Time) (map[int64]records.ChangeCounts, error) {
	rows, err := r.q.ChangesByAgent(ctx, queries.ChangesByAgentParams{Since: since, Until: until})
	counts := make(map[int64]records.ChangeCounts, len(rows))
	for _, row := range rows {
		counts[row.AgentID] = records.ChangeCounts{Learned: int(row.Learned), Changed: int(row.Changed), Deleted: int(row.Deleted)}
	}
	return counts, dberr.Wrap("count changes", err)
}

// News returns the memories that agents have learned or changed from since to until and still
// know, newest first, at most limit. Memories in quarantine are left out.
func (r *Reader) News(ctx context.Context, since, until time.Time, limit int) ([]records.News, error) {
	rows, err := r.q.News(ctx, queries.NewsParams{Since: since, Until: until, Most: int32(limit)})
	return dbconv.Rows("read the news", rows, err, func(row queries.NewsRow) records.News {
		return records.News{
			Agent: row.Slug, ID: row.ID.String(), Name: row.Name, Type: memories.Type(dbconv.OrZero(row.Type)),
			Description: row.Description, At: row.At.UTC(),
		}
	})
}

// GrowthOfAll returns by how many memories all agents together have grown on each day (UTC) after
// the day of since. Days without a change have no entry.
func (r *Reader) GrowthOfAll(ctx context.Context, since time.Time) ([]records.DayGrowth, error) {
	rows, err := r.q.GrowthOfAll(ctx, pgtype.Date{Time: since.UTC(), Valid: true})
	return dbconv.Rows("read the growth", rows, err, func(row queries.GrowthOfAllRow) records.DayGrowth {
		return records.DayGrowth{Day: row.Day.Time, Delta: int(row.Delta)}
	})
}
