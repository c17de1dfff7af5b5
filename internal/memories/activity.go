package memories

import "time"

// Actor says who did something to a memory.
type Actor string

// The actors. What is found in a file was done by whoever wrote it: in a session's directory that session, in the
// durable directory the agent or a person with an editor, who cannot be told apart.
const (
	BySession Actor = "session"
	ByDisk    Actor = "disk"
	ByBrowser Actor = "browser"
	ByScript  Actor = "script" // a request to the API
	ByMemoir  Actor = "memoir" // nobody asked just then: a restore that a crash had cut short is completed
	// ByExtraction: Memoir found it in a conversation and wrote it without asking, because it was told to.
	ByExtraction Actor = "extraction"
)

// Actors lists every actor.
var Actors = []Actor{BySession, ByDisk, ByBrowser, ByScript, ByMemoir, ByExtraction}

// ActivityKind says what happened to a memory.
type ActivityKind string

// The kinds of an Activity. All but the last five say what the memory is from then on; three of those are about a content
// that is kept out of the memory, and what became of that.
const (
	ActivityLearned   ActivityKind = "learned"   // there had been no memory of that name
	ActivityChanged   ActivityKind = "changed"   // it says something else, or has another type
	ActivityRenamed   ActivityKind = "renamed"   // it has another name, or was moved between private and team memory
	ActivityVerified  ActivityKind = "verified"  // still true: its age starts anew
	ActivityDeleted   ActivityKind = "deleted"   // into the trash, by a person or because its file was removed
	ActivityRestored  ActivityKind = "restored"  // out of the trash, by a person or because it was learned anew
	ActivityMissing   ActivityKind = "missing"   // its files went with many others at once: held until somebody decides
	ActivityReturned  ActivityKind = "returned"  // it was missing, and a file carries it again
	ActivityCleared   ActivityKind = "cleared"   // it stood for a file that could not be read, which now can be or is gone
	ActivityPurged    ActivityKind = "purged"    // gone from the trash with all its contents
	ActivityBlocked   ActivityKind = "blocked"   // a deleted content turned up again and is kept out
	ActivityAllowed   ActivityKind = "allowed"   // such a content was let in
	ActivityDiscarded ActivityKind = "discarded" // the file with such a content was removed, by a person
)

// ActivityKinds lists every kind.
var ActivityKinds = []ActivityKind{
	ActivityLearned, ActivityChanged, ActivityRenamed, ActivityVerified, ActivityDeleted, ActivityRestored,
	ActivityMissing, ActivityReturned, ActivityCleared, ActivityPurged, ActivityBlocked, ActivityAllowed,
	ActivityDiscarded,
}

// Activity is one thing that happened to a memory.
type Activity struct {
	ID       int64
	At       time.Time // of what was first seen in a file, that file's modification time; else when it happened
	Agent    string    // the agent's slug
	MemoryID string    // empty: a content was kept out of no memory
	Exists   bool      // whether the memory can still be looked at; a purged one cannot
	Name     string
	Kind     ActivityKind
	Actor    Actor
	Path     string // of the file that held the content, relative to the agent's directory
	Session  string // the session that wrote that; empty: the durable directory
	State    State  // of the memory from then on; empty: as before
	Type     Type   // of what the memory said from then on, or of the content that was kept out; empty: none
	// Description and Hash are those of the content that held from then on; empty where it has gone with the memory.
	Description string
	Hash        string
	// Renamed is the memory's name before it was renamed. It is the same name where the memory was moved between private and
	// team memory. Where a file carries another name, it is the old name beside what is learned, and the new name beside what is
	// deleted. It is empty otherwise.
	Renamed string
}
