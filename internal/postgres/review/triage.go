package review

import (
	"context"
	"strings"
	"time"

	"memoir/internal/findings"
	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// ReviewPlace returns the number of items of a list that are before an item, which need not be in
// the list. It is 0 for an unknown item.
func (i *Items) ReviewPlace(ctx context.Context, list records.ReviewList, item string) (int, error) {
	n, err := i.q.CountReviewItemsBefore(ctx, queries.CountReviewItemsBeforeParams{
		ID: item, AgentID: list.AgentID, Kinds: dbconv.All(list.Kinds, func(k findings.Kind) string { return string(k) }), Typed: escapeLike(strings.ToLower(list.Query)),
	})
	return int(n), dberr.Wrap("count the items before one", err)
}

// AddReviewItem puts an item into the queue, unless a decision about it holds.
func (i *Items) AddReviewItem(ctx context.Context, item records.ReviewItem) error {
	raw, err := dbconv.ListJSON([]itemRow{rowOf(item)})
	if err != nil {
		return err
	}
	return dberr.Wrap("add an item to the review", i.q.SaveReviewItems(ctx, queries.SaveReviewItemsParams{AgentID: item.AgentID, FoundAt: item.CreatedAt, Items: raw}))
}

// ReviewDecided returns decisions, the last first. It omits those without anything to take back:
// another decision has settled these items.
func (i *Items) ReviewDecided(ctx context.Context, list records.ReviewDecisionList) ([]records.ReviewDecision, error) {
	rows, err := i.q.ListReviewDecisions(ctx, queries.ListReviewDecisionsParams{
		AgentID: list.AgentID, Since: list.Since, Held: !list.HeldAt.IsZero(), Now: &list.HeldAt, Most: int32(list.Limit),
	})
	return dbconv.Rows("list decisions", rows, err, func(row queries.ListReviewDecisionsRow) records.ReviewDecision {
		return decisionOf(queries.ReviewDecisionsRow(row))
	})
}

// CountReviewDecided returns the number of decisions that ReviewDecided would return without a limit.
func (i *Items) CountReviewDecided(ctx context.Context, list records.ReviewDecisionList) (int, error) {
	n, err := i.q.CountReviewDecisions(ctx, queries.CountReviewDecisionsParams{AgentID: list.AgentID, Since: list.Since, Held: !list.HeldAt.IsZero(), Now: &list.HeldAt})
	return int(n), dberr.Wrap("count decisions", err)
}

// ReviewedAt returns when an agent was last examined, or any agent if agentID is 0. It is zero if
// none was.
func (i *Items) ReviewedAt(ctx context.Context, agentID int64) (time.Time, error) {
	at, err := i.q.ReviewExaminedAt(ctx, agentID)
	if at.Unix() == 0 {
		at = time.Time{}
	}
	return at, dberr.Wrap("read the last examination", err)
}

// ReviewSizes returns number and size of the undeleted memories of agents, by type.
func (i *Items) ReviewSizes(ctx context.Context, agentIDs []int64) (map[memories.Type]records.ReviewSize, error) {
	rows, err := i.q.ReviewSizes(ctx, agentIDs)
	sizes := map[memories.Type]records.ReviewSize{}
	for _, row := range rows {
		t := memories.Type("")
		if row.Type != nil {
			t = memories.Type(*row.Type)
		}
		sizes[t] = records.ReviewSize{Memories: int(row.N), Chars: int(row.Chars)}
	}
	return sizes, dberr.Wrap("add up memories", err)
}

// MemoriesWithLink returns the newest of the agent's undeleted memories whose text has one of the
// Markdown links, at most most, without those with the ids besides. It fails with
// memories.ErrNotFound for a malformed id.
func (i *Items) MemoriesWithLink(ctx context.Context, agentID int64, links, besides []string, most int) ([]records.ReviewLink, error) {
	ids, err := dbconv.TryAll(besides, dbconv.ParseID)
	if err != nil {
		return nil, err
	}
	rows, err := i.q.MemoriesWithLink(ctx, queries.MemoriesWithLinkParams{AgentID: agentID, Links: links, Besides: ids, Most: int32(most)})
	return dbconv.Rows("search memories with a link", rows, err, func(row queries.MemoriesWithLinkRow) records.ReviewLink {
		return records.ReviewLink{ID: row.ID.String(), Link: int(row.Link) - 1}
	})
}
