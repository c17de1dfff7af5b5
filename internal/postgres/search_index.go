package postgres

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"memoir/internal/findings/quarantine"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/postgres/search"
	"memoir/internal/records"
)

// indexBatchSize is the number of memories per statement. It is small, so that other writers do not
// wait long for its locks.
const indexBatchSize = 500

// Index adds the memories of all agents that the search index lacks, or has with an older content.
// It begins with the id first and continues in the order of ids, and calls done after each batch of
// at most 500. It repeats until nothing is missing, because memories may change during a pass. If
// it fails, finished batches stay.
func (s *Store) Index(ctx context.Context, first uuid.UUID, done func()) error {
	return dberr.Wrap("fill the search index", s.index(ctx, first, done))
}

func (s *Store) index(ctx context.Context, first uuid.UUID, done func()) error {
	if err := s.IndexAskedAs(ctx); err != nil {
		return err
	}
	filled := false
	for from := first; ; {
		rows, err := s.q.MemoriesToIndex(ctx, queries.MemoriesToIndexParams{First: from, Most: indexBatchSize})
		switch {
		case err != nil:
			return err
		case len(rows) == 0 && from != first:
			from = first // for memories that have changed during the pass
			continue
		case len(rows) == 0 && filled:
			return s.cleanPendingLists(ctx)
		case len(rows) == 0:
			return nil
		}
		batch := indexBatchOf(dbconv.All(rows, func(row queries.MemoriesToIndexRow) records.SearchText {
			return records.SearchText{
				AgentID: row.AgentID, MemoryID: row.ID, RevisionID: row.RevisionID,
				Name: row.Name, Description: row.Description, Body: row.Body, Masked: row.Quarantined,
			}
		}))
		if err := batch.save(ctx, s.q); err != nil {
			return err
		}
		filled = true
		done()
		from = rows[len(rows)-1].ID
	}
}

// cleanPendingLists makes Postgres merge new entries into the search indexes. Otherwise each search
// would read these entries one by one.
func (s *Store) cleanPendingLists(ctx context.Context) error {
	if err := s.q.CleanPendingList(ctx); err != nil || !s.nearMisses {
		return err
	}
	return s.q.CleanWordsPendingList(ctx)
}

// indexBatch is the search vectors of some memories, and their words for fuzzy search.
type indexBatch struct {
	queries.SaveSearchVectorsParams
	words []string // for fuzzy search
}

// indexBatchOf computes the search vectors of the texts, and their distinct words for fuzzy search.
// It saves nothing.
func indexBatchOf(found []records.SearchText) indexBatch {
	var all indexBatch
	for _, w := range found {
		if w.Masked {
			w.Name, w.Description, w.Body = quarantine.Mask(w.Name), quarantine.Mask(w.Description), quarantine.Mask(w.Body)
		}
		vector, each := search.Vector(search.Text{AgentID: w.AgentID, Name: w.Name, Description: w.Description, Body: w.Body})
		all.MemoryIds = append(all.MemoryIds, w.MemoryID)
		all.RevisionIds = append(all.RevisionIds, w.RevisionID)
		all.Words = append(all.Words, vector)
		all.words = search.AppendCorrections(all.words, slices.Values(each))
	}
	all.words = search.Distinct(all.words)
	return all
}

// save adds or replaces the vectors in the search index, and adds the words for fuzzy search. It
// skips the vectors of memories that no longer exist, and does nothing if the batch is empty.
func (i indexBatch) save(ctx context.Context, q *queries.Queries) error {
	if len(i.MemoryIds) == 0 {
		return nil
	}
	if err := q.SaveSearchVectors(ctx, i.SaveSearchVectorsParams); err != nil {
		return err
	}
	return q.AddWords(ctx, i.words)
}
