package postgres

import (
	"context"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
)

// indexAtOnce is how many memories the search index takes in one transaction: enough to be quick, few enough that
// nobody waits for its locks.
const indexAtOnce = 500

// IndexMore brings the next memories from the given one on into the search index, in the order of their ids, as far as
// they are not in it yet. It returns the last one of them; uuid.Nil: there were no more.
func (s *Store) IndexMore(ctx context.Context, first uuid.UUID) (last uuid.UUID, err error) {
	rows, err := s.q.MemoriesToIndex(ctx, queries.MemoriesToIndexParams{First: first, Most: indexAtOnce})
	if err != nil {
		return first, wrap("read what to index", err)
	}
	found := make([]Words, len(rows))
	for i, row := range rows {
		found[i] = Words{
			AgentID: row.AgentID, MemoryID: row.ID, RevisionID: row.RevisionID, Type: memories.Type(text(row.Type)),
			Name: row.Name, Description: row.Description, Body: row.Body,
		}
	}
	if err := saveWords(ctx, s.q, found); err != nil {
		return first, wrap("fill the search index", err)
	}
	if len(rows) < indexAtOnce {
		return uuid.Nil, nil
	}
	return rows[len(rows)-1].ID, nil
}

func saveWords(ctx context.Context, q *queries.Queries, found []Words) error {
	if len(found) == 0 {
		return nil
	}
	params := queries.SaveWordsParams{}
	var meant []string
	for _, w := range found {
		params.MemoryIds = append(params.MemoryIds, w.MemoryID)
		params.RevisionIds = append(params.RevisionIds, w.RevisionID)
		params.Words = append(params.Words, vectorOf(w))
		meant = appendMeant(meant, w.Name, w.Description, w.Body)
	}
	if err := q.SaveWords(ctx, params); err != nil {
		return err
	}
	return q.AddWords(ctx, distinct(meant))
}
