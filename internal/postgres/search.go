package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"memoir/internal/postgres/internal/queries"
	"memoir/internal/words"
)

// searchMemories returns one page of the memories of all agents that match, best first, by the same rules as a list of one
// agent. Of the list count Type, State, Search, Near, Limit and Cursor. It fails with ErrCursor and ErrSearch.
func (s *Store) searchMemories(ctx context.Context, list List) (Page, error) {
	list.Sort = byRank
	agents, err := s.q.Agents(ctx)
	if err != nil {
		return Page{}, wrap("list agents", err)
	}
	all := scope{slugs: map[int64]string{}}
	for _, agent := range agents {
		all.slugs[agent.ID] = agent.Slug
		if agent.JoinedTo != nil {
			all.joined = append(all.joined, agent.ID)
		}
	}
	return s.page(ctx, all, list)
}

// found reads one page of a search, one row more than it shows: the memories that have all words or, if there are none and
// the list wants near misses, those with words that come close.
func (s *Store) found(ctx context.Context, of scope, l List, after *place) (rows []listRow, total int, near bool, err error) {
	exact, ok := searchOf(l.Search)
	if !ok {
		return nil, 0, false, nil
	}
	err = pgx.BeginTxFunc(ctx, s.pool, byIndex, func(tx pgx.Tx) error {
		if after == nil || !after.Near {
			rows, total, err = listed(ctx, tx, l, l.conditions(of, exact), after)
			if err != nil || total > 0 || !l.Near || !s.nearMisses || after != nil {
				return err // near misses never follow a page of exact hits, even if all of these are gone
			}
			if l.Type != "" || l.filtersBeyondTallies() {
				// A filter that leaves out all hits is no reason to offer other words.
				unfiltered := List{State: l.State, Search: l.Search, Sort: byRank}
				elsewhere, err := unfiltered.conditions(of, exact).total(ctx, tx)
				if err != nil || elsewhere > 0 {
					return err
				}
			}
		}
		sought, anyNear, err := nearSearch(ctx, queries.New(tx), exact)
		if err != nil || !anyNear {
			return err
		}
		rows, total, err = listed(ctx, tx, l, l.conditions(of, sought), after)
		near = total > 0
		return err
	})
	return rows, total, near, wrap("search", err)
}

// byIndex is a transaction that uses the search index. The planner underestimates the cost of reading vectors: where many
// match, it would read those of all memories instead.
var byIndex = pgx.TxOptions{BeginQuery: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL enable_seqscan = off"}

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

// match returns the tsquery that finds the memories of the scope.
func (s search) match(of scope) string { return within(of) + s.query() }

// titled returns the tsquery that finds, of the scope, the memories with one of the words in the name or description.
func (s search) titled(of scope) string {
	inTitle := make([]string, len(s.terms))
	for i, t := range s.terms {
		inTitle[i] = t.query(titleSign)
	}
	return within(of) + "(" + strings.Join(inTitle, " | ") + ")"
}

// within begins a tsquery that finds the memories of the scope alone.
func within(of scope) (query string) {
	if of.agentID != 0 {
		query = quoted(agentSign(of.agentID)) + " & "
	}
	for _, id := range of.joined {
		query += "!" + quoted(agentSign(id)) + " & "
	}
	return query
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

// Two signs mark lexemes that no typed word can be; they have no position, so no rank changes by them. A word of a name or
// description is in the vector again with titleSign. agentsSign and the agent's id let the one index find the hits of an agent
// without reading those of others.
const (
	titleSign  = "^"
	agentsSign = "@"
)

func agentSign(agentID int64) string { return agentsSign + strconv.FormatInt(agentID, 10) }

// maxRanked is how many hits are ranked, those with a word in the title first, then the newest. The rank is computed from
// the whole vector, which takes 5 µs, or 25 µs if Postgres reads it from the disk cache.
const maxRanked = 300

// rankedQuery returns the query of one page of a search, best first, after that place. Hits that are not ranked follow with
// the rank 0.
func rankedQuery(c conditions, l List, after *place) string {
	beyond := ""
	if after != nil {
		c.args["key"], c.args["id"] = after.Key, after.ID
		// The key goes as text and is cast there, so that it is compared as exactly as it was computed.
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
		ORDER BY page.rank DESC, page.id`, c.sql, maxRanked, beyond, l.Limit+1, rowColumns)
}
