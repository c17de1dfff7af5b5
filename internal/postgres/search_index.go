package postgres

import (
	"context"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"memoir/internal/postgres/internal/queries"
	"memoir/internal/postgres/search"
	"memoir/internal/records"
	"memoir/internal/words"
)

// indexAtOnce is how many memories the search index takes in one transaction: enough to be quick, few enough that
// nobody waits for its locks.
const indexAtOnce = 500

// Index brings into the search index what it lacks of the memories from the given one on, in the order of their ids, and
// calls done after each part. Where it fails, what is done stays.
//
// A memory that changes meanwhile may be saved with words that it had a moment before, over those that it has: so the
// memories are gone over until there is nothing to do.
func (s *Store) Index(ctx context.Context, first uuid.UUID, done func()) error {
	const doing = "fill the search index"
	for filled := false; ; filled = true {
		some, err := s.indexOnce(ctx, first, done)
		switch {
		case err != nil:
			return wrap(doing, err)
		case !some && filled:
			return wrap(doing, s.orderIndexes(ctx))
		case !some:
			return nil
		}
	}
}

func (s *Store) orderIndexes(ctx context.Context) error {
	if err := s.q.OrderSearchIndex(ctx); err != nil || !s.nearMisses {
		return err
	}
	return s.q.OrderNearMisses(ctx)
}

// indexOnce goes over the memories once. The next part is read and its words are told apart while Postgres saves the one
// before, which takes either side about as long: on two cores the index is there in half the time.
func (s *Store) indexOnce(ctx context.Context, first uuid.UUID, done func()) (some bool, err error) {
	parts := make(chan indexed)
	both, ctx := errgroup.WithContext(ctx)
	both.Go(func() error {
		defer close(parts)
		for more := true; more; {
			rows, err := s.q.MemoriesToIndex(ctx, queries.MemoriesToIndexParams{First: first, Most: indexAtOnce})
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
			first, more = following(rows[len(rows)-1].ID), len(rows) == indexAtOnce
			select {
			case parts <- indexedBy(found):
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

// following returns the id after this one.
func following(id uuid.UUID) uuid.UUID {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i]++; id[i] != 0 {
			break
		}
	}
	return id
}

// indexed is what some memories are found by, as the search index keeps it.
type indexed struct {
	queries.SaveWordsParams
	meant []string // words that somebody may have meant who mistyped one
}

func indexedBy(found []records.SearchText) indexed {
	var all indexed
	for _, w := range found {
		vector, each := search.Vector(search.Text{AgentID: w.AgentID, Name: w.Name, Description: w.Description, Body: w.Body})
		all.MemoryIds = append(all.MemoryIds, w.MemoryID)
		all.RevisionIds = append(all.RevisionIds, w.RevisionID)
		all.Words = append(all.Words, vector)
		for _, word := range each {
			if words.CanBeMeant(word) {
				all.meant = append(all.meant, word)
			}
		}
	}
	all.meant = distinct(all.meant)
	return all
}

func (i indexed) save(ctx context.Context, q *queries.Queries) error {
	if len(i.MemoryIds) == 0 {
		return nil
	}
	if err := q.SaveWords(ctx, i.SaveWordsParams); err != nil {
		return err
	}
	return q.AddWords(ctx, i.meant)
}
