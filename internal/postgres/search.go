package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/postgres/search"
	"memoir/internal/records"
)

// searchMemories returns one page of the memories of all agents that match the search, best first.
// Of filter, only Type, State, Stale, Unchecked, Scope, Query and Near may be set. It omits agents whose
// directory is a link to another agent's. It fails with records.ErrCursor if the cursor is not of this
// list.
func (s *Store) searchMemories(ctx context.Context, filter memories.Filter, page memories.PageRequest) (records.MemoryPage, error) {
	filter.Sort = byRank
	agents, err := s.q.Agents(ctx)
	if err != nil {
		return records.MemoryPage{}, dberr.Wrap("list agents", err)
	}
	all := scope{slugs: map[int64]string{}}
	for _, agent := range agents {
		all.slugs[agent.ID] = agent.Slug
		if agent.JoinedTo != nil {
			all.joined = append(all.joined, agent.ID)
		}
	}
	return s.page(ctx, all, filter, page)
}

// found returns the rows of one page of a search, and one more if there is a next page. total is
// the number of memories with all words. If it is 0 and l.Near is set, found searches for similar
// words instead, unless only the other filters exclude the hits. near reports whether that has
// found any; total is then their number. It returns zero values and no error if the query has no
// word.
func (s *Store) found(ctx context.Context, of scope, l memoryList, after *place) (rows []listRow, total int, near bool, err error) {
	exact, ok := search.Parse(l.Query)
	if !ok {
		return nil, 0, false, nil
	}
	err = pgx.BeginTxFunc(ctx, s.pool, byIndex, func(tx pgx.Tx) error {
		if after == nil || !after.Near {
			rows, total, err = listed(ctx, tx, l, selectionOf(l.Filter, of, exact), after)
			if err != nil || total > 0 || !l.Near || !s.nearMisses || after != nil {
				return err // near misses never follow a page of exact hits
			}
			if l.Type != "" || filtersBeyondTallies(l.Filter) {
				// A filter that leaves out all hits is no reason to offer other words.
				unfiltered := memories.Filter{State: l.State, Query: l.Query, Sort: byRank}
				elsewhere, err := selectionOf(unfiltered, of, exact).total(ctx, tx)
				if err != nil || elsewhere > 0 {
					return err
				}
			}
		}
		sought, anyNear, err := fuzzyQuery(ctx, queries.New(tx), exact)
		if err != nil || !anyNear {
			return err
		}
		rows, total, err = listed(ctx, tx, l, selectionOf(l.Filter, of, sought), after)
		near = total > 0
		return err
	})
	return rows, total, near, dberr.Wrap("search", err)
}

// byIndex makes a transaction use the search index. The planner underestimates the cost of reading
// vectors, and would read those of all memories for frequent words.
var byIndex = pgx.TxOptions{BeginQuery: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL enable_seqscan = off"}

// fuzzyQuery returns a query in which each typed word also matches similar words of memories. It
// returns false if there are no similar words; the query is then not to be used.
func fuzzyQuery(ctx context.Context, q *queries.Queries, exact search.Query) (search.Query, bool, error) {
	typed := exact.Mistyped()
	if len(typed) == 0 {
		return search.Query{}, false, nil
	}
	rows, err := q.SimilarWords(ctx, typed)
	if err != nil {
		return search.Query{}, false, err
	}
	fuzzy, ok := exact.Fuzzy(dbconv.All(rows, func(row queries.SimilarWordsRow) search.Similar { return search.Similar(row) }))
	return fuzzy, ok, nil
}

// maxRanked is the number of hits whose rank is computed: first those with a word in the title,
// then the newest. The rank needs the whole vector, which takes 5 µs, or 25 µs from the disk cache.
const maxRanked = 300

// rankedQuery returns the query of one page of a search, and one more row, best first. Only
// maxRanked hits have a rank; the others have rank 0 and follow. after is the last place of the
// page before, or nil. It adds the arguments of that place to c.args.
func rankedQuery(c selection, l memoryList, after *place) string {
	beyond := ""
	if after != nil {
		c.args["key"], c.args["id"] = after.Key, after.ID
		// Postgres casts the key, so that it is compared in its full precision.
		beyond = "WHERE rank < @key::text::real OR (rank = @key::text::real AND id > @id)"
	}
	return fmt.Sprintf(`WITH hits AS MATERIALIZED (SELECT s.memory_id AS id %s),
		ranked AS MATERIALIZED (SELECT s.memory_id AS id, ts_rank(s.words, @sought::tsquery) AS rank
			FROM memory_search s WHERE s.memory_id = ANY(ARRAY(SELECT id FROM hits
				ORDER BY id IN (SELECT t.memory_id FROM memory_search t WHERE t.words @@ @titled::tsquery) DESC, id DESC
				LIMIT %d))),
		page AS (SELECT id, rank FROM (
				SELECT id, coalesce(ranked.rank, 0::real) AS rank FROM hits LEFT JOIN ranked USING (id)) hits
			%s ORDER BY rank DESC, id LIMIT %d)
		SELECT %s, page.rank, (SELECT count(*) FROM hits)
		FROM page JOIN memories m ON m.id = page.id JOIN revisions r ON r.id = m.revision_id
		ORDER BY page.rank DESC, page.id`, c.sql, maxRanked, beyond, l.limit+1, rowColumns)
}
