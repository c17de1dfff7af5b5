package recall

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// Refresh records that a session's conversation was compacted. From now on the session may receive
// all memories again, with a full budget.
func (r *Recaller) Refresh(ctx context.Context, agentID int64, session string) error {
	return r.store.RefreshSession(ctx, agentID, session, r.now())
}

// Given returns the memories, without bodies, that a session of the first agent of from has
// received since its conversation was last compacted, by name. It omits deleted ones.
func (r *Recaller) Given(ctx context.Context, from records.RecallSources, session string) ([]memories.Memory, error) {
	given, err := r.store.Delivered(ctx, from[0].ID, session)
	if err != nil || len(given.Memories) == 0 {
		return nil, err
	}
	found, err := r.store.Texts(ctx, from, slices.Collect(maps.Keys(given.Memories)), 0)
	for i := range found {
		found[i].Body = ""
	}
	slices.SortFunc(found, func(a, b memories.Memory) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID))
	})
	return found, err
}
