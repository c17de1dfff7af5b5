package records

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// Conversation is the read position and last activity of a conversation.
type Conversation struct {
	AgentID        int64
	Session        string
	Transcript     string // the path of its file; empty if a script gave the messages
	LastActivityAt time.Time
	ReadAt         time.Time // zero: never
	TranscriptPosition
}

// TranscriptPosition is the position up to which a conversation was read.
type TranscriptPosition struct {
	LastID   string // the id of the last message; empty if none
	Offset   int64  // bytes of the transcript
	TailHash []byte // of the last of those bytes
}

// Equal reports whether two positions are the same.
func (p TranscriptPosition) Equal(other TranscriptPosition) bool {
	return p.LastID == other.LastID && p.Offset == other.Offset && string(p.TailHash) == string(other.TailHash)
}

// PendingText is messages from a script that were not read yet.
type PendingText struct {
	ID       uuid.UUID
	Messages json.RawMessage
}

// UnreadConversation is a conversation with activity since it was last read.
type UnreadConversation struct {
	AgentID        int64
	Session        string
	LastActivityAt time.Time
}
