package postgres

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/paging"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/postgres/search"
	"memoir/internal/records"
	"memoir/internal/words"
)

// Facts of indexes have a table of their own. Searches use the rules of memory_search, and return
// facts as memories with a Line.

// IndexPaths returns the paths of the agent's MEMORY.md files that have saved facts, entries or
// a size, in any order, each once.
func (a *AgentRows) IndexPaths(ctx context.Context) ([]string, error) {
	paths, err := a.q.IndexPaths(ctx, a.agentID)
	return paths, dberr.Wrap("list the known indexes", err)
}

// SaveIndexEntries makes the saved entries of the MEMORY.md at index those in entries. The keys are
// the paths of the listed files, relative to the agent's directory. The values are true for entries
// that the agent loads. nil deletes all entries of the index. chars is the number of Unicode
// characters that the agent loads, or negative if it does not load this index.
func (w *Writer) SaveIndexEntries(ctx context.Context, index string, entries map[string]bool, chars int) error {
	params := queries.SaveIndexEntriesParams{AgentID: w.agentID, IndexPath: index, Paths: []string{}, Loaded: []bool{}}
	for path, loaded := range entries {
		params.Paths, params.Loaded = append(params.Paths, path), append(params.Loaded, loaded)
	}
	err := w.q.SaveIndexEntries(ctx, params)
	switch {
	case err != nil:
	case chars < 0:
		err = w.q.DeleteLoadedIndex(ctx, queries.DeleteLoadedIndexParams{AgentID: w.agentID, Path: index})
	default:
		err = w.q.SaveLoadedIndex(ctx, queries.SaveLoadedIndexParams{AgentID: w.agentID, Path: index, Chars: int32(chars)})
	}
	return dberr.Wrap("save the entries of an index", err)
}

// SaveIndexFacts makes the saved facts of the MEMORY.md at of.Path equal to of.Facts, in one
// transaction: it adds, updates and deletes rows. A fact whose text was known keeps its id and
// times. It also updates the words for fuzzy search. It does nothing if no fact has changed.
func (w *Writer) SaveIndexFacts(ctx context.Context, of records.IndexFacts) error {
	const doing = "save the facts of an index"
	rows, err := w.q.IndexFactsAt(ctx, queries.IndexFactsAtParams{AgentID: w.agentID, Path: of.Path})
	if err != nil {
		return dberr.Wrap(doing, err)
	}
	known := make(map[uuid.UUID]queries.IndexFactsAtRow, len(rows))
	for _, row := range rows {
		known[row.ID] = row
	}
	save := queries.SaveIndexFactsParams{AgentID: w.agentID, Path: of.Path, Team: of.Team, ModifiedAt: of.ModifiedAt, SeenAt: records.Now()}
	var added, removed []string
	for _, f := range of.Facts {
		id := records.FactID(of.Slug, of.Path, f.Text)
		row, isKnown := known[id]
		delete(known, id)
		if isKnown && int(row.Line) == f.Line && row.Heading == f.Heading {
			continue
		}
		vector, each := search.Vector(search.Text{AgentID: w.agentID, Description: f.Heading, Body: f.Text})
		save.Ids, save.Lines = append(save.Ids, id), append(save.Lines, int32(f.Line))
		save.Headings, save.Bodies = append(save.Headings, f.Heading), append(save.Bodies, f.Text)
		save.Words = append(save.Words, vector)
		added = search.AppendCorrections(added, slices.Values(each))
	}
	if len(save.Ids)+len(known) == 0 {
		return nil
	}
	remove := queries.RemoveIndexFactsParams{AgentID: w.agentID}
	for id, row := range known {
		remove.Ids = append(remove.Ids, id)
		removed = search.AppendCorrections(removed, words.All(row.Heading+"\n"+row.Body))
	}
	return w.inTx(ctx, doing, func(q *queries.Queries) error {
		if len(remove.Ids) > 0 {
			if err := q.RemoveIndexFacts(ctx, remove); err != nil {
				return err
			}
		}
		if len(save.Ids) > 0 {
			if err := q.SaveIndexFacts(ctx, save); err != nil {
				return err
			}
			if err := q.AddWords(ctx, search.Distinct(added)); err != nil {
				return err
			}
		}
		if len(removed) == 0 {
			return nil
		}
		return q.DeleteUnusedWords(ctx, search.Distinct(removed))
	})
}

// IndexFact returns a fact in a MEMORY.md of the locked agent, as a memory with a Line. It fails
// with memories.ErrNotFound if the id is malformed, unknown or of another agent, or the agent's
// directory is missing.
func (a *AgentRows) IndexFact(ctx context.Context, id string) (memories.Memory, error) {
	return indexFact(ctx, a.q, a.agentID, id)
}

// IndexFact returns a fact in a MEMORY.md of the agent, as a memory with a Line. It fails with
// memories.ErrNotFound if the id is malformed, unknown or of another agent, or the agent's
// directory is missing.
func (s *Store) IndexFact(ctx context.Context, agent records.Agent, id string) (memories.Memory, error) {
	return indexFact(ctx, s.q, agent.ID, id)
}

func indexFact(ctx context.Context, q *queries.Queries, agentID int64, id string) (memories.Memory, error) {
	parsed, err := dbconv.ParseID(id)
	if err != nil {
		return memories.Memory{}, err
	}
	row, err := q.IndexFactByID(ctx, queries.IndexFactByIDParams{ID: parsed, AgentID: agentID})
	return factOf(queries.FactsToRecallRow(row)), dberr.Wrap("read a fact of an index", err)
}

// factsOf converts the result of a query for facts with the slugs of their agents into memories
// with a Line. It returns the query's error translated by dberr.Wrap.
func factsOf[Row ~struct {
	IndexFact queries.IndexFact
	Slug      string
}](doing string, rows []Row, err error) ([]memories.Memory, error) {
	return dbconv.Rows(doing, rows, err, func(row Row) memories.Memory { return factOf(queries.FactsToRecallRow(row)) })
}

func factOf(row queries.FactsToRecallRow) memories.Memory {
	f := row.IndexFact
	return memories.Memory{
		ID: f.ID.String(), AgentID: f.AgentID, Agent: row.Slug, Name: memorymd.Name, Team: f.Team, Readable: true,
		Description: f.Heading, Body: f.Body, State: memories.Active, Path: f.Path, Line: int(f.Line), Size: int64(len(f.Body)),
		ModifiedAt: f.ModifiedAt.UTC(), ContentAt: f.ModifiedAt.UTC(), CreatedAt: f.SeenAt.UTC(), UpdatedAt: f.SeenAt.UTC(),
	}
}

// factCursor is the place of the last fact of a page: the number of facts up to it.
type factCursor struct{ Facts int }

// Search returns one page of the memories of all agents that match, best first; the matching facts
// in MEMORY.md files follow. Of filter, only Type, State, Stale, Unchecked, Scope, Query and Near may
// be set. Any of the first five, except Active, leaves out the facts. With Near, and if no memory and no
// fact has all words, it finds similar words instead. It fails with *memories.InvalidError for an
// invalid filter, and with records.ErrCursor if the cursor is not of this list.
func (s *Store) Search(ctx context.Context, filter memories.Filter, request memories.PageRequest) (records.MemoryPage, error) {
	if err := filter.Check(); err != nil {
		return records.MemoryPage{}, err
	}
	if filter.Type != "" || filter.Stale || filter.Unchecked || filter.Scope != "" || filter.State != "" && filter.State != memories.Active {
		return s.searchMemories(ctx, filter, request) // facts have no type, age or scope, and are active
	}
	mark := paging.Mark("facts", filter.Query, filter.State)
	// Another cursor is one of the memories, and searchMemories checks it.
	at, _ := paging.Unseal[factCursor](mark, request.Cursor)
	skip := 0
	if at != nil {
		skip = max(at.Facts, 0)
	}
	total, err := s.CountFacts(ctx, 0, filter.Query)
	if err != nil {
		return records.MemoryPage{}, err
	}
	if total > 0 && request.Cursor == "" {
		filter.Near = false // near misses are not needed if a fact has all words
	}
	ofMemories := request
	if at != nil {
		ofMemories, filter.Near = memories.PageRequest{Limit: 1}, false
	}
	page, err := s.searchMemories(ctx, filter, ofMemories)
	if err != nil || page.Near {
		return page, err
	}
	if at != nil {
		page.Memories, page.NextCursor = nil, ""
	}
	page.Total += total
	if page.NextCursor != "" || skip >= total {
		return page, nil
	}
	if room := request.Limit - len(page.Memories); room > 0 {
		facts, err := s.SearchFacts(ctx, 0, filter.Query, skip, room)
		if err != nil {
			return records.MemoryPage{}, err
		}
		page.Memories = append(page.Memories, facts...)
		skip += len(facts)
	}
	if skip < total {
		page.NextCursor = paging.Seal(mark, factCursor{skip})
	}
	return page, nil
}

// CountFacts counts the facts in MEMORY.md files that have all words of the text typed, each as a
// prefix. It returns 0 if typed has no word. agentID 0 means all agents. It omits agents whose
// directory is missing or a link to another agent's.
func (s *Store) CountFacts(ctx context.Context, agentID int64, typed string) (int, error) {
	query, ok := search.Parse(typed)
	if !ok {
		return 0, nil
	}
	n, err := s.q.CountIndexFacts(ctx, queries.CountIndexFactsParams{
		Match: query.Match(search.Scope{AgentID: agentID}), AgentID: agentID, Phrases: query.Phrases(),
	})
	return int(n), dberr.Wrap("count facts of indexes", err)
}

// SearchFacts returns at most most facts in MEMORY.md files that have all words of the text typed,
// each as a prefix, best first. It leaves out the first skip facts. It returns nil if typed has no
// word. agentID 0 means all agents. It omits agents whose directory is missing or a link to another
// agent's.
func (s *Store) SearchFacts(ctx context.Context, agentID int64, typed string, skip, most int) ([]memories.Memory, error) {
	query, ok := search.Parse(typed)
	if !ok {
		return nil, nil
	}
	rows, err := s.q.SearchIndexFacts(ctx, queries.SearchIndexFactsParams{
		Match: query.Match(search.Scope{AgentID: agentID}), AgentID: agentID, Phrases: query.Phrases(), Skip: int32(skip), Most: int32(most),
	})
	return factsOf("search facts of indexes", rows, err)
}

// factsToRecall returns the facts among ids that belong to the agents in from, in any order. It
// omits other ids, and agents whose directory is missing.
func (s *Store) factsToRecall(ctx context.Context, from records.RecallSources, ids []uuid.UUID) ([]memories.Memory, error) {
	rows, err := s.q.FactsToRecall(ctx, queries.FactsToRecallParams{Ids: ids, AgentIds: from.IDs()})
	return factsOf("read facts to recall", rows, err)
}

// newestFacts returns at most most facts of the agents in from, newest first, except those with the
// ids in besides. besides may be empty, but not nil. It omits agents whose directory is missing.
func (s *Store) newestFacts(ctx context.Context, from records.RecallSources, besides []uuid.UUID, most int) ([]memories.Memory, error) {
	rows, err := s.q.NewestFactsToRecall(ctx, queries.NewestFactsToRecallParams{AgentIds: from.IDs(), Besides: besides, Most: int32(most)})
	return factsOf("list facts to recall", rows, err)
}
