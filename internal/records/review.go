package records

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"memoir/internal/findings"
	"memoir/internal/memories"
)

// ReviewDecision is what a person decided about an item of the review.
type ReviewDecision struct {
	Item     string // the item's id
	Agent    string // slug; a new decision does not need it
	Kind     string
	Decision string // as the API spells it
	At       time.Time
	By       memories.Actor
	// Until is the end of a decision that only holds for a time. The zero time means for good. A
	// decision that has changed memories or files holds for no time: Until is At.
	Until time.Time
	// Undo is JSON that says what takes the decision back, besides deleting it; nil: nothing.
	Undo []byte
	// Memories are the ids of the memories about which items of the kind are hidden, whatever their
	// contents are. It is empty if items without memories are hidden, and nil if the decision is about
	// the item alone.
	Memories []string
}

// Holds reports whether the decision holds at a time.
func (d ReviewDecision) Holds(at time.Time) bool { return d.Until.IsZero() || at.Before(d.Until) }

// DecisionAllow is the decision that agents may receive the content. A scan obeys it.
const DecisionAllow = "allow"

// TextToExamine is the content of a memory, with its current problems.
type TextToExamine struct {
	ID, RevisionID          uuid.UUID
	Name, Description, Body string
	Fingerprint             memories.Fingerprint
	Problems                []memories.Problem
}

// ProblemChange is a memory with other problems. Text is its text for the search index, which depends
// on them.
type ProblemChange struct {
	Problems []memories.Problem
	Text     SearchText
}

// NewProblemChange returns the change of a memory to other problems.
func NewProblemChange(t TextToExamine, problems []memories.Problem) ProblemChange {
	return ProblemChange{problems, SearchText{
		MemoryID: t.ID, RevisionID: t.RevisionID, Name: t.Name, Description: t.Description, Body: t.Body,
		Masked: slices.ContainsFunc(problems, memories.Problem.IsQuarantine),
	}}
}

// ReviewText is a memory as the review sees it, with its Body.
type ReviewText struct {
	MemoryRow
	Dead    int // dead citations
	Recalls int // deliveries in the last days
}

// ReviewItem is something that a person should decide.
type ReviewItem struct {
	ID       string // kind and hash of agent, names and contents
	AgentID  int64
	Agent    string // slug
	Kind     findings.Kind
	Rank     int     // place of the kind in the queue
	Weight   float64 // within a kind, the heaviest first
	Memories []ReviewMemory
	Reason   string // at most eight words
	Evidence []Evidence
	Keep     string      // id of the memory that is to stay, or empty
	Merge    *MergedText // one text for all memories, which a model proposes, or nil
	// Subject is the id of what is decided, if that is no memory: a proposal, a step, a blocked content,
	// the path of an index. Of a conflict it has the fingerprints of the contents, with commas.
	Subject   string
	CreatedAt time.Time // when it was first found
}

// DeletionConflict is a memory that one machine has deleted and another one has changed, so that a
// person decides. The memory has the changed content, also in the trash.
type DeletionConflict struct {
	MemoryID uuid.UUID
	Deleted  bool      // deleted here and changed there, else the reverse
	OtherAt  time.Time // of the deletion or the change on the other machine
}

// ReviewMemory is a memory that an item is about. A secret in its name is masked.
type ReviewMemory struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Path string `json:"path"`
	ETag string `json:"etag"`
}

// Evidence is a part of a memory's text that shows why: field[Start:End], in bytes.
type Evidence struct {
	Memory string         `json:"memory"` // id
	Field  findings.Field `json:"field"`
	Start  int            `json:"start"`
	End    int            `json:"end"`
}

// ReviewList selects items. A zero field selects all.
type ReviewList struct {
	AgentID int64
	Kinds   []findings.Kind
	Query   string // part of a name or of the reason, in any letter case
	Limit   int    // 1 to MaxLimit
	Skip    int    // number of items before the page, after Cursor
	Cursor  string // the NextCursor of the page before, for the same list
}

// ReviewPage is one part of the queue.
type ReviewPage struct {
	Items      []ReviewItem
	Counts     map[findings.Kind]int // of the whole list, also of kinds that the list leaves out
	Total      int                   // of the whole list
	NextCursor string                // empty at the end
}

// ReviewDecisionList selects decisions, the last first.
type ReviewDecisionList struct {
	AgentID int64     // 0 selects all agents
	Since   time.Time // zero means from the beginning
	// HeldAt selects the decisions that only hide an item, and hold at that time. Zero selects all.
	HeldAt time.Time
	Limit  int
}

// ReviewSize is the number of memories of a type, and their size in CLAUDE.md in Unicode characters.
type ReviewSize struct {
	Memories int `json:"memories"`
	Chars    int `json:"chars"`
}

// ReviewLink is a memory whose text has one of several links.
type ReviewLink struct {
	ID   string
	Link int // index of the first link that it has
}

// MergedText is one text that says what several memories say.
type MergedText struct {
	Description string `json:"description"`
	Body        string `json:"body"`
}

// ReviewQuestion is something that a model is to be asked about one memory or a pair.
type ReviewQuestion struct {
	ID       string   // kind and hash of agent, names and contents
	Kind     string   // pair, expired or junk
	Memories []string // ids; of a pair, in order
	Score    float64  // similarity of a pair
	Asked    int      // how often it was asked without a usable answer
}

// ReviewVerdict is what a model has answered.
type ReviewVerdict struct {
	ReviewQuestion
	Verdict string
	Reason  string      // at most eight words; can be empty
	Keep    string      // id of the memory that is to stay, or empty
	Merge   *MergedText // or nil
}
