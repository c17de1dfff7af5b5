package postgres

import (
	"context"

	"github.com/google/uuid"

	"memoir/internal/postgres/internal/queries"
)

// WordsOf returns what the search index holds of a memory's text.
func WordsOf(memory, revision uuid.UUID, name, description, body string) Words {
	return Words{MemoryID: memory, RevisionID: revision, Vector: vectorOf(name, description, body)}
}

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
		found[i] = WordsOf(row.ID, row.RevisionID, row.Name, row.Description, row.Body)
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
		params.Words = append(params.Words, w.Vector)
	}
	return q.SaveWords(ctx, params)
}
