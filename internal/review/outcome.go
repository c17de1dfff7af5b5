package review

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"memoir/internal/findings"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// Outcome describes a decision for people: its item, and the changes that it made.
type Outcome struct {
	Reason string
	Names  []string // of the item's memories; a secret is masked
	Batch  string   // the decisions of one batch have the same; empty for a single decision
	// Changes are the changes of number and size of memories, by type. It is nil if nothing changed or
	// the memories are unknown.
	Changes map[memories.Type]records.ReviewSize
}

// OutcomeOf returns the outcome of a decision. It is empty for a decision of an earlier version.
func OutcomeOf(d records.ReviewDecision) Outcome {
	var u undo
	if json.Unmarshal(d.Undo, &u) != nil || u.Item == nil {
		return Outcome{}
	}
	o := Outcome{Reason: u.Item.Reason, Batch: u.Batch, Changes: u.Changes}
	for _, m := range u.Item.Memories {
		o.Names = append(o.Names, m.Name)
	}
	return o
}

// decidedItem is an item as a decision found it.
type decidedItem struct {
	Rank     int                    `json:"rank"`
	Weight   float64                `json:"weight"`
	Memories []records.ReviewMemory `json:"memories,omitempty"`
	Reason   string                 `json:"reason"`
	Evidence []records.Evidence     `json:"evidence,omitempty"`
	Keep     string                 `json:"keep,omitempty"`
	Merge    *records.MergedText    `json:"merge,omitempty"`
	Subject  string                 `json:"subject,omitempty"`
	FoundAt  time.Time              `json:"found_at"`
}

// maxDecided is the maximum number of memories of an item that a decision remembers (arbitrary).
// Only an item about missing files can have more, and it is found again by an examination.
const maxDecided = 100

func decided(item records.ReviewItem) *decidedItem {
	return &decidedItem{
		Rank: item.Rank, Weight: item.Weight, Memories: item.Memories[:min(len(item.Memories), maxDecided)], Reason: item.Reason, Evidence: item.Evidence,
		Keep: item.Keep, Merge: item.Merge, Subject: item.Subject, FoundAt: item.CreatedAt,
	}
}

// sizes returns number and size of the agent's memories with the ids, by type. Deleted ones do not
// count.
func (r *Reviewer) sizes(ctx context.Context, agent records.Agent, ids []string) (map[memories.Type]records.ReviewSize, error) {
	sizes := map[memories.Type]records.ReviewSize{}
	if len(ids) == 0 || len(ids) > maxDecided {
		return sizes, nil
	}
	texts, err := r.store.ReviewTexts(ctx, agent.ID, records.Now(), ids)
	for _, t := range texts {
		if t.State == memories.Deleted {
			continue
		}
		s := sizes[t.Type]
		sizes[t.Type] = records.ReviewSize{Memories: s.Memories + 1, Chars: s.Chars + t.ClaudeMDChars}
	}
	return sizes, err
}

// involved returns the ids of the memories that a decision about an item can change.
func (r *Reviewer) involved(ctx context.Context, agent records.Agent, item records.ReviewItem) []string {
	var ids []string
	for _, m := range item.Memories {
		ids = append(ids, m.ID)
	}
	if item.Kind == findings.Plan {
		step, err := r.store.ConsolidationStep(ctx, agent.ID, item.Subject)
		if err != nil {
			return nil
		}
		for _, c := range step.Changes {
			if c.Memory != "" {
				ids = append(ids, c.Memory)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// difference returns after minus before, without zero entries.
func difference(before, after map[memories.Type]records.ReviewSize) map[memories.Type]records.ReviewSize {
	var changes map[memories.Type]records.ReviewSize
	for _, t := range append(memories.Types(), "") {
		d := records.ReviewSize{Memories: after[t].Memories - before[t].Memories, Chars: after[t].Chars - before[t].Chars}
		if d == (records.ReviewSize{}) {
			continue
		}
		if changes == nil {
			changes = map[memories.Type]records.ReviewSize{}
		}
		changes[t] = d
	}
	return changes
}

// relist puts the item of a decision that was taken back into the queue, so that it need not wait for
// an examination. It does nothing if a memory of the item is not as before.
func (r *Reviewer) relist(ctx context.Context, agent records.Agent, d records.ReviewDecision, was *decidedItem) error {
	if was == nil || len(was.Memories) == maxDecided {
		return nil
	}
	item := records.ReviewItem{
		ID: d.Item, AgentID: agent.ID, Agent: agent.Slug, Kind: findings.Kind(d.Kind), Rank: was.Rank, Weight: was.Weight, Memories: was.Memories, Reason: was.Reason,
		Evidence: was.Evidence, Keep: was.Keep, Merge: was.Merge, Subject: was.Subject, CreatedAt: was.FoundAt,
	}
	ids := make([]string, len(item.Memories))
	for i, m := range item.Memories {
		ids[i] = m.ID
	}
	texts, err := r.store.ReviewTexts(ctx, agent.ID, records.Now(), ids)
	if err != nil || len(texts) != len(ids) {
		return err
	}
	for i, m := range item.Memories {
		at := slices.IndexFunc(texts, func(t records.ReviewText) bool { return t.ID == m.ID })
		item.Memories[i].ETag, item.Memories[i].Path = engine.ETag(texts[at].Memory), texts[at].Path
	}
	return r.store.AddReviewItem(ctx, item)
}
