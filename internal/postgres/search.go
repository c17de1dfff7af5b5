package postgres

import (
	"context"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
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
	return within(of, t) + s.query()
}

// titled returns the tsquery that finds, of the same memories, those with one of the words in the name or description.
func (s search) titled(of scope, t memories.Type) string {
	inTitle := make([]string, len(s.terms))
	for i, t := range s.terms {
		inTitle[i] = t.query(titleSign)
	}
	if len(inTitle) == 1 {
		return within(of, t) + inTitle[0] // what has the word in its title has the word
	}
	return s.match(of, t) + " & (" + strings.Join(inTitle, " | ") + ")"
}

// within begins a tsquery that finds the memories of the scope and the type alone.
func within(of scope, t memories.Type) (query string) {
	if of.agentID != 0 {
		query = quoted(agentSign(of.agentID)) + " & "
	}
	for _, id := range of.joined {
		query += "!" + quoted(agentSign(id)) + " & "
	}
	if t != "" {
		query += quoted(typeSign+string(t)) + " & "
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

// titleSign stands before the words of a name or description, which a vector has once more under it; typeSign and
// agentSign make words of the type and the agent. No typed word has such characters in it, and these have no position,
// so that no rank changes by them. The one index then finds the hits of an agent, of a type, and in titles, without a
// look at any others.
const (
	titleSign  = "^"
	typeSign   = "#"
	agentsSign = "@"
)

func agentSign(agentID int64) string { return agentsSign + strconv.FormatInt(agentID, 10) }

const (
	// allRanked is how many hits a search may have for all of them to be ranked. To rank one its whole vector is read, from a
	// page of its own as a rule, which takes 5 µs, and five times as long where Postgres has to ask the system for it.
	allRanked = 300
	// someRanked bounds how many of a search with more hits are ranked, which is one that somebody has just begun to type: the
	// newest that have a word in the name or description, and where those are fewer, the newest of all beside them. A hit in
	// the body alone comes after one in a title, however often it has the word.
	someRanked = 100
	// frequent is from how many hits on the newest are looked for among the newest memories, which takes a millisecond or
	// two, before the index is asked for all, which takes tens of them.
	frequent = 20_000
	// amongNewest is how many memories that goes through: the hits may be old ones.
	amongNewest = 15 * someRanked
)

// rankedOf bounds how many of so many hits are ranked.
func rankedOf(total int) int {
	if total <= allRanked {
		return allRanked
	}
	return someRanked
}

// chooseHits chooses the hits that are ranked.
const chooseHits = `WITH hits AS MATERIALIZED (SELECT s.memory_id AS id :matching),
	hits_in_titles AS MATERIALIZED (SELECT s.memory_id AS id :titled),
	newest_titled AS MATERIALIZED (SELECT :choice_titled ORDER BY id DESC LIMIT @bound),
	newest AS MATERIALIZED (SELECT :choice ORDER BY id DESC LIMIT @bound - (SELECT count(*) FROM newest_titled)),
	chosen AS MATERIALIZED (SELECT id FROM newest UNION SELECT id FROM newest_titled),
`

// ofAll are what the newest are chosen from where the index has been asked for all hits. Asked for in that order, the planner
// would rather go through the memories until it has met enough hits, and rare ones are met late.
const ofAll, ofAllTitled = "id FROM hits", "id FROM hits_in_titles"

// ofNewest are those hits that are among the newest memories.
func ofNewest(matching string) string {
	const newestMemories = "(SELECT * FROM memory_search ORDER BY memory_id DESC LIMIT @among) s"
	return "s.memory_id AS id " + strings.Replace(matching, "memory_search s", newestMemories, 1)
}

// pageOfRanked reads which hits a page has, one more than it shows, and how many are ranked; pageOfRest does where the
// ranked ones have come to their end: what is beyond them follows with the rank 0.
const (
	pageOfRanked = `ranked AS MATERIALIZED (SELECT r.memory_id AS id, ts_rank(r.words, @sought::tsquery) AS rank
			FROM chosen JOIN memory_search r ON r.memory_id = chosen.id),
		page AS (SELECT id, rank FROM ranked :beyond ORDER BY rank DESC, id LIMIT @most)
	SELECT (SELECT count(*) FROM newest), (SELECT count(*) FROM newest_titled), (SELECT count(*) FROM chosen),
		ARRAY(SELECT id FROM page ORDER BY rank DESC, id), ARRAY(SELECT rank FROM page ORDER BY rank DESC, id)`

	pageOfRest = `page AS (SELECT id FROM hits WHERE id NOT IN (SELECT id FROM chosen) :beyond ORDER BY id LIMIT @most)
	SELECT (SELECT count(*) FROM newest), (SELECT count(*) FROM newest_titled), (SELECT count(*) FROM chosen),
		ARRAY(SELECT id FROM page ORDER BY id), ARRAY(SELECT 0::real FROM page)`
)

// unranked is the key of what is listed behind the ranked hits.
const unranked = "0"

// hits are those of one page of a ranked list.
type hits struct {
	newest, titled int // how many of each were found
	ranked         int // how many are ranked, of the whole list
	ids            []uuid.UUID
	ranks          []float32
}

// rankedRows reads one page of a ranked list of so many hits, one row more than it shows.
func (on *searcher) rankedRows(ctx context.Context, l List, c conditions, total int, after *place) ([]listRow, error) {
	c.args["bound"], c.args["among"] = rankedOf(total), amongNewest
	var h hits
	var err error
	if after == nil || after.Key != unranked {
		c.args["most"] = l.Limit + 1
		if h, err = c.read(ctx, on.conn, total, c.beyond(pageOfRanked, after), ""); err != nil {
			return nil, err
		}
	}
	if rest := l.Limit + 1 - len(h.ids); rest > 0 && total > h.ranked {
		c.args["most"] = rest
		beyond := ""
		if after != nil && after.Key == unranked {
			c.args["id"] = after.ID
			beyond = "AND id > @id"
		}
		further, err := c.read(ctx, on.conn, total, pageOfRest, beyond)
		if err != nil {
			return nil, err
		}
		h.ids, h.ranks = append(h.ids, further.ids...), append(h.ranks, further.ranks...)
	}
	return on.last(ctx, rowsOfHits, pgx.NamedArgs{"ids": h.ids, "ranks": h.ranks})
}

// beyond completes the query of a page of ranked hits with what is behind that place.
func (c conditions) beyond(query string, after *place) string {
	where := ""
	if after != nil {
		c.args["key"], c.args["id"] = after.Key, after.ID
		// The key goes as text and is cast there, so that it is compared as exactly as it was computed.
		where = "WHERE rank < @key::text::real OR (rank = @key::text::real AND id > @id)"
	}
	return strings.Replace(query, ":beyond", where, 1)
}

// read chooses the hits that are ranked, of so many, and reads a page.
func (c conditions) read(ctx context.Context, on reader, total int, page, beyond string) (h hits, err error) {
	titled := strings.Replace(c.sql, "@match", "@titled", 1)
	if total <= allRanked {
		titled = "FROM memory_search s WHERE false" // all are ranked
	}
	read := func(choice, choiceTitled string) (h hits, err error) {
		sql := strings.NewReplacer(":matching", c.sql, ":titled", titled, ":choice_titled", choiceTitled, ":choice", choice,
			":beyond", beyond).Replace(chooseHits + page)
		err = on.QueryRow(ctx, sql, c.args).Scan(&h.newest, &h.titled, &h.ranked, &h.ids, &h.ranks)
		return h, err
	}
	if total < frequent {
		return read(ofAll, ofAllTitled)
	}
	choice, choiceTitled := ofNewest(c.sql), ofNewest(titled)
	if h, err = read(choice, choiceTitled); err != nil || h.titled == someRanked {
		return h, err
	}
	if h.newest+h.titled < someRanked {
		choice = ofAll
	}
	return read(choice, ofAllTitled)
}

// rowsOfHits reads the memories of a page.
const rowsOfHits = `WITH page AS (SELECT * FROM unnest(@ids::uuid[], @ranks::real[]) AS page (id, rank))` + pageOfHits

// pageOfHits reads the memories of a page of ids and ranks, in their order.
const pageOfHits = ` SELECT ` + rowColumns + `, page.rank
	FROM page JOIN memories m ON m.id = page.id JOIN revisions r ON r.id = m.revision_id
	ORDER BY page.rank DESC, page.id`

func scanHit(row pgx.CollectableRow) (r listRow, err error) {
	err = row.Scan(r.columns(&r.rank)...)
	return r, err
}
