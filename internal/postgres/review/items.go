package review

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/findings"
	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/paging"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/postgres/visible"
	"memoir/internal/records"
)

// Items reads and writes the queue of all agents. It is safe for concurrent use.
type Items struct {
	pool *visible.Pool
	q    *queries.Queries
	row  func(queries.Memory) (records.MemoryRow, error)
}

// NewItems returns the Items of a database. row converts rows of memories.
func NewItems(pool *visible.Pool, row func(queries.Memory) (records.MemoryRow, error)) *Items {
	return &Items{pool, queries.New(pool), row}
}

// textBatch is the number of memories that EachReviewText reads at once. Their texts are in memory.
const textBatch = 500

// EachReviewText calls each with every undeleted memory of the agent, in the order of ids. Recalls
// counts deliveries since a time. At the first error of each it stops and returns that error.
func (i *Items) EachReviewText(ctx context.Context, agentID int64, since time.Time, each func(records.ReviewText) error) error {
	for after := (uuid.UUID{}); ; {
		rows, err := i.q.ReviewTexts(ctx, queries.ReviewTextsParams{AgentID: agentID, Since: since, After: after, Most: textBatch})
		if err != nil {
			return dberr.Wrap("read memories to review", err)
		}
		for _, row := range rows {
			text, err := i.textOf(row)
			if err != nil {
				return err
			}
			if err := each(text); err != nil {
				return err
			}
			after = row.Memory.ID
		}
		if len(rows) < textBatch {
			return nil
		}
	}
}

// ReviewTexts returns the agent's undeleted memories with the ids, sorted by id. It omits unknown
// ids, and fails with memories.ErrNotFound for a malformed one.
func (i *Items) ReviewTexts(ctx context.Context, agentID int64, since time.Time, ids []string) ([]records.ReviewText, error) {
	parsed, err := dbconv.TryAll(ids, dbconv.ParseID)
	if err != nil {
		return nil, err
	}
	rows, err := i.q.ReviewTextsOf(ctx, queries.ReviewTextsOfParams{AgentID: agentID, Since: since, Ids: parsed})
	if err != nil {
		return nil, dberr.Wrap("read memories to review", err)
	}
	return dbconv.TryAll(rows, func(row queries.ReviewTextsOfRow) (records.ReviewText, error) {
		return i.textOf(queries.ReviewTextsRow(row))
	})
}

func (i *Items) textOf(row queries.ReviewTextsRow) (records.ReviewText, error) {
	head, err := i.row(row.Memory)
	head.Description, head.Body = row.Description, row.Body
	return records.ReviewText{MemoryRow: head, Dead: int(row.Dead), Recalls: int(row.Recalls)}, err
}

// ReviewPaths returns the paths of the agent's files on disk, in no order.
func (i *Items) ReviewPaths(ctx context.Context, agentID int64) ([]string, error) {
	paths, err := i.q.ReviewPaths(ctx, agentID)
	return paths, dberr.Wrap("read the paths of files", err)
}

// ReviewDecisions returns the decisions about the items, by their ids. Items without one have no
// entry.
func (i *Items) ReviewDecisions(ctx context.Context, items []string) (map[string]records.ReviewDecision, error) {
	return Of(0, i.q).Decisions(ctx, items)
}

// ReviewOutdated returns the slugs of the present agents to examine: those whose memories have
// changed since their last examination, those examined before a time, and those for which a
// decision has ended or was taken back since.
func (i *Items) ReviewOutdated(ctx context.Context, before, now time.Time) ([]string, error) {
	slugs, err := i.q.ReviewOutdated(ctx, queries.ReviewOutdatedParams{Before: before, Now: &now})
	return slugs, dberr.Wrap("read which agents to examine", err)
}

// SaveReview makes items those of the agent, and records the examination, which began at a time.
// version is the version of the agent's memories that was examined. If it has changed, or a decision
// was taken back since, SaveReview saves nothing and saved is false. It omits items that were decided
// since. Known items keep their CreatedAt.
func (i *Items) SaveReview(ctx context.Context, agentID, version int64, at time.Time, items []records.ReviewItem) (saved bool, err error) {
	rows, ids := make([]itemRow, len(items)), make([]string, len(items))
	for n, item := range items {
		rows[n], ids[n] = rowOf(item), item.ID
	}
	raw, err := dbconv.ListJSON(rows)
	if err != nil {
		return false, err
	}
	err = pgx.BeginFunc(ctx, i.pool, func(tx pgx.Tx) error {
		q := i.q.WithTx(tx)
		now, err := q.ReviewVersion(ctx, agentID)
		if err != nil || now != version {
			return err
		}
		n, err := q.SaveReviewRun(ctx, queries.SaveReviewRunParams{AgentID: agentID, ExaminedAt: at, MemoriesVersion: version})
		if err != nil || n == 0 {
			return err
		}
		if err := q.DeleteReviewItemsBut(ctx, queries.DeleteReviewItemsButParams{AgentID: agentID, Ids: ids}); err != nil {
			return err
		}
		if err := q.SaveReviewItems(ctx, queries.SaveReviewItemsParams{AgentID: agentID, FoundAt: at, Items: raw}); err != nil {
			return err
		}
		saved = true
		return nil
	})
	return saved && err == nil, dberr.Wrap("save the review", err)
}

// itemRow is a row of review_items as JSON.
type itemRow struct {
	ID       string                 `json:"id"`
	Kind     findings.Kind          `json:"kind"`
	Rank     int                    `json:"rank"`
	Weight   float64                `json:"weight"`
	Memories []records.ReviewMemory `json:"memories"`
	Search   string                 `json:"search"`
	Reason   string                 `json:"reason"`
	Evidence []records.Evidence     `json:"evidence"`
	Keep     string                 `json:"keep"`
	Merge    *records.MergedText    `json:"merge,omitempty"`
	Subject  string                 `json:"subject"`
}

func rowOf(item records.ReviewItem) itemRow {
	words := []string{item.Reason}
	for _, m := range item.Memories {
		words = append(words, m.Name)
	}
	return itemRow{
		ID: item.ID, Kind: item.Kind, Rank: item.Rank, Weight: item.Weight, Memories: append([]records.ReviewMemory{}, item.Memories...),
		Search: strings.ToLower(strings.Join(words, "\n")), Reason: item.Reason, Evidence: append([]records.Evidence{}, item.Evidence...), Keep: item.Keep, Merge: item.Merge, Subject: item.Subject,
	}
}

// place is the place of an item in the queue.
type place struct {
	Rank   int32
	Weight float32
	ID     string
}

// Review returns one page of the queue, with its counts. It fails with records.ErrCursor if the
// cursor is not of this list.
func (i *Items) Review(ctx context.Context, list records.ReviewList) (records.ReviewPage, error) {
	mark := paging.Mark("review", list.AgentID, list.Kinds, list.Query)
	after, err := paging.Unseal[place](mark, list.Cursor)
	if err != nil {
		return records.ReviewPage{}, err
	}
	if after == nil {
		after = &place{Rank: -1}
	}
	if !memories.CanBeText(after.ID) {
		return records.ReviewPage{}, records.ErrCursor
	}
	typed := escapeLike(strings.ToLower(list.Query))
	kinds := dbconv.All(list.Kinds, func(k findings.Kind) string { return string(k) })
	rows, err := i.q.ListReviewItems(ctx, queries.ListReviewItemsParams{
		AgentID: list.AgentID, Kinds: kinds, Typed: typed, AfterRank: after.Rank, AfterWeight: after.Weight, AfterID: after.ID, Most: int32(list.Limit + 1), Skip: int32(list.Skip),
	})
	if err != nil {
		return records.ReviewPage{}, dberr.Wrap("list the review", err)
	}
	page := records.ReviewPage{Counts: map[findings.Kind]int{}}
	rows, page.NextCursor = paging.Cut(rows, list.Limit, mark, func(last queries.ListReviewItemsRow) place {
		return place{last.Rank, last.Weight, last.ID}
	})
	if page.Items, err = dbconv.TryAll(rows, itemOf); err != nil {
		return records.ReviewPage{}, err
	}
	counts, err := i.q.CountReviewItems(ctx, queries.CountReviewItemsParams{AgentID: list.AgentID, Typed: typed})
	for _, c := range counts {
		kind := findings.Kind(c.Kind)
		page.Counts[kind] += int(c.N)
		if len(list.Kinds) == 0 || slices.Contains(list.Kinds, kind) {
			page.Total += int(c.N)
		}
	}
	return page, dberr.Wrap("count the review", err)
}

// escapeLike escapes the characters that have a meaning in LIKE.
func escapeLike(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}

// ReviewCounts returns the number of items of each agent that has any, by the agent's id.
func (i *Items) ReviewCounts(ctx context.Context) (map[int64]int, error) {
	rows, err := i.q.CountReviewItems(ctx, queries.CountReviewItemsParams{})
	counts := map[int64]int{}
	for _, row := range rows {
		counts[row.AgentID] += int(row.N)
	}
	return counts, dberr.Wrap("count the review", err)
}

// ReviewItem returns an item. It fails with memories.ErrNotFound for an unknown id.
func (i *Items) ReviewItem(ctx context.Context, id string) (records.ReviewItem, error) {
	row, err := i.q.ReviewItemByID(ctx, id)
	if err != nil {
		return records.ReviewItem{}, dberr.Wrap("read an item of the review", err)
	}
	return itemOf(queries.ListReviewItemsRow(row))
}

// ReviewOf returns the items about a memory in the order of the queue, at most most. It fails with
// memories.ErrNotFound for a malformed id.
func (i *Items) ReviewOf(ctx context.Context, memory string, most int) ([]records.ReviewItem, error) {
	id, err := dbconv.ParseID(memory)
	if err != nil {
		return nil, err
	}
	rows, err := i.q.ListReviewItemsOf(ctx, queries.ListReviewItemsOfParams{MemoryID: id, Most: int32(most)})
	if err != nil {
		return nil, dberr.Wrap("list the review of a memory", err)
	}
	return dbconv.TryAll(rows, func(row queries.ListReviewItemsOfRow) (records.ReviewItem, error) {
		return itemOf(queries.ListReviewItemsRow(row))
	})
}

// SettleReview saves decisions about items of the agent, and deletes the items. With isOpen, it
// saves nothing and fails with memories.ErrNotFound if the first item is not in the queue.
func (i *Items) SettleReview(ctx context.Context, agentID int64, isOpen bool, decisions ...records.ReviewDecision) error {
	return dberr.Wrap("settle an item", pgx.BeginFunc(ctx, i.pool, func(tx pgx.Tx) error {
		q := i.q.WithTx(tx)
		if err := q.LockReviewRun(ctx, agentID); err != nil {
			return err
		}
		for at, d := range decisions {
			n, err := q.DeleteReviewItem(ctx, d.Item)
			if err != nil {
				return err
			}
			if n == 0 && isOpen && at == 0 {
				return memories.ErrNotFound
			}
			if err := Of(agentID, q).SaveDecision(ctx, d); err != nil {
				return err
			}
		}
		return nil
	}))
}

// ReopenReview takes the decisions about items of the agent back, at a time, and makes the agent
// outdated. The next examination finds the items again.
func (i *Items) ReopenReview(ctx context.Context, agentID int64, at time.Time, items ...string) error {
	return dberr.Wrap("reopen an item", pgx.BeginFunc(ctx, i.pool, func(tx pgx.Tx) error {
		q := i.q.WithTx(tx)
		if err := q.OutdateReviewRun(ctx, queries.OutdateReviewRunParams{AgentID: agentID, At: at}); err != nil {
			return err
		}
		for _, item := range items {
			if err := Of(agentID, q).DeleteDecision(ctx, item); err != nil {
				return err
			}
		}
		return nil
	}))
}

func itemOf(row queries.ListReviewItemsRow) (records.ReviewItem, error) {
	item := records.ReviewItem{
		ID: row.ID, AgentID: row.AgentID, Agent: row.Slug, Kind: findings.Kind(row.Kind), Rank: int(row.Rank), Weight: float64(row.Weight), Reason: row.Reason,
		Keep: row.Keep, Subject: row.Subject, CreatedAt: row.FoundAt.UTC(),
	}
	if err := json.Unmarshal(row.Memories, &item.Memories); err != nil {
		return item, err
	}
	if err := json.Unmarshal(row.Evidence, &item.Evidence); err != nil {
		return item, err
	}
	var err error
	item.Merge, err = mergedText(row.Merge)
	return item, err
}
