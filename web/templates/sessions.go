package templates

import "time"

// Sessions is an agent's Sessions tab.
type Sessions struct {
	Frame
	Agent Agent
	Rows  []SessionRow
	// Memories are what was noted down in conversations, the newest first.
	Memories []SessionMemory
	// MoreHref is the address of those after these, FirstHref that of the newest; empty: there are none, or they are here.
	MoreHref, FirstHref string
}

// SessionRow is one conversation's working directory. User, channel and thread are empty where the directory's name
// does not tell them.
type SessionRow struct {
	Name     string
	User     string
	Channel  string
	ThreadAt time.Time
	Files    int  // memory files in it
	Present  bool // still on disk
}
