package templates

import (
	"time"

	"memoir/internal/markdown"
	"memoir/internal/memories/claudemd"
)

// SessionMemory is what was noted down in one conversation.
type SessionMemory struct {
	Session    string
	Path       string // absolute
	Size       int64  // bytes
	ModifiedAt time.Time
	Tokens     int
	Messages   int // with text, counted up to memories.MinCompactionMessages; memories.UncountedMessages: not known
	Carries    claudemd.CompactionFit
	Reason     string
	Body       markdown.HTML // on its page alone
}

// SessionMemoryView is the page of one.
type SessionMemoryView struct {
	Frame
	Agent Agent
	SessionMemory
}

// SessionMemoryPath returns the address of what was noted down in a conversation.
func SessionMemoryPath(slug, session string) string {
	return AgentPath(slug, sessionsTab, session, "memory")
}

// messages says how many there are.
func (m SessionMemory) messages() string {
	switch m.Messages {
	case claudemd.UncountedMessages:
		return "not known"
	case claudemd.MinCompactionMessages:
		return number(m.Messages) + " or more"
	}
	return number(m.Messages)
}

// memoryOf returns what was noted down in a session that is listed; nil: nothing.
func (v Sessions) memoryOf(session string) *SessionMemory {
	for i := range v.Memories {
		if v.Memories[i].Session == session {
			return &v.Memories[i]
		}
	}
	return nil
}
