package postgres

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/paging"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/postgres/search"
	"memoir/internal/records"
)

// byRank is the order of a search: best first.
const byRank memories.Sort = "rank"

// place is the sort key and the id of the last memory of a page.
type place struct {
	Key  string
	ID   uuid.UUID
	Near bool `json:",omitempty"` // the list has near misses of the search
}

// order is the SQL of one Sort.
type order struct {
	expression, cast string
	descends         bool
	key              func(listRow) string // the value of the expression, for a cursor
}

var orders = map[memories.Sort]order{
	memories.ByUpdate:       {"m.updated_at", "timestamptz", true, func(r listRow) string { return timeKey(r.head.UpdatedAt) }},
	memories.ByName:         {"m.name", "text", false, func(r listRow) string { return r.head.Name }},
	memories.ByAge:          {"m.modified_at", "timestamptz", false, func(r listRow) string { return timeKey(r.head.ModifiedAt) }},
	memories.ByModification: {"m.modified_at", "timestamptz", true, func(r listRow) string { return timeKey(r.head.ModifiedAt) }},
	byRank:                  {"", "real", true, func(r listRow) string { return strconv.FormatFloat(float64(r.rank), 'g', -1, 32) }},
}

func timeKey(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

// rowColumns are the columns of memories m and their revisions r that scanRow reads first.
const rowColumns = headColumns + ", r.description, r.body, " + fileLookupColumn + ", " + indexStatusColumn + ", " + useColumn

// indexStatusColumn is the memories.IndexStatus of a memory m.
const indexStatusColumn = `(SELECT CASE bool_or(e.loaded) WHEN true THEN 'loaded' WHEN false THEN 'listed' ELSE 'unlisted' END
	FROM files i
	CROSS JOIN LATERAL (SELECT entry.loaded FROM index_entries entry WHERE entry.agent_id = i.agent_id AND entry.path = i.path OFFSET 0) e
	WHERE i.memory_id = m.id AND i.present AND i.session IS NULL)`

// useColumn is the memories.Use of a memory m, as JSON.
const useColumn = `(SELECT jsonb_build_object('Reads', coalesce(u.reads, 0), 'LastReadAt', u.last_read_at, 'Loads', coalesce(u.loads, 0),
		'LastLoadedAt', u.last_loaded_at, 'Recalls', i.n, 'LastRecalledAt', i.latest)
	FROM (SELECT count(*) AS n, max(at) AS latest FROM recall_items WHERE agent_id = m.agent_id AND memory_id = m.id) i
	LEFT JOIN memory_uses u ON u.memory_id = m.id)`

const headColumns = `m.id, m.agent_id, m.name, m.readable, m.state, m.type, m.revision_id, m.fingerprint, m.hash, m.size, m.path,
	m.session, m.modified_at, m.content_at, m.problems, m.claude_md_chars, m.claude_md_listed, m.created_at, m.updated_at,
	m.deleted_at, m.deleted_by, m.index_lines, m.restoring, m.team, m.deleted_actor, m.deleted_browser, m.deleted_person`

// scope is the agents whose memories a list has: one agent, or all.
type scope struct {
	agentID int64            // 0: of all agents
	slugs   map[int64]string // of each agent
	joined  []int64          // for several agents: the others, or those that are links to others
	some    []int64          // only these; nil for all
}

func (of scope) search() search.Scope { return search.Scope{AgentID: of.agentID, Without: of.joined} }

func scopeOf(a records.Agent) scope {
	return scope{agentID: a.ID, slugs: map[int64]string{a.ID: a.Slug}}
}

// Memories returns one page of the agent's memories that match the filter, as they are, or as they
// were at filter.AsOf. Deleted memories are left out, unless filter.State is Deleted or
// filter.NotRemoved is set. page.Limit must be positive. It fails with *memories.InvalidError for
// an invalid filter, and with records.ErrCursor if the cursor is not of this list.
func (s *Store) Memories(ctx context.Context, agent records.Agent, filter memories.Filter, page memories.PageRequest) (records.MemoryPage, error) {
	if err := filter.Check(); err != nil {
		return records.MemoryPage{}, err
	}
	if filter.AsOf != "" {
		return s.memoriesAsOf(ctx, agent, filter, page)
	}
	return s.page(ctx, scopeOf(agent), filter, page)
}

// MemoriesOf returns one page of the memories of some agents, as Memories does. It fails with
// *memories.InvalidError for a filter that is about a single agent: as_of, not_removed or session.
func (s *Store) MemoriesOf(ctx context.Context, some []records.Agent, filter memories.Filter, page memories.PageRequest) (records.MemoryPage, error) {
	if err := filter.Check(); err != nil {
		return records.MemoryPage{}, err
	}
	for _, field := range []string{"as_of", "not_removed", "session"} {
		if filter.Values().Has(field) {
			return records.MemoryPage{}, &memories.InvalidError{Field: field, Reason: "is a filter for the memories of one agent"}
		}
	}
	of := scope{slugs: map[int64]string{}, some: []int64{}}
	for _, agent := range some {
		of.slugs[agent.ID], of.some = agent.Slug, append(of.some, agent.ID)
	}
	rows, err := s.q.Agents(ctx)
	if err != nil {
		return records.MemoryPage{}, dberr.Wrap("list agents", err)
	}
	for _, row := range rows {
		if of.slugs[row.ID] == "" {
			of.joined = append(of.joined, row.ID)
		}
	}
	return s.page(ctx, of, filter, page)
}

// page returns one page of the scope's memories that match the filter, as they are now, by search
// if the filter has a query. It fails with records.ErrCursor if the cursor is not of this list.
func (s *Store) page(ctx context.Context, of scope, filter memories.Filter, request memories.PageRequest) (page records.MemoryPage, err error) {
	l, after, err := newMemoryList(filter, request, of)
	if err != nil {
		return records.MemoryPage{}, err
	}
	var rows []listRow
	if l.Query == "" {
		rows, page.Total, err = listed(ctx, s.pool, l, selectionOf(l.Filter, of, search.Query{}), after)
		err = dberr.Wrap("list memories", err)
	} else {
		rows, page.Total, page.Near, err = s.found(ctx, of, l, after)
	}
	if err != nil {
		return records.MemoryPage{}, err
	}
	rows, page.NextCursor = paging.Cut(rows, l.limit, l.mark, func(last listRow) place {
		return place{orders[l.Sort].key(last), last.head.ID, page.Near}
	})
	page.Memories, err = complete(ctx, s.q, of, rows)
	return page, err
}

// memoryList is the filter with its order, the length of a page, and the mark of the list's
// cursors.
type memoryList struct {
	memories.Filter
	limit int
	mark  string // see markOf
}

// newMemoryList returns the list with the defaults of its filter, and the place after which the
// page begins, or nil for the first page. The default order is by rank for a search, else by
// update. NotRemoved without a State selects Deleted. It fails with records.ErrCursor if the cursor
// is not of this list.
func newMemoryList(f memories.Filter, page memories.PageRequest, of scope) (l memoryList, after *place, err error) {
	if f.NotRemoved && f.State == "" {
		f.State = memories.Deleted
	}
	if f.Sort == "" {
		f.Sort = memories.ByUpdate
		if f.Query != "" {
			f.Sort = byRank
		}
	}
	l = memoryList{Filter: f, limit: page.Limit, mark: paging.Mark("memories", of.slugs[of.agentID], of.some, f.Values().Encode())}
	after, err = paging.Unseal[place](l.mark, page.Cursor)
	if err != nil || after != nil && !canBeKey(after.Key, orders[f.Sort].cast) {
		return memoryList{}, nil, records.ErrCursor
	}
	return l, after, nil
}

type listRow struct {
	head              queries.Memory
	description, body string
	rank              float32
	carried           fileLookup
	index             memories.IndexStatus
	use               *memories.Use
	total             int // the length of the whole list, if selection.counted
}

// listed returns the rows of one page of a list and the length of the whole list. If there is a
// next page, rows has one more. after is the last place of the page before, or nil.
func listed(ctx context.Context, on queries.DBTX, l memoryList, c selection, after *place) (rows []listRow, total int, err error) {
	query := listQuery
	if l.Sort == byRank {
		query = rankedQuery
	}
	found, _ := on.Query(ctx, query(c, l, after), c.args) // CollectRows returns the error of Query
	rows, err = pgx.CollectRows(found, scanRow)
	switch {
	case err != nil:
		return nil, 0, err
	case after == nil && len(rows) <= l.limit:
		return rows, len(rows), nil
	case c.counted && len(rows) > 0:
		return rows, rows[0].total, nil
	}
	total, err = c.total(ctx, on)
	return rows, total, err
}

func (c selection) total(ctx context.Context, on queries.DBTX) (total int, err error) {
	err = on.QueryRow(ctx, c.count, c.args).Scan(&total)
	return total, err
}

// listQuery returns the query of one page of a list that is not sorted by rank. after is the last
// place of the page before, or nil. It adds the arguments of that place to c.args.
func listQuery(c selection, l memoryList, after *place) string {
	by := orders[l.Sort]
	total := "0"
	if c.counted {
		total = "(" + c.count + ")"
	}
	return fmt.Sprintf(`WITH page AS (%s) SELECT %s, 0::real, %s FROM page m JOIN revisions r ON r.id = m.revision_id ORDER BY %s`,
		by.page(c, l, after), rowColumns, total, by.by())
}

// by returns the ORDER BY clause without these two words. Rows with equal keys are sorted by id.
func (o order) by() string {
	if o.descends {
		return o.expression + " DESC, m.id"
	}
	return o.expression + ", m.id"
}

// page returns the subquery for the memories of one page, and one more. It adds the arguments of
// after to c.args. Its limit is a number, because with an argument Postgres would plan the query
// each time. Rows with the key of after, and rows behind it, are two ranges of an index, which
// keeps later pages fast.
func (o order) page(c selection, l memoryList, after *place) string {
	part := func(beyond string) string {
		return fmt.Sprintf("(SELECT m.* %s%s ORDER BY %s LIMIT %d)", c.sql, beyond, o.by(), l.limit+1)
	}
	if after == nil {
		return part("")
	}
	c.args["key"], c.args["id"] = after.Key, after.ID
	compare := ">"
	if o.descends {
		compare = "<"
	}
	// Postgres casts the key, so that a timestamp is compared in its full precision.
	key := "@key::text::" + o.cast
	equal := fmt.Sprintf("%s = %s AND m.id > @id", o.expression, key)
	further := fmt.Sprintf("%s %s %s", o.expression, compare, key)
	if l.Query != "" {
		return part(" AND (" + further + " OR " + equal + ")") // one part, because the search runs once
	}
	return fmt.Sprintf("SELECT * FROM (%s UNION ALL %s) m ORDER BY %s LIMIT %d", part(" AND "+equal), part(" AND "+further), o.by(), l.limit+1)
}

// scanRow reads the columns of a row into a listRow: rowColumns, then the rank, then the total.
func scanRow(row pgx.CollectableRow) (r listRow, err error) {
	m := &r.head
	err = row.Scan(&m.ID, &m.AgentID, &m.Name, &m.Readable, &m.State, &m.Type, &m.RevisionID, &m.Fingerprint, &m.Hash,
		&m.Size, &m.Path, &m.Session, &m.ModifiedAt, &m.ContentAt, &m.Problems, &m.ClaudeMdChars, &m.ClaudeMdListed,
		&m.CreatedAt, &m.UpdatedAt, &m.DeletedAt, &m.DeletedBy, &m.IndexLines, &m.Restoring, &m.Team, &m.DeletedActor, &m.DeletedBrowser, &m.DeletedPerson,
		&r.description, &r.body, &r.carried, &r.index, &r.use, &r.rank, &r.total)
	return r, err
}

// canBeKey reports whether the key of a cursor has the form that listed gives to keys with the SQL
// type cast. Others must not reach Postgres, which accepts other forms of numbers and fewer years
// than Go.
func canBeKey(key, cast string) bool {
	switch cast {
	case "timestamptz":
		at, err := time.Parse(time.RFC3339Nano, key)
		return err == nil && memories.IsTellable(at) && at.UTC().Format(time.RFC3339Nano) == key
	case "real":
		rank, err := strconv.ParseFloat(key, 32)
		return err == nil && !math.IsNaN(rank) && !math.IsInf(rank, 0) && strconv.FormatFloat(rank, 'g', -1, 32) == key
	default:
		return memories.CanBeText(key)
	}
}
