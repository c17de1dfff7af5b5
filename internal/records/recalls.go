package records

import (
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
)

// Recall is the record of one recall: a search for the memories that fit a prompt.
type Recall struct {
	ID             uuid.UUID
	AgentID        int64
	At             time.Time
	Session        string // empty: none
	AskedBy        string // script, hook, mcp
	Query          string // its beginning
	State          RecallState
	SelectedBy     string // model, keyword; empty if no memory was considered
	Skipped        string // why not
	Note           string // why a model did not choose, or why memories were left out
	Candidates     int
	Took           time.Duration
	Chosen         []RecallChoice // the best first
	DeliveredCount int            // how many of them were handed out
}

// RecallState is how far a recall has come.
type RecallState string

// The states of a recall.
const (
	RecallPending   RecallState = "pending"    // it is being chosen
	RecallSettled   RecallState = "settled"    // it waits to be fetched
	RecallDelivered RecallState = "handed_out" // delivered to the caller
)

// RecallChoice is a memory that was chosen, and why.
type RecallChoice struct {
	ID   uuid.UUID `json:"id"`
	Why  []string  `json:"why"`
	Weak bool      `json:"weak,omitempty"` // it hardly fits the query
}

// DeliveredMemory is a memory that a recall has returned.
type DeliveredMemory struct {
	RecallChoice
	Name  string
	Bytes int
}

// SessionDelivery is the set of memories that a session has received, and their size.
type SessionDelivery struct {
	Memories map[uuid.UUID]bool
	Bytes    int
}

// RecallTerm is a term of a recall's query. A memory has it if it has any of the words, which are
// folded by package words, or any of the runs.
type RecallTerm struct {
	Words []string
	Runs  []string // of adjacent characters; each character is a word
}

// RecallSources are the agents whose memories an agent receives: the agent itself, then the agents
// that share theirs.
type RecallSources []Agent

// Of returns the source with the id, or the zero Agent.
func (g RecallSources) Of(id int64) Agent {
	for _, agent := range g {
		if agent.ID == id {
			return agent
		}
	}
	return Agent{}
}

// IDs returns the ids of the sources, in their order.
func (g RecallSources) IDs() []int64 {
	ids := make([]int64, len(g))
	for i, agent := range g {
		ids[i] = agent.ID
	}
	return ids
}

// MemoryExcerpt is a memory with the first bytes of its file.
type MemoryExcerpt struct {
	memories.Memory
	File []byte
}

// RecallList selects recalls of an agent.
type RecallList struct {
	AgentID int64
	Session string // empty: of all, and of none
	Limit   int    // 1 to MaxLimit
	Cursor  string // the NextCursor of the page before, for the same list
}

// RecallPage is one part of the records, newest first.
type RecallPage struct {
	Recalls    []PastRecall
	NextCursor string // empty at the end
}

// PastRecall is a recall with its delivered memories, best first.
type PastRecall struct {
	Recall
	Memories []PastDelivery
}

// PastDelivery is a memory that an earlier recall has returned. There is false if the memory was
// removed permanently.
type PastDelivery struct {
	DeliveredMemory
	There bool
}
