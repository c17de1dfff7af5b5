package templates

import (
	"time"

	"memoir/internal/agents"
	"memoir/internal/markdown"
	"memoir/internal/memories/claudemd"
)

// Sessions is the view of an agent's Sessions tab.
type Sessions struct {
	Frame
	Agent Agent
	Rows  []SessionRow
	// Memories are the notes of sessions, newest first.
	Memories []SessionMemory
	// MoreHref is the address of the next rows, or empty at the end. FirstHref is the address of
	// the newest rows, or empty on their own page.
	MoreHref, FirstHref string
}

// SessionRow is the view of one session, with the number of its memory files.
type SessionRow struct {
	agents.Session
	Files        int
	LastMemoryAt time.Time // of its newest memory file, also if that is gone
}

// SessionMemory is the view of the notes of one session.
type SessionMemory struct {
	agents.SessionMemory
	Carries claudemd.CompactionFit
	Reason  string
	Body    markdown.HTML // set only on its own page
}

// SessionMemoryView is the view of the page with one session's notes.
type SessionMemoryView struct {
	Frame
	Agent Agent
	SessionMemory
}

// SessionMemoryPath returns the path of the page with a session's notes.
func SessionMemoryPath(slug, session string) string {
	return AgentPath(slug, sessionsTab, session, "memory")
}

// messages returns the number of messages in words, or "not known". Counting stops at
// claudemd.MinCompactionMessages, which is shown as "or more".
func (m SessionMemory) messages() string {
	switch m.Messages {
	case claudemd.UncountedMessages:
		return "not known"
	case claudemd.MinCompactionMessages:
		return number(m.Messages) + " or more"
	}
	return number(m.Messages)
}

func (v Sessions) memoryOf(session string) *SessionMemory {
	for i := range v.Memories {
		if v.Memories[i].Session == session {
			return &v.Memories[i]
		}
	}
	return nil
}
