package templates

import "time"

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

// SessionRow is the view of one session. User, Channel and ThreadAt are empty if the directory's
// name does not contain them.
type SessionRow struct {
	Name     string
	User     string
	Channel  string
	ThreadAt time.Time
	Files    int  // number of its memory files
	Present  bool // whether the directory exists
}
