package templates

import (
	"time"

	"memoir/internal/agents"
	"memoir/internal/markdown"
	"memoir/internal/memories/claudemd"
	"memoir/web/templates/wording"
)

// TimelineSessions is the view of an agent's sessions.
type TimelineSessions struct {
	Rows []SessionRow
	// Next is the address of older sessions, or empty at the end. First is the address of the newest
	// ones, or empty on their own page.
	Next, First string
}

// SessionRow is the view of one session. Name has no raw ids unless the session has no other name.
type SessionRow struct {
	ID       string // raw name
	Name     string
	Href     string
	NameHref string // of the form that names its person and channel; empty if both have names or are unknown
	At       time.Time
	Learned  int
	Recalled int
	Files    int
	Notes    *SessionMemory // notes of the conversation; nil without
}

// TimelineSession is the view of one session: its memories, and its notes.
type TimelineSession struct {
	SessionRow
	EventsHref       string
	MemoriesLearned  []SessionMemoryLink
	MemoriesRecalled []SessionMemoryLink
	Names            []SessionNameForm // empty if the session's name has no ids
}

// SessionMemory is the view of the notes of one session.
type SessionMemory struct {
	agents.SessionMemory
	Carries claudemd.CompactionFit
	Reason  string
	Body    markdown.HTML // set only on the page of the session
}

// messages returns the number of messages in words, or "unknown". Counting stops at
// claudemd.MinCompactionMessages, which is shown as "or more".
func (m SessionMemory) messages() string {
	switch m.Messages {
	case claudemd.UncountedMessages:
		return "unknown"
	case claudemd.MinCompactionMessages:
		return wording.Number(m.Messages) + " or more"
	}
	return wording.Number(m.Messages)
}

// SessionMemoryLink is a memory of a session. Href is empty if the memory was purged.
type SessionMemoryLink struct {
	Name, Href string
	At         time.Time
}

// SessionNameForm is the view of the form that names a person or a channel.
type SessionNameForm struct {
	Label string // Person or Channel
	ID    string
	Name  string // empty: none yet
}

// figures returns the numbers of the session's memories in words.
func (s SessionRow) figures() string {
	return wording.Number(s.Learned) + " learned, " + wording.Number(s.Recalled) + " recalled"
}
