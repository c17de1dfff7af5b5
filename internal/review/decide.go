package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"memoir/internal/findings"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/internal/sync/events"
)

// Choice is the decision of a person about an item.
type Choice struct {
	Decision string // one of Decisions
	// ETags are those of the item's memories that the person saw, in their order. Empty means those
	// that the item has.
	ETags []string
	// Agent is the slug of the agent that the item must be about. Empty means any.
	Agent string
	// Body is the text that Merge saves under the first memory. A nil Name or Description keeps it. A
	// nil Body means the merged text of the item.
	Name, Body, Description *string
	Days                    int // of a Snooze, 1 to MaxSnooze; 0 means DefaultSnooze
	// Batch is the same for all decisions that are taken back together. Empty means this one alone.
	Batch string
}

// Days of a snooze (arbitrary).
const (
	DefaultSnooze = 30
	MaxSnooze     = 365
)

// errOff is the error for a decision that needs a part of Memoir that is not running.
var errOff = &memories.ConflictError{Reason: "Suggestions and plans are switched off on this server. Nothing was changed."}

// ErrChanged is the error for memories that are not as the person saw them.
var ErrChanged = &memories.ConflictError{Reason: "A memory has changed since the item was listed. Nothing was changed. Read the item again and retry."}

// effect is the result of a decision.
type effect struct {
	undo
	holds bool      // it settles the item without a change of memories
	until time.Time // the end of a decision that holds; the zero time means never
}

// Decide carries out a decision about an item, takes the item out of the queue, and returns the
// decision with its actor, which is that of ctx. It fails with memories.ErrNotFound for an item that
// is not in the queue, and with *memories.InvalidError for a choice that the item does not allow. It
// fails with *memories.ConflictError if a memory has changed or the change is refused; the item
// stays then. If only a part of many missing memories can be changed, the others stay as another
// item.
func (r *Reviewer) Decide(ctx context.Context, id string, c Choice) (records.ReviewDecision, error) {
	release, err := r.claim(id)
	if err != nil {
		return records.ReviewDecision{}, err
	}
	defer release()
	ctx = records.InAction(ctx, records.Action{ID: records.ReviewAction(id), Browser: records.ActionOf(ctx).Browser})
	item, err := r.store.ReviewItem(ctx, id)
	if err != nil {
		return records.ReviewDecision{}, err
	}
	if c.Agent != "" && c.Agent != item.Agent {
		return records.ReviewDecision{}, memories.ErrNotFound
	}
	if c.Decision == Merge && c.Body == nil && item.Merge != nil { // the text that the model proposes
		c.Body, c.Description = &item.Merge.Body, &item.Merge.Description
	}
	if err := c.check(item); err != nil {
		return records.ReviewDecision{}, err
	}
	agent, err := r.store.AgentUncounted(ctx, item.Agent)
	if err != nil {
		return records.ReviewDecision{}, err
	}
	ids := r.involved(ctx, agent, item)
	before, err := r.sizes(ctx, agent, ids)
	if err != nil {
		return records.ReviewDecision{}, err
	}
	done, err := r.carryOut(ctx, agent, item, c)
	if errors.Is(err, memories.ErrChanged) {
		err = ErrChanged
	}
	if err != nil {
		return records.ReviewDecision{}, err
	}
	if done.Delete != nil {
		ids = append(ids, done.Delete.ID) // it is new
	}
	after, err := r.sizes(ctx, agent, ids)
	if err != nil {
		return records.ReviewDecision{}, err
	}
	done.Item, done.Batch, done.Changes = decided(item), c.Batch, difference(before, after)
	d := records.ReviewDecision{
		Item: id, Agent: item.Agent, Kind: string(item.Kind), Decision: c.Decision, At: records.Now(), By: engine.ActorOf(ctx), Until: done.until,
	}
	if d.Undo, err = json.Marshal(done.undo); err != nil {
		return records.ReviewDecision{}, err
	}
	if c.Decision == Hide {
		d.Memories = idsOf(refs(item.Memories))
	}
	all := []records.ReviewDecision{d}
	for _, other := range done.Also {
		also := d
		also.Item, also.Undo, also.Memories = other, nil, nil
		all = append(all, also)
	}
	if !done.holds {
		all[0].Until = d.At
	}
	if err := r.store.SettleReview(ctx, item.AgentID, done.isDecisionOnly(), all...); err != nil {
		return records.ReviewDecision{}, err
	}
	if !done.isDecisionOnly() {
		r.request(item.Agent)
	}
	r.engine.Emit(item.Agent, events.Reviewed)
	return all[0], nil
}

// BatchItem is one of several items that are decided together.
type BatchItem struct {
	ID    string
	ETags []string // as in Choice
}

// DecideAll carries out the same decision about several items, one after the other. It returns one
// error for each, in their order, as Decide does. A failure does not stop the others.
func (r *Reviewer) DecideAll(ctx context.Context, c Choice, items []BatchItem) []error {
	errs := make([]error, len(items))
	for i, item := range items {
		c.ETags = item.ETags
		_, errs[i] = r.Decide(ctx, item.ID, c)
	}
	return errs
}

// claim keeps others on this server from deciding about the item until release is called. It fails
// with *memories.ConflictError if another one does so.
func (r *Reviewer) claim(id string) (release func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.deciding[id] {
		return nil, &memories.ConflictError{Reason: "Another request is deciding about this item. Nothing was changed. Try again shortly."}
	}
	r.deciding[id] = true
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.deciding, id)
	}, nil
}

// check returns an error if the item does not allow the choice, or has other ETags.
func (c Choice) check(item records.ReviewItem) error {
	if allowed := Decisions(item); !slices.Contains(allowed, c.Decision) {
		return &memories.InvalidError{Field: "decision", Reason: "must be one of " + strings.Join(allowed, ", ")}
	}
	if c.Days < 0 || c.Days > MaxSnooze {
		return &memories.InvalidError{Field: "days", Reason: fmt.Sprintf("is not 1 to %d", MaxSnooze)}
	}
	if c.Decision == Merge && (c.Body == nil || strings.TrimSpace(*c.Body) == "") {
		return &memories.InvalidError{Field: "body", Reason: "is empty; give the merged text"}
	}
	if len(c.ETags) == 0 || item.Subject != "" && len(item.Memories) == 0 {
		return nil
	}
	if len(c.ETags) != len(item.Memories) {
		return &memories.InvalidError{Field: "etags", Reason: fmt.Sprintf("must be as many as the item's memories, %d", len(item.Memories))}
	}
	for i, m := range item.Memories {
		if c.ETags[i] != "*" && c.ETags[i] != m.ETag {
			return ErrChanged
		}
	}
	return nil
}

// seen returns the only ETag of the choice, for items that are not about memories.
func (c Choice) seen() string {
	if len(c.ETags) != 1 {
		return ""
	}
	return c.ETags[0]
}

// texts returns the item's memories, in their order. It fails with memories.ErrChanged if one is not
// as the item has it.
func (r *Reviewer) texts(ctx context.Context, item records.ReviewItem) ([]records.ReviewText, error) {
	var texts []records.ReviewText
	for part := range slices.Chunk(item.Memories, 500) {
		ids := make([]string, len(part))
		for i, m := range part {
			ids[i] = m.ID
		}
		found, err := r.store.ReviewTexts(ctx, item.AgentID, records.Now(), ids)
		if err != nil {
			return nil, err
		}
		for _, m := range part {
			i := slices.IndexFunc(found, func(t records.ReviewText) bool { return t.ID == m.ID })
			if i < 0 || engine.ETag(found[i].Memory) != m.ETag {
				return nil, memories.ErrChanged
			}
			texts = append(texts, found[i])
		}
	}
	return texts, nil
}

// refs returns the item's memories as the item has them.
func refs(all []records.ReviewMemory) []engine.MemoryRef {
	found := make([]engine.MemoryRef, len(all))
	for i, m := range all {
		found[i] = engine.MemoryRef{ID: m.ID, ETag: m.ETag}
	}
	return found
}

// related returns the ids of the other items that a decision about a set of memories settles: each
// pair, and each memory that says of itself that it is replaced. So no other grouping asks again.
func related(item records.ReviewItem, texts []records.ReviewText) []string {
	if item.Kind != findings.Contradiction && item.Kind != findings.Duplicate {
		return nil
	}
	var ids []string
	for i, t := range texts {
		for _, u := range texts[i+1:] {
			ids = append(ids, itemID(item.Kind, item.Agent, t, u))
		}
		if item.Kind == findings.Contradiction {
			ids = append(ids, itemID(item.Kind, item.Agent, t))
		}
	}
	return slices.DeleteFunc(ids, func(id string) bool { return id == item.ID })
}
