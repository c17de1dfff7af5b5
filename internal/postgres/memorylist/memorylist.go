// Package memorylist reads the lists of the Memory tab: rows without their texts, grouped and counted
// in one statement.
package memorylist

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/findings"
	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/postgres/search"
	"memoir/internal/postgres/visible"
	"memoir/internal/records"
)

// Lists reads the lists of all agents. It is safe for concurrent use.
type Lists struct {
	pool *visible.Pool
	row  func(queries.Memory) (records.MemoryRow, error)
	// isFuzzy reports whether similar words can be found.
	isFuzzy bool
}

// New returns the Lists of a database. row converts rows of memories.
func New(pool *visible.Pool, row func(queries.Memory) (records.MemoryRow, error), isFuzzy bool) *Lists {
	return &Lists{pool, row, isFuzzy}
}

// firstScan is how long the first scan of an agent may take. What it finds counts as new only if its
// file is new (arbitrary).
const firstScan = 10 * time.Minute

const day = 24 * time.Hour

// bounds are the moments at which the views begin and end.
type bounds struct {
	newSince, foundSince, recalledSince time.Time
	uncheckedSince                      []time.Time // by group, without the last one
}

func boundsAt(now time.Time, agent records.Agent) bounds {
	b := bounds{newSince: now.Add(-records.NewDays * day), recalledSince: now.Add(-records.RecallableDays * day)}
	b.foundSince = b.newSince
	if settled := agent.CreatedAt.Add(firstScan); settled.After(b.foundSince) {
		b.foundSince = settled
	}
	b.uncheckedSince = memories.UncheckedSince(now)
	return b
}

// MemoryList returns the rows of a list that window selects. It fails with memories.ErrNotFound if
// the id of the anchor is malformed, and with memories.ErrSearch if the query is too long.
func (l *Lists) MemoryList(ctx context.Context, agent records.Agent, list records.MemoryList, window records.MemoryWindow) (page records.MemoryListPage, err error) {
	params := queries.ListMemoriesParams{
		AgentID: agent.ID, Grouped: list.Order == records.ByTypeOrder, Sort: string(list.Order), View: string(list.View), Kind: int32(list.Part),
		State: string(list.State), Session: list.Session, KnownSince: memories.KnownSince, Ids: []uuid.UUID{},
		IsPage: window.IsPage, Before: int32(window.Before), After: int32(window.After),
	}
	b := boundsAt(time.Now(), agent)
	params.NewSince, params.FoundSince, params.RecalledSince, params.UncheckedSince = b.newSince, b.foundSince, b.recalledSince, b.uncheckedSince
	if window.Anchor != "" {
		if params.Anchor, err = dbconv.ParseID(window.Anchor); err != nil {
			return page, err
		}
	}
	for part := records.MemoryPart(1); part <= records.FlatPart; part++ {
		rows, ok := window.Rows[part]
		if !ok {
			rows = [2]int{1, window.Default}
		}
		params.Lowest, params.Highest = append(params.Lowest, int32(rows[0])), append(params.Highest, int32(rows[1]))
	}
	if params.Searched = list.Query != ""; params.Searched {
		if params.Ids, page.Near, err = l.find(ctx, agent.ID, list.Query); err != nil || len(params.Ids) == 0 {
			return page, err
		}
	}
	rows, err := queries.New(l.pool).ListMemories(ctx, params)
	if err != nil {
		return page, dberr.Wrap("list memories", err)
	}
	page.Totals = map[records.MemoryPart]int{}
	page.Rows, err = dbconv.TryAll(rows, func(row queries.ListMemoriesRow) (records.ListedMemory, error) {
		head, err := l.row(row.Memory)
		head.Agent, head.Body = agent.Slug, row.Body
		part := records.MemoryPart(row.Part)
		page.Totals[part], page.ChangedAt = int(row.Total), row.ChangedAt.UTC()
		return records.ListedMemory{
			Memory: head.Memory, Part: part, Place: int(row.Place), Conflict: head.Conflict, NotRemoved: row.NotRemoved,
			Findings: dbconv.All(row.Kinds, func(kind string) findings.Kind { return findings.Kind(kind) }),
		}, err
	})
	return page, err
}

// byIndex makes a transaction use the search index. The planner underestimates the cost of reading
// vectors.
var byIndex = pgx.TxOptions{BeginQuery: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL enable_seqscan = off"}

// find returns the agent's memories with all words of the query. Without any, it returns those with
// similar words, and near is true.
func (l *Lists) find(ctx context.Context, agentID int64, typed string) (ids []uuid.UUID, near bool, err error) {
	if err := (memories.Filter{Query: typed}).Check(); err != nil {
		return nil, false, err
	}
	exact, ok := search.Parse(typed)
	if !ok {
		return nil, false, nil
	}
	of := search.Scope{AgentID: agentID}
	err = pgx.BeginTxFunc(ctx, l.pool, byIndex, func(tx pgx.Tx) error {
		q := queries.New(tx)
		ids, err = q.FindMemories(ctx, queries.FindMemoriesParams{Match: exact.Match(of), Phrases: append([]string{}, exact.Phrases()...)})
		words := exact.Mistyped()
		if err != nil || len(ids) > 0 || !l.isFuzzy || len(words) == 0 {
			return err
		}
		similar, err := q.SimilarWords(ctx, words)
		if err != nil {
			return err
		}
		fuzzy, ok := exact.Fuzzy(dbconv.All(similar, func(row queries.SimilarWordsRow) search.Similar { return search.Similar(row) }))
		if !ok {
			return nil
		}
		ids, err = q.FindMemories(ctx, queries.FindMemoriesParams{Match: fuzzy.Match(of), Phrases: append([]string{}, fuzzy.Phrases()...)})
		near = len(ids) > 0
		return err
	})
	return ids, near, dberr.Wrap("search", err)
}

// MemoryViewCounts returns the number of the agent's memories in each view.
func (l *Lists) MemoryViewCounts(ctx context.Context, agent records.Agent) (records.MemoryViewCounts, error) {
	b := boundsAt(time.Now(), agent)
	row, err := queries.New(l.pool).CountMemoryViews(ctx, queries.CountMemoryViewsParams{
		AgentID: agent.ID, NewSince: b.newSince, FoundSince: b.foundSince, KnownSince: memories.KnownSince,
		UncheckedSince: b.uncheckedSince, RecalledSince: b.recalledSince,
	})
	if err != nil {
		return nil, dberr.Wrap("count memories", err)
	}
	return records.MemoryViewCounts{
		records.AllMemoryView: int(row.Total), records.NewView: int(row.New), records.UncheckedView: int(row.Unchecked),
		records.NeverRecalledView: int(row.NeverRecalled), records.TeamView: int(row.Team), records.TrashView: int(row.Trash),
	}, nil
}
