package postgres

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
)

// concordance is what a search finds by one.
type concordance struct {
	parts []partIDs
	// hits are those of each part, titled those of them that have one of the words in the title.
	hits, titled []numbers
	// since are the hits among the memories that the concordance knows nothing certain of, in the order of their ids.
	since []sinceHit
}

type sinceHit struct {
	id     uuid.UUID
	titled bool
}

// byConcordance finds the memories of the agent that match; nil where the agent has no concordance, or too much has
// changed since, or is in the trash, to be looked at in each search. What it asks Postgres goes there and back in one piece, with
// what begins the transaction and tells who the agent is: each round trip costs as much as counting the hits.
func (on *searcher) byConcordance(ctx context.Context, t memories.Type, sought search) (*concordance, error) {
	var at concordance
	var id *int64
	var trash, changed []uuid.UUID
	found := foundWords{terms: len(sought.terms)}
	if t != "" {
		found.terms++
	}
	var all pgx.Batch
	on.begin(&all)
	all.Queue(concordanceOf, on.of.named()).QueryRow(func(row pgx.Row) error {
		var parts int
		err := row.Scan(&on.of.agentID, &on.claudeMDProblem, &id, &parts)
		found.make(parts)
		return err
	})
	all.Queue(wordsSought, sought.ranges(t, on.of)).Query(found.read)
	all.Queue(trashOf, on.of.named(), mostTrash).Query(func(rows pgx.Rows) (err error) {
		trash, err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		return err
	})
	all.Queue(changedSince, sought.changed(t, on.of)).Query(func(rows pgx.Rows) (err error) {
		changed, at.since, err = readChanged(rows)
		return err
	})
	if err := on.conn.SendBatch(ctx, &all).Close(); err != nil || id == nil || len(trash) > mostTrash || len(changed) > mostChanged {
		return nil, err
	}
	var err error
	if at.parts, err = on.concordances.parts(ctx, queries.New(on.conn), *id); err != nil {
		return nil, err
	}
	at.hits, at.titled = found.all()
	for _, id := range append(trash, changed...) {
		if part, n, known := numberOf(at.parts, id); known {
			at.hits[part].remove(n)
			at.titled[part].remove(n)
		}
	}
	return &at, nil
}

// concordanceOf asks who the agent is, which its concordance is, and how many parts that has.
const concordanceOf = `SELECT a.id, a.claude_md_problem, c.id, (SELECT count(*) FROM concordance_parts p WHERE p.concordance_id = c.id)
	FROM agents a
	CROSS JOIN LATERAL (SELECT max(id) AS id FROM concordances WHERE agent_id = a.id AND state = 'complete') c
	WHERE a.slug = $1`

// theConcordance is the one of the agent.
const theConcordance = `(SELECT max(c.id) FROM agents a JOIN concordances c ON c.agent_id = a.id AND c.state = 'complete' WHERE a.slug = @slug)`

// wordsSought asks for the words from one to another, of all parts. OFFSET 0 keeps the planner from reading all words of the concordance in
// place of asking for a few. What is unnested is selected first, so that the planner knows no better how much it is by looking at it:
// else it would plan anew each time, which takes twice as long as to carry it out.
const wordsSought = `SELECT t.kind, w.part, w.numbers
	FROM unnest((SELECT @kinds::int[]), (SELECT @first::text[]), (SELECT @last::text[])) AS t (kind, first, last)
	CROSS JOIN LATERAL (SELECT w.part, w.numbers FROM concordance_words w
		WHERE w.concordance_id = ` + theConcordance + ` AND w.word >= t.first AND w.word <= t.last OFFSET 0) w`

// A kind of words is those of one term, in the text or in titles; those of the type come after all terms.
const (
	inText = iota
	inTitle
	kindsOfTerm
)

// ranges returns the arguments of wordsSought.
func (s search) ranges(t memories.Type, of scope) pgx.NamedArgs {
	var kinds []int32
	var first, last []string
	add := func(kind int, sign string, w wanted) {
		kinds, first, last = append(kinds, int32(kind)), append(first, sign+w.word), append(last, sign+w.word)
		if w.prefix {
			last[len(last)-1] += "\U0010FFFF" // after all that begins with the word
		}
	}
	for i, term := range s.terms {
		for _, w := range term {
			add(i*kindsOfTerm+inText, "", w)
			add(i*kindsOfTerm+inTitle, titleSign, w)
		}
	}
	if t != "" {
		add(len(s.terms)*kindsOfTerm+inText, typeSign, wanted{word: string(t)})
	}
	return pgx.NamedArgs{"slug": of.named(), "kinds": kinds, "first": first, "last": last}
}

// foundWords are the memories that have the words, by kind and part.
type foundWords struct {
	terms int
	sets  [][]numbers
}

func (f *foundWords) make(parts int) {
	f.sets = make([][]numbers, f.terms*kindsOfTerm)
	for i := range f.sets {
		f.sets[i] = make([]numbers, parts)
	}
}

func (f *foundWords) read(rows pgx.Rows) error {
	var kind, part int
	var packed pgtype.DriverBytes
	for rows.Next() {
		if err := rows.Scan(&kind, &part, &packed); err != nil {
			return err
		}
		if err := f.sets[kind][part].addPacked(packed); err != nil {
			return err
		}
	}
	return rows.Err()
}

// all returns which memories have all terms, and which of these have one of them in the title.
func (f *foundWords) all() (hits, titled []numbers) {
	hits, titled = f.sets[inText], f.sets[inTitle]
	for part := range hits {
		for i := kindsOfTerm; i < len(f.sets); i += kindsOfTerm {
			hits[part].keep(&f.sets[i+inText][part])
			titled[part].add(&f.sets[i+inTitle][part])
		}
		titled[part].keep(&hits[part])
	}
	return hits, titled
}

// What does not count as the concordance has it is bounded: beyond this the index is quicker.
const (
	// mostChanged is of what has changed since. To find out whether a memory is a hit takes 5 µs and more.
	mostChanged = 3_000
	// mostTrash is of what is in the trash, which is only left out.
	mostTrash = 20_000
)

// trashOf asks for what is in the trash.
const trashOf = `SELECT d.id FROM memories d
	WHERE d.agent_id = (SELECT a.id FROM agents a WHERE a.slug = $1) AND d.state = 'deleted' LIMIT $2::int + 1`

// changedSince asks for what the concordance says nothing certain of, and whether that is a hit. The limit is by the index alone.
const changedSince = `SELECT n.memory_id, coalesce(s.words @@ @match::tsquery AND m.state <> 'deleted', false), coalesce(s.words @@ @titled::tsquery, false)
	FROM (SELECT n.memory_id FROM concordance_since n WHERE n.concordance_id = ` + theConcordance + ` LIMIT @most_changed::int + 1) n
	LEFT JOIN memory_search s ON s.memory_id = n.memory_id
	LEFT JOIN memories m ON m.id = n.memory_id`

// changed returns the arguments of changedSince, which asks for memories of the agent alone without its sign.
func (s search) changed(t memories.Type, of scope) pgx.NamedArgs {
	return pgx.NamedArgs{"slug": of.named(), "match": s.match(scope{}, t), "titled": s.titled(scope{}, t), "most_changed": mostChanged}
}

// readChanged returns all of these, and the hits among them in the order of their ids.
func readChanged(rows pgx.Rows) (all []uuid.UUID, hits []sinceHit, err error) {
	for rows.Next() {
		var one sinceHit
		var hit bool
		if err := rows.Scan(&one.id, &hit, &one.titled); err != nil {
			return nil, nil, err
		}
		all = append(all, one.id)
		if hit {
			hits = append(hits, one)
		}
	}
	slices.SortFunc(hits, func(a, b sinceHit) int { return compareIDs(a.id, b.id) })
	return all, hits, rows.Err()
}

func (at *concordance) total() (n int) {
	for part := range at.hits {
		n += at.hits[part].count()
	}
	return n + len(at.since)
}

// chosen returns the hits that are ranked, in the order of their ids: as chooseHits chooses them.
func (at *concordance) chosen() []uuid.UUID {
	total := at.total()
	most := rankedOf(total)
	var all []uuid.UUID
	if total > allRanked {
		all = at.newest(at.titled, most, func(h sinceHit) bool { return h.titled })
	}
	all = append(all, at.newest(at.hits, most-len(all), func(sinceHit) bool { return true })...)
	slices.SortFunc(all, compareIDs)
	return slices.Compact(all)
}

// newest returns the newest hits of a kind, so many at most.
func (at *concordance) newest(of []numbers, most int, since func(sinceHit) bool) []uuid.UUID {
	var ids []uuid.UUID
	for part := len(of) - 1; part >= 0 && len(ids) < most; part-- {
		for n := range of[part].descending {
			if ids = append(ids, at.parts[part].id(n)); len(ids) == most {
				break
			}
		}
	}
	for _, hit := range at.since {
		if since(hit) {
			ids = append(ids, hit.id)
		}
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return compareIDs(b, a) })
	return ids[:min(len(ids), most)]
}

// rest returns, in the order of their ids, the next hits after that id that are not chosen.
func (at *concordance) rest(chosen []uuid.UUID, after uuid.UUID, most int) []uuid.UUID {
	var ids []uuid.UUID
	wanted := func(id uuid.UUID) bool {
		_, ranked := slices.BinarySearchFunc(chosen, id, compareIDs)
		return !ranked && compareIDs(id, after) > 0
	}
	for part := range at.hits {
		if len(ids) >= most {
			break
		}
		for n := range at.hits[part].ascending {
			if id := at.parts[part].id(n); wanted(id) {
				if ids = append(ids, id); len(ids) == most {
					break
				}
			}
		}
	}
	for _, hit := range at.since {
		if wanted(hit.id) {
			ids = append(ids, hit.id)
		}
	}
	slices.SortFunc(ids, compareIDs)
	return ids[:min(len(ids), most)]
}

// rankedPage reads a page: the chosen hits in order, and behind them, with the rank 0, the rest.
const rankedPage = `WITH ranked AS MATERIALIZED (SELECT s.memory_id AS id, ts_rank(s.words, @sought::tsquery) AS rank
			FROM memory_search s WHERE s.memory_id = ANY(@chosen::uuid[])),
		page AS MATERIALIZED (SELECT id, rank FROM (
			SELECT id, rank FROM ranked :beyond UNION ALL SELECT unnest(@rest::uuid[]), 0) hits
			ORDER BY rank DESC, id LIMIT @most)` + pageOfHits

// rows reads one page, one row more than it shows, as rankedRows does.
func (at *concordance) rows(ctx context.Context, on *searcher, l List, sought search, after *place) ([]listRow, error) {
	if at.total() == 0 {
		return nil, nil
	}
	chosen, most := at.chosen(), l.Limit+1
	c := conditions{args: pgx.NamedArgs{"sought": sought.query(), "most": most}}
	if after != nil && after.Key == unranked {
		c.args["chosen"], c.args["rest"] = []uuid.UUID{}, at.rest(chosen, after.ID, most)
		return on.last(ctx, c.beyond(rankedPage, nil), c.args)
	}
	c.args["chosen"], c.args["rest"] = chosen, []uuid.UUID{}
	if after != nil || len(chosen) < most {
		c.args["rest"] = at.rest(chosen, uuid.Nil, most)
	}
	return on.last(ctx, c.beyond(rankedPage, after), c.args)
}

// partIDs are the ids of a part's memories as they are kept, in ascending order.
type partIDs []byte

const idSize = len(uuid.UUID{})

func (p partIDs) len() int { return len(p) / idSize }

func (p partIDs) id(n int) uuid.UUID { return uuid.UUID(p[n*idSize : (n+1)*idSize]) }

// numberOf returns where a memory is.
func numberOf(parts []partIDs, id uuid.UUID) (part, n int, known bool) {
	part, exact := slices.BinarySearchFunc(parts, id, func(p partIDs, id uuid.UUID) int { return compareIDs(p.id(0), id) })
	if !exact {
		part--
	}
	if part < 0 {
		return 0, 0, false
	}
	low, high := 0, parts[part].len()
	for low < high {
		middle := (low + high) / 2
		if compareIDs(parts[part].id(middle), id) < 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return part, low, low < parts[part].len() && parts[part].id(low) == id
}

func compareIDs(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }

// mostParts bounds what is kept of concordances: 160 KB each.
const mostParts = 50

// concordances keeps the ids of the memories of those that were searched lately, which never change.
type concordances struct {
	mu   sync.Mutex
	kept map[int64][]partIDs
	n    int // parts
}

func (c *concordances) parts(ctx context.Context, q *queries.Queries, id int64) ([]partIDs, error) {
	c.mu.Lock()
	known, ok := c.kept[id]
	c.mu.Unlock()
	if ok {
		return known, nil
	}
	rows, err := q.ConcordanceParts(ctx, id)
	if err != nil {
		return nil, err
	}
	parts := make([]partIDs, len(rows))
	for i, row := range rows {
		parts[i] = row
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n += len(parts); c.kept == nil || c.n > mostParts {
		c.kept, c.n = map[int64][]partIDs{}, len(parts)
	}
	c.kept[id] = parts
	return parts, nil
}
