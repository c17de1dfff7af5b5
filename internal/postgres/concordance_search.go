package postgres

import (
	"bytes"
	"context"
	"errors"
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

// byConcordance finds the memories of one agent that match; found is false where the agent has no concordance.
func (on searcher) byConcordance(ctx context.Context, agentID int64, t memories.Type, sought search, c conditions) (_ *concordance, found bool, err error) {
	q := queries.New(on.tx)
	id, err := q.ConcordanceOf(ctx, agentID)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	var at concordance
	if at.parts, err = on.concordances.parts(ctx, q, id); err != nil {
		return nil, false, err
	}
	if err := at.find(ctx, on.tx, id, t, sought); err != nil {
		return nil, false, err
	}
	return &at, true, at.correct(ctx, on.tx, id, c)
}

// Of each term there are the hits in texts, in titles, and those of the type.
const (
	inText = iota
	inTitle
	kindsOfHits
)

// wordsSought asks for the words from one to another. The fence keeps the planner from reading all words of all parts in place
// of asking for a few in each.
const wordsSought = `SELECT t.n, p.part, w.numbers
	FROM concordance_parts p
	CROSS JOIN unnest(@of::int[], @first::text[], @last::text[]) AS t (n, first, last)
	CROSS JOIN LATERAL (SELECT w.numbers FROM concordance_words w
		WHERE w.concordance_id = p.concordance_id AND w.part = p.part AND w.word >= t.first AND w.word <= t.last OFFSET 0) w
	WHERE p.concordance_id = @id`

// find sets the hits, as far as the concordance knows.
func (at *concordance) find(ctx context.Context, tx pgx.Tx, id int64, t memories.Type, sought search) error {
	var of []int32
	var first, last []string
	add := func(n int, sign string, w wanted) {
		of, first, last = append(of, int32(n)), append(first, sign+w.word), append(last, sign+w.word)
		if w.prefix {
			last[len(last)-1] += "\U0010FFFF" // after all that begins with the word
		}
	}
	for i, term := range sought.terms {
		for _, w := range term {
			add(i*kindsOfHits+inText, "", w)
			add(i*kindsOfHits+inTitle, titleSign, w)
		}
	}
	if t != "" {
		add(len(sought.terms)*kindsOfHits+inText, typeSign, wanted{word: string(t)})
	}
	sets := make([][]numbers, (len(sought.terms)+1)*kindsOfHits)
	for i := range sets {
		sets[i] = make([]numbers, len(at.parts))
	}
	rows, err := tx.Query(ctx, wordsSought, pgx.NamedArgs{"id": id, "of": of, "first": first, "last": last})
	if err != nil {
		return err
	}
	defer rows.Close()
	var n, part int
	var packed pgtype.DriverBytes
	for rows.Next() {
		if err := rows.Scan(&n, &part, &packed); err != nil {
			return err
		}
		if err := sets[n][part].addPacked(packed); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	at.hits, at.titled = sets[inText], sets[inTitle]
	for i := 1; i*kindsOfHits < len(sets); i++ {
		if i == len(sought.terms) && t == "" {
			break
		}
		for part := range at.parts {
			at.hits[part].keep(&sets[i*kindsOfHits+inText][part])
			at.titled[part].add(&sets[i*kindsOfHits+inTitle][part])
		}
	}
	for part := range at.parts {
		at.titled[part].keep(&at.hits[part])
	}
	return nil
}

// correct leaves out what is in the trash and what has changed since, and adds what of this is found now.
func (at *concordance) correct(ctx context.Context, tx pgx.Tx, id int64, c conditions) error {
	c.args["concordance"] = id
	const trash = "(SELECT d.id FROM memories d WHERE d.agent_id = @agent AND d.state = 'deleted')"
	rows, err := tx.Query(ctx, `SELECT d.id, false, false FROM `+trash+` d
		UNION ALL
		SELECT n.memory_id, coalesce(s.words @@ @match::tsquery AND n.memory_id NOT IN `+trash+`, false), coalesce(s.words @@ @titled::tsquery, false)
		FROM concordance_since n LEFT JOIN memory_search s ON s.memory_id = n.memory_id
		WHERE n.concordance_id = @concordance`, c.args)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var one sinceHit
		var hit bool
		if err := rows.Scan(&one.id, &hit, &one.titled); err != nil {
			return err
		}
		if part, n, known := numberOf(at.parts, one.id); known {
			at.hits[part].remove(n)
			at.titled[part].remove(n)
		}
		if hit {
			at.since = append(at.since, one)
		}
	}
	slices.SortFunc(at.since, func(a, b sinceHit) int { return compareIDs(a.id, b.id) })
	return rows.Err()
}

func (at *concordance) total() (n int) {
	for part := range at.hits {
		n += at.hits[part].count()
	}
	return n + len(at.since)
}

// chosen returns the hits that are ranked, in the order of their ids: the newest of all, and the newest with a word in the
// title.
func (at *concordance) chosen() []uuid.UUID {
	newest := at.newest(at.hits, func(sinceHit) bool { return true })
	titled := at.newest(at.titled, func(h sinceHit) bool { return h.titled })
	all := append(newest, titled...)
	slices.SortFunc(all, compareIDs)
	return slices.Compact(all)
}

// newest returns the newest hits of a kind, rankedOf at most.
func (at *concordance) newest(of []numbers, since func(sinceHit) bool) []uuid.UUID {
	var ids []uuid.UUID
	for part := len(of) - 1; part >= 0 && len(ids) < rankedOf; part-- {
		for n := range of[part].descending {
			if ids = append(ids, at.parts[part].id(n)); len(ids) == rankedOf {
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
	return ids[:min(len(ids), rankedOf)]
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

// ranking puts the chosen hits in order.
const ranking = `SELECT memory_id, rank FROM (
		SELECT s.memory_id, ts_rank(s.words, @sought::tsquery) AS rank FROM memory_search s WHERE s.memory_id = ANY(@chosen::uuid[])
	) ranked :beyond ORDER BY rank DESC, memory_id LIMIT @most`

// page reads which hits a page has, one more than it shows, as rankedRows does.
func (at *concordance) page(ctx context.Context, tx pgx.Tx, l List, c conditions, after *place) (h hits, err error) {
	chosen := at.chosen()
	h.ranked = len(chosen)
	behind := after != nil && after.Key == unranked
	if !behind {
		c.args["chosen"], c.args["most"] = chosen, l.Limit+1
		rows, err := tx.Query(ctx, c.beyond(ranking, after, "memory_id"), c.args)
		if err != nil {
			return hits{}, err
		}
		defer rows.Close()
		for rows.Next() {
			var id uuid.UUID
			var rank float32
			if err := rows.Scan(&id, &rank); err != nil {
				return hits{}, err
			}
			h.ids, h.ranks = append(h.ids, id), append(h.ranks, rank)
		}
		if err := rows.Err(); err != nil {
			return hits{}, err
		}
	}
	if more := l.Limit + 1 - len(h.ids); more > 0 {
		from := uuid.Nil
		if behind {
			from = after.ID
		}
		for _, id := range at.rest(chosen, from, more) {
			h.ids, h.ranks = append(h.ids, id), append(h.ranks, 0)
		}
	}
	return h, nil
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
