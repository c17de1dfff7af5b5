package records

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// Conversation is up to where one was read, and when it was last heard of.
type Conversation struct {
	AgentID    int64
	Session    string
	Transcript string // the path of its file; empty: its messages were given by a script
	HeardAt    time.Time
	ReadAt     time.Time // zero: never
	TranscriptPosition
}

// TranscriptPosition is the position up to which a conversation was read.
type TranscriptPosition struct {
	Last   string // the id of the last message; empty: none
	ReadTo int64  // bytes of the transcript
	Mark   []byte // of the last of those bytes
}

// Equal reports whether two positions are the same.
func (p TranscriptPosition) Equal(other TranscriptPosition) bool {
	return p.Last == other.Last && p.ReadTo == other.ReadTo && string(p.Mark) == string(other.Mark)
}

// GivenText is what a script has given of a conversation, and nobody has read yet.
type GivenText struct {
	ID       uuid.UUID
	Messages json.RawMessage
}

// UnreadConversation is a conversation with activity since it was last read.
type UnreadConversation struct {
	AgentID int64
	Session string
	HeardAt time.Time
}
