package records

import (
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
)

// Proposal is a memory that was found in a conversation.
type Proposal struct {
	ID      uuid.UUID
	AgentID int64
	State   ProposalState
	memories.Content
	// Fingerprint is of the proposal with its name, before any edit. It is unique per agent.
	Fingerprint memories.Fingerprint
	Quote       string    // the quoted source
	QuotedAt    time.Time // zero if unknown
	Session     string
	ProposedAt  time.Time
	DecidedAt   time.Time      // zero if undecided
	DecidedBy   memories.Actor // empty if undecided
	// TargetID and BaseETag describe the acceptance: the memory to update (uuid.Nil for a new one),
	// and the ETag that the user saw.
	TargetID uuid.UUID
	BaseETag string
	MemoryID string // the created or updated memory; empty if none
}

// ProposalState is the state of a proposal.
type ProposalState string

// The states of a proposal.
const (
	ProposalWaiting   ProposalState = "waiting"
	ProposalAccepting ProposalState = "accepting" // decided; it is being written
	ProposalAccepted  ProposalState = "accepted"
	ProposalRefused   ProposalState = "refused"
)

// ProposalPage is one part of an agent's proposals, the newest first.
type ProposalPage struct {
	Proposals  []Proposal
	Total      int    // of that state, on all pages
	NextCursor string // empty at the end
}

// Finding is the result of reading a part of a conversation.
type Finding struct {
	AgentID   int64
	Session   string
	From, To  TranscriptPosition // the part
	ReadAt    time.Time          // when reading began
	Texts     []uuid.UUID        // that were read
	Proposals []Proposal
}
