package postgres

import (
	"context"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/postgres/search"
	"memoir/internal/records"
	"memoir/internal/words"
)

// indexBatchSize is the number of memories per transaction. It is small, so that other writers do
// not wait long for its locks.
const indexBatchSize = 500

// Index adds missing memories to the search index, from an id on, and calls done after each batch.
// If it fails, finished batches stay. A memory that changes meanwhile may be saved with old words,
// so Index repeats until nothing is missing.
func (s *Store) Index(ctx context.Context, first uuid.UUID, done func()) error {
	const doing = "fill the search index"
	for filled := false; ; filled = true {
		some, err := s.indexBatch(ctx, first, done)
		switch {
		case err != nil:
			return dberr.Wrap(doing, err)
		case !some && filled:
			return dberr.Wrap(doing, s.cleanPendingLists(ctx))
		case !some:
			return nil
		}
	}
}

func (s *Store) cleanPendingLists(ctx context.Context) error {
	if err := s.q.CleanPendingList(ctx); err != nil || !s.nearMisses {
		return err
	}
	return s.q.CleanWordsPendingList(ctx)
}

// indexBatch indexes all missing memories once. It reads the next batch while Postgres saves the
// last one, which halves the time on two cores.
func (s *Store) indexBatch(ctx context.Context, first uuid.UUID, done func()) (some bool, err error) {
	parts := make(chan indexBatch)
	both, ctx := errgroup.WithContext(ctx)
	both.Go(func() error {
		defer close(parts)
		for more := true; more; {
			rows, err := s.q.MemoriesToIndex(ctx, queries.MemoriesToIndexParams{First: first, Most: indexBatchSize})
			if err != nil || len(rows) == 0 {
				return err
			}
			found := make([]records.SearchText, len(rows))
			for i, row := range rows {
				found[i] = records.SearchText{
					AgentID: row.AgentID, MemoryID: row.ID, RevisionID: row.RevisionID,
					Name: row.Name, Description: row.Description, Body: row.Body,
				}
			}
			first, more = nextID(rows[len(rows)-1].ID), len(rows) == indexBatchSize
			select {
			case parts <- indexBatchOf(found):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	both.Go(func() error {
		for part := range parts {
			if err := part.save(ctx, s.q); err != nil {
				return err
			}
			some = true
			done()
		}
		return nil
	})
	return some, both.Wait()
}

// nextID returns the id after id.
func nextID(id uuid.UUID) uuid.UUID {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i]++; id[i] != 0 {
			break
		}
	}
	return id
}

// indexBatch holds the search vectors of some memories.
type indexBatch struct {
	queries.SaveSearchVectorsParams
	words []string // for fuzzy search
}

func indexBatchOf(found []records.SearchText) indexBatch {
	var all indexBatch
	for _, w := range found {
		vector, each := search.Vector(search.Text{AgentID: w.AgentID, Name: w.Name, Description: w.Description, Body: w.Body})
		all.MemoryIds = append(all.MemoryIds, w.MemoryID)
		all.RevisionIds = append(all.RevisionIds, w.RevisionID)
		all.Words = append(all.Words, vector)
		for _, word := range each {
			if words.CanBeMeant(word) {
				all.words = append(all.words, word)
			}
		}
	}
	all.words = distinct(all.words)
	return all
}

func (i indexBatch) save(ctx context.Context, q *queries.Queries) error {
	if len(i.MemoryIds) == 0 {
		return nil
	}
	if err := q.SaveSearchVectors(ctx, i.SaveSearchVectorsParams); err != nil {
		return err
	}
	return q.AddWords(ctx, i.words)
}
