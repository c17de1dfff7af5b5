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
	// Fingerprint is of what was proposed, the name too, however it was edited since. The same is kept
	// once.
	Fingerprint memories.Fingerprint
	Quote       string    // what somebody said, from which it comes
	QuotedAt    time.Time // when; zero: unknown
	Session     string
	ProposedAt  time.Time
	DecidedAt   time.Time      // zero: not yet
	DecidedBy   memories.Actor // empty: nobody yet
	// Updates and Match say how it is being accepted: the memory that it becomes a content of (zero:
	// it is new), and what was seen of that.
	Updates  uuid.UUID
	Match    string
	MemoryID string // that it has become; empty: none
}

// ProposalState is what has become of a proposal.
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
	NextCursor string // empty: this is the end
}

// Finding is what came of reading a stretch of a conversation.
type Finding struct {
	AgentID   int64
	Session   string
	From, To  TranscriptPosition // the stretch
	ReadAt    time.Time          // when reading began
	Texts     []uuid.UUID        // that were read
	Proposals []Proposal
}
