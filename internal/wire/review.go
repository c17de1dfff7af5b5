package wire

import (
	"time"

	"memoir/internal/records"
)

// ReviewItem is something that a person should decide.
type ReviewItem struct {
	ID          string         `json:"id" doc:"Changes with the contents; a decision is valid until then."`
	Kind        string         `json:"kind"`
	Group       string         `json:"group" enum:"safety,wrong,tidy_up,suggestions"`
	Agent       string         `json:"agent" doc:"The agent's slug."`
	Memories    []ReviewMemory `json:"memories" nullable:"false" doc:"Empty for an index, a blocked content, a suggestion and a step of a plan."`
	Reason      string         `json:"reason" doc:"At most eight words."`
	Evidence    []Evidence     `json:"evidence" nullable:"false"`
	Recommended *string        `json:"recommended" doc:"The decision that the evidence suggests; null if it suggests none."`
	Decisions   []string       `json:"decisions" nullable:"false" doc:"Those that POST takes."`
	Subject     *string        `json:"subject" doc:"The subject, if it is not a memory: the path of an index, or the id of a blocked content, a proposal or a step. Of a conflict: the ids of the versions, with commas, in the order of keep_1 and so on."`
	Merge       *MergedText    `json:"merge" doc:"One text for all memories, which the background model proposes: merge saves it if the request has no body. null: none."`
	CreatedAt   time.Time      `json:"created_at" doc:"When it was first found."`
}

// ReviewMemory is a memory that an item is about.
type ReviewMemory struct {
	ID   string `json:"id"`
	Name string `json:"name" doc:"A secret in it is masked."`
	Path string `json:"path"`
	ETag string `json:"etag" doc:"For etags."`
}

// MergedText is one text that says what several memories say.
type MergedText struct {
	Description string `json:"description"`
	Body        string `json:"body"`
}

// Evidence is a part of a memory's text.
type Evidence struct {
	Memory string `json:"memory" doc:"The memory's id."`
	Field  string `json:"field" enum:"name,description,body"`
	Start  int    `json:"start" doc:"Offset in the field, in bytes of UTF-8, before anything is masked."`
	End    int    `json:"end" doc:"Offset of the end, in bytes."`
}

// ReviewList is one page of the queue.
type ReviewList struct {
	Items      []ReviewItem   `json:"items" nullable:"false"`
	Counts     map[string]int `json:"counts" nullable:"false" doc:"By kind, of all kinds, with the other filters. Kinds without an item are left out."`
	Total      int            `json:"total" doc:"Of the whole list."`
	NextCursor *string        `json:"next_cursor" doc:"For the next page; null: this is the last."`
}

// ReviewItemOf returns an item as the API sends it. group, decisions and recommended follow from the
// kind and the item.
func ReviewItemOf(item records.ReviewItem, group, recommended string, decisions []string) ReviewItem {
	return ReviewItem{
		ID: item.ID, Kind: string(item.Kind), Group: group, Agent: item.Agent, Reason: item.Reason, Recommended: Text(recommended), Decisions: decisions,
		Memories: List(item.Memories, func(m records.ReviewMemory) ReviewMemory { return ReviewMemory(m) }),
		Evidence: List(item.Evidence, func(e records.Evidence) Evidence { return Evidence{e.Memory, string(e.Field), e.Start, e.End} }),
		Subject:  Text(item.Subject), Merge: (*MergedText)(item.Merge), CreatedAt: item.CreatedAt,
	}
}

// ReviewDecision is the decision about an item.
type ReviewDecision struct {
	ID       string `json:"id" doc:"The item's id."`
	Kind     string `json:"kind"`
	Agent    string `json:"agent" doc:"The agent's slug."`
	Decision string `json:"decision"`
	Undoable bool   `json:"undoable" doc:"Whether it can be taken back, unless something changes."`
}

// ReviewDecisionOf returns a decision as the API sends it.
func ReviewDecisionOf(d records.ReviewDecision, undoable bool) ReviewDecision {
	return ReviewDecision{ID: d.Item, Kind: d.Kind, Agent: d.Agent, Decision: d.Decision, Undoable: undoable}
}
