package templates

import (
	"time"

	"memoir/internal/markdown"
	"memoir/internal/memories/claudemd"
)

// SessionMemory is the view of the notes of one session.
type SessionMemory struct {
	Session    string
	Path       string // absolute
	Size       int64  // bytes
	ModifiedAt time.Time
	Tokens     int
	Messages   int // at most claudemd.MinCompactionMessages; claudemd.UncountedMessages if unknown
	Carries    claudemd.CompactionFit
	Reason     string
	Body       markdown.HTML // set only on its own page
}

// SessionMemoryView is the view of the page with one session's notes.
type SessionMemoryView struct {
	Frame
	Agent Agent
	SessionMemory
}

// SessionMemoryPath returns the address of a session's notes.
func SessionMemoryPath(slug, session string) string {
	return AgentPath(slug, sessionsTab, session, "memory")
}

// messages returns the number of messages in words.
func (m SessionMemory) messages() string {
	switch m.Messages {
	case claudemd.UncountedMessages:
		return "not known"
	case claudemd.MinCompactionMessages:
		return number(m.Messages) + " or more"
	}
	return number(m.Messages)
}

// memoryOf returns the notes of a listed session, or nil.
func (v Sessions) memoryOf(session string) *SessionMemory {
	for i := range v.Memories {
		if v.Memories[i].Session == session {
			return &v.Memories[i]
		}
	}
	return nil
}
