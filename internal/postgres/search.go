package postgres

import (
	"context"

	"memoir/internal/postgres/internal/queries"
)

// indexAtOnce is how many memories the search index takes in one transaction: enough to be quick, few enough that
// nobody waits for its locks.
const indexAtOnce = 500

// IndexMore brings some memories into the search index that are not in it yet, and says whether there may be more.
func (s *Store) IndexMore(ctx context.Context) (more bool, err error) {
	rows, err := s.q.MemoriesToIndex(ctx, indexAtOnce)
	if err != nil {
		return false, wrap("read what to index", err)
	}
	found := make([]Words, len(rows))
	for i, row := range rows {
		found[i] = Words{MemoryID: row.ID, RevisionID: row.RevisionID, Name: row.Name, Description: row.Description, Body: row.Body}
	}
	return len(rows) == indexAtOnce, wrap("fill the search index", saveWords(ctx, s.q, found))
}

func saveWords(ctx context.Context, q *queries.Queries, found []Words) error {
	if len(found) == 0 {
		return nil
	}
	params := queries.SaveWordsParams{}
	for _, w := range found {
		params.MemoryIds = append(params.MemoryIds, w.MemoryID)
		params.RevisionIds = append(params.RevisionIds, w.RevisionID)
		params.Words = append(params.Words, vectorOf(w.Name, w.Description, w.Body))
	}
	return q.SaveWords(ctx, params)
}
