// Package figures reads figures of the whole database: counts of memories, jobs and recalls, and
// what is wrong with jobs and indexes.
package figures

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
)

// The rows of the figures.
type (
	Memories = queries.MemoryFiguresRow // by state and type
	Jobs     = queries.JobFiguresRow    // by kind and state, with their tokens
	Recalls  = queries.RecallFiguresRow // by asker, and whether something was delivered
	Review   = queries.ReviewFiguresRow // by kind
	Failing  = queries.FailingJobsRow
	Index    = queries.IndexFindingsRow
)

// Figures are counts of the whole database.
type Figures struct {
	Memories []Memories
	Jobs     []Jobs
	Recalls  []Recalls
	Review   []Review
	Bytes    int64 // size of the database
}

// Reader reads figures. It is safe for concurrent use.
type Reader struct{ q *queries.Queries }

// New returns the reader of a database.
func New(pool *pgxpool.Pool) *Reader { return &Reader{queries.New(pool)} }

// Read returns the figures of now.
func (r *Reader) Read(ctx context.Context) (f Figures, err error) {
	if f.Memories, err = r.q.MemoryFigures(ctx); err != nil {
		return f, dberr.Wrap("count memories", err)
	}
	if f.Jobs, err = r.q.JobFigures(ctx); err != nil {
		return f, dberr.Wrap("count jobs", err)
	}
	if f.Recalls, err = r.q.RecallFigures(ctx); err != nil {
		return f, dberr.Wrap("count recalls", err)
	}
	if f.Review, err = r.q.ReviewFigures(ctx); err != nil {
		return f, dberr.Wrap("count items of the review", err)
	}
	f.Bytes, err = r.q.DatabaseSize(ctx)
	return f, dberr.Wrap("read the size of the database", err)
}

// FailingJobs returns for each kind of jobs how many have failed at their last attempt, in the last
// day, and the newest reason.
func (r *Reader) FailingJobs(ctx context.Context) ([]Failing, error) {
	rows, err := r.q.FailingJobs(ctx)
	return rows, dberr.Wrap("list failing jobs", err)
}

// IndexFindings returns what the review says about the MEMORY.md files of all agents.
func (r *Reader) IndexFindings(ctx context.Context) ([]Index, error) {
	rows, err := r.q.IndexFindings(ctx)
	return rows, dberr.Wrap("list indexes", err)
}
