package postgres

import (
	"context"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/words"
)

// Search returns one page of the memories of all agents that match, best first, by the same rules as a list of one
// agent. Of the list count Type, State, Search, Limit and Cursor. It fails with ErrCursor and ErrSearch.
func (s *Store) Search(ctx context.Context, list List) (Page, error) {
	list.Sort = byRank
	agents, err := s.q.Agents(ctx)
	if err != nil {
		return Page{}, wrap("list agents", err)
	}
	all := scope{slugs: map[int64]string{}}
	for _, agent := range agents {
		all.slugs[agent.ID] = agent.Slug
	}
	return s.page(ctx, all, list)
}

// A search is what somebody typed, as Postgres is asked for it.
type search struct {
	terms   []term   // all of which must hold
	phrases []string // runs of a script without spaces in NFKC, each of which must stand in the text
	near    bool     // it asks for words that only come close
}

// A term is one typed word: any of these words stands for it.
type term []wanted

type wanted struct {
	word   string
	prefix bool // words that begin with it are wanted too
}

// searchOf reads what people typed. ok is false when there is no word in it.
func searchOf(typed string) (s search, ok bool) {
	seen := map[string]bool{}
	for word := range words.All(typed) {
		if !seen[word] {
			s.terms = append(s.terms, term{{word, !words.SetsNoSpaces(word)}})
		}
		seen[word] = true
	}
	s.phrases = words.Runs(typed)
	return s, len(s.terms) > 0
}

// query returns the tsquery of the words, which ranks.
func (s search) query() string {
	all := make([]string, len(s.terms))
	for i, t := range s.terms {
		all[i] = t.query("")
	}
	return strings.Join(all, " & ")
}

// match returns the tsquery that finds the memories of the scope and the type.
func (s search) match(of scope, t memories.Type) string {
	query := s.query()
	if t != "" {
		query = quoted(typeSign+string(t)) + " & " + query
	}
	if of.agentID != 0 {
		query = quoted(agentSign(of.agentID)) + " & " + query
	}
	return query
}

// titled returns the tsquery that finds, of the same memories, those with one of the words in the name or description.
func (s search) titled(of scope, t memories.Type) string {
	inTitle := make([]string, len(s.terms))
	for i, t := range s.terms {
		inTitle[i] = t.query(titleSign)
	}
	return s.match(of, t) + " & (" + strings.Join(inTitle, " | ") + ")"
}

func (t term) query(sign string) string {
	each := make([]string, len(t))
	for i, w := range t {
		each[i] = quoted(sign + w.word)
		if w.prefix {
			each[i] += ":*"
		}
	}
	return "(" + strings.Join(each, " | ") + ")"
}

// quoted makes a lexeme of a word, which holds no quote: it is letters, digits, marks and signs of ours.
func quoted(word string) string { return "'" + word + "'" }

// titleSign stands before the words of a name or description, which a vector has once more under it; typeSign and
// agentSign make words of the type and the agent. No typed word has such characters in it, and these have no position,
// so that no rank changes by them. The one index then finds the hits of an agent, of a type, and in titles, without a
// look at any others.
const (
	titleSign = "^"
	typeSign  = "#"
)

func agentSign(agentID int64) string { return "@" + strconv.FormatInt(agentID, 10) }

// rankedOf bounds how many hits are ranked: the newest that have a word in the name or description, and the newest of
// all, this many of each. A search with more is one that somebody has just begun to type. To rank a hit its whole vector
// is read, which for half of 100,000 memories takes most of a second.
const rankedOf = 300

// hits is one page of a ranked list.
type hits struct {
	total  int // of the whole list
	ranked int // how many of them are ranked
	ids    []uuid.UUID
	ranks  []float32
}

// With the memories that match as hits, this chooses those to be ranked and ranks them. The second search is made only
// where not all are.
const rankHits = `WITH hits AS MATERIALIZED (SELECT s.memory_id AS id :matching),
	newest AS (SELECT id FROM hits ORDER BY id DESC LIMIT @bound),
	titled AS (SELECT id FROM hits WHERE (SELECT count(*) FROM hits) > @bound
		AND id IN (SELECT t.memory_id FROM memory_search t WHERE t.words @@ @titled::tsquery) ORDER BY id DESC LIMIT @bound),
	ranked AS MATERIALIZED (SELECT r.memory_id AS id, ts_rank(r.words, @sought::tsquery) AS rank
		FROM (SELECT id FROM newest UNION SELECT id FROM titled) c JOIN memory_search r ON r.memory_id = c.id)
`

// pageOfRanked reads which hits a page has, one more than it shows, and their number; pageOfRest does where the ranked
// ones have come to their end: what is beyond them follows with the rank 0.
const (
	pageOfRanked = rankHits + `, page AS (SELECT id, rank FROM ranked :beyond ORDER BY rank DESC, id LIMIT @most)
	SELECT (SELECT count(*) FROM hits), (SELECT count(*) FROM ranked),
		ARRAY(SELECT id FROM page ORDER BY rank DESC, id), ARRAY(SELECT rank FROM page ORDER BY rank DESC, id)`

	pageOfRest = rankHits + `, page AS (SELECT id FROM hits WHERE id NOT IN (SELECT id FROM ranked) :beyond ORDER BY id LIMIT @most)
	SELECT (SELECT count(*) FROM hits), (SELECT count(*) FROM ranked),
		ARRAY(SELECT id FROM page ORDER BY id), ARRAY(SELECT 0::real FROM page)`
)

// unranked is the key of what is listed behind the ranked hits.
const unranked = "0"

// rankedRows reads one page of a ranked list, one row more than it shows, and how long the list is.
func rankedRows(ctx context.Context, tx pgx.Tx, l List, c conditions, after *place) (found []listRow, total int, err error) {
	c.args["bound"], c.args["most"] = rankedOf, l.Limit+1
	var h hits
	if after == nil || after.Key != unranked {
		beyond := ""
		if after != nil {
			c.args["key"], c.args["id"] = after.Key, after.ID
			// The key goes as text and is cast there, so that it is compared as exactly as it was computed.
			beyond = "WHERE rank < @key::text::real OR (rank = @key::text::real AND id > @id)"
		}
		if h, err = readHits(ctx, tx, pageOfRanked, c, beyond); err != nil {
			return nil, 0, err
		}
	}
	if rest := l.Limit + 1 - len(h.ids); rest > 0 && (h.total > h.ranked || h.total == 0 && after != nil) {
		c.args["most"] = rest
		beyond := ""
		if after != nil && after.Key == unranked {
			c.args["id"] = after.ID
			beyond = "AND id > @id"
		}
		further, err := readHits(ctx, tx, pageOfRest, c, beyond)
		if err != nil {
			return nil, 0, err
		}
		h = hits{further.total, further.ranked, append(h.ids, further.ids...), append(h.ranks, further.ranks...)}
	}
	found, err = rowsOf(ctx, tx, h)
	return found, h.total, err
}

func readHits(ctx context.Context, tx pgx.Tx, sql string, c conditions, beyond string) (h hits, err error) {
	sql = strings.NewReplacer(":matching", c.sql, ":beyond", beyond).Replace(sql)
	err = tx.QueryRow(ctx, sql, c.args).Scan(&h.total, &h.ranked, &h.ids, &h.ranks)
	return h, err
}

// rowsOf reads the memories that were hit, in their order.
func rowsOf(ctx context.Context, tx pgx.Tx, h hits) ([]listRow, error) {
	rows, err := queries.New(tx).MemoriesByID(ctx, h.ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[uuid.UUID]queries.MemoriesByIDRow, len(rows))
	for _, row := range rows {
		byID[row.Memory.ID] = row
	}
	found := make([]listRow, len(h.ids))
	for i, id := range h.ids {
		row := byID[id]
		found[i] = listRow{head: row.Memory, description: row.Description, body: row.Body, rank: h.ranks[i]}
	}
	return found, nil
}

// searching runs reads that ask the search index. The planner takes vectors for cheap to read, and where many match it
// would rather read those of all memories than ask the index.
func (s *Store) searching(ctx context.Context, do func(pgx.Tx) error) error {
	snapshot := pgx.TxOptions{AccessMode: pgx.ReadOnly, IsoLevel: pgx.RepeatableRead}
	return wrap("search", pgx.BeginTxFunc(ctx, s.pool, snapshot, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL enable_seqscan = off"); err != nil {
			return err
		}
		return do(tx)
	}))
}
