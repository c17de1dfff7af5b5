package postgres

import (
	"context"

	"github.com/google/uuid"

	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Published records that CLAUDE.md was compiled: p's path, size, problem and publish key, and the
// sizes of memories in p.Costs. It sets the time only if p.PublishedAt is not zero, and always
// raises the version of the agent's memories. It writes no file. It does not wait for the disk:
// after a power cut, the next scan compiles CLAUDE.md again.
func (w *Writer) Published(ctx context.Context, p records.Publication) error {
	var costs queries.SetCostsParams
	for _, cost := range p.Costs {
		id, err := dbconv.ParseID(cost.ID)
		if err != nil {
			return err
		}
		costs.Ids = append(costs.Ids, id)
		costs.Chars = append(costs.Chars, int32(cost.Chars))
		costs.Listed = append(costs.Listed, cost.Listed)
	}
	return w.withoutWaiting(ctx, "record the publication", func(q *queries.Queries) error {
		err := q.SetAgentPublished(ctx, queries.SetAgentPublishedParams{
			ID: w.agentID, Path: dbconv.Optional(p.Path), Chars: int32(p.Chars), Problem: dbconv.Optional(p.Problem), PublishKey: dbconv.Optional(p.PublishKey),
			PublishedAt: dbconv.OptionalTime(p.PublishedAt), At: records.Now(),
		})
		if err != nil {
			return err
		}
		if len(costs.Ids) == 0 {
			return nil
		}
		return q.SetCosts(ctx, costs)
	})
}

// SetPublishKey records the key of a CLAUDE.md that is up to date. Later changes of memories delete
// the key. It does not wait for the disk: after a power cut, the next scan compiles CLAUDE.md
// again.
func (w *Writer) SetPublishKey(ctx context.Context, key string) error {
	return w.withoutWaiting(ctx, "record the publication", func(q *queries.Queries) error {
		return q.SetPublishKey(ctx, queries.SetPublishKeyParams{ID: w.agentID, PublishKey: &key})
	})
}

// SetMemoryOff switches the agent's memory off or on. It changes nothing and returns false if it is
// switched so already. After a change, it returns true, CLAUDE.md counts as out of date, and the
// caller must compile it.
func (w *Writer) SetMemoryOff(ctx context.Context, off bool) (changed bool, err error) {
	err = w.inTx(ctx, "switch the agent's memory", func(q *queries.Queries) error {
		n, err := q.SetMemoryOff(ctx, queries.SetMemoryOffParams{ID: w.agentID, Off: off, At: records.Now()})
		changed = n > 0
		return err
	})
	return changed, err
}

// invalidatePublished marks CLAUDE.md as out of date, deletes the items of the review about the
// memories in changed, and raises the version of the agent's memories by their number. Callers use the transaction that changes the memories.
// It does nothing if changed is empty.
func invalidatePublished(ctx context.Context, q *queries.Queries, agentID int64, changed ...uuid.UUID) error {
	if len(changed) == 0 {
		return nil
	}
	// In the order of SaveReview, which locks the agent's row and then writes items.
	if err := q.RaiseMemoriesVersion(ctx, queries.RaiseMemoriesVersionParams{ID: agentID, Changed: int64(len(changed))}); err != nil {
		return err
	}
	return q.DeleteReviewItemsOf(ctx, changed)
}
