package postgres

import (
	"context"

	"github.com/google/uuid"

	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Published records a publication. After a power cut that this does not survive, CLAUDE.md is compiled once more at the next
// look.
func (w *Writer) Published(ctx context.Context, p records.Publication) error {
	costs := queries.SetCostsParams{
		Ids: make([]uuid.UUID, len(p.Costs)), Chars: make([]int32, len(p.Costs)), Listed: make([]bool, len(p.Costs)),
	}
	for i, cost := range p.Costs {
		id, err := parseID(cost.ID)
		if err != nil {
			return err
		}
		costs.Ids[i], costs.Chars[i], costs.Listed[i] = id, int32(cost.Chars), cost.Listed
	}
	return w.withoutWaiting(ctx, "record the publication", func(q *queries.Queries) error {
		err := q.SetAgentPublished(ctx, queries.SetAgentPublishedParams{
			ID: w.agentID, Path: optional(p.Path), Chars: int32(p.Chars), Problem: optional(p.Problem), InStep: optional(p.InStep),
			PublishedAt: optionalTime(p.PublishedAt), At: records.Now(),
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

// InStep records by what the CLAUDE.md is known that says what the memories say.
func (w *Writer) InStep(ctx context.Context, mark string) error {
	return w.withoutWaiting(ctx, "record the publication", func(q *queries.Queries) error {
		return q.SetClaudeMDInStep(ctx, queries.SetClaudeMDInStepParams{ID: w.agentID, InStep: &mark})
	})
}

// SetMemoryOff switches the agent's memory off or on, and says whether it was the other way before. CLAUDE.md has to be compiled anew then.
func (w *Writer) SetMemoryOff(ctx context.Context, off bool) (changed bool, err error) {
	err = w.inTx(ctx, "switch the agent's memory", func(q *queries.Queries) error {
		n, err := q.SetMemoryOff(ctx, queries.SetMemoryOffParams{ID: w.agentID, Off: off, At: records.Now()})
		changed = n > 0
		return err
	})
	return changed, err
}

// outOfStep notes, in the transaction that changes memories, that CLAUDE.md has to be compiled anew. It raises the agent's version by the
// number of these memories.
func (w *Writer) outOfStep(ctx context.Context, q *queries.Queries, changed ...uuid.UUID) error {
	if len(changed) == 0 {
		return nil
	}
	return q.RaiseMemoriesVersion(ctx, queries.RaiseMemoriesVersionParams{ID: w.agentID, Changed: int64(len(changed))})
}
