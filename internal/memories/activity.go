package memories

import "time"

// Actor is who changed a memory. A change found in a file counts as made by the directory's owner:
// BySession for a session's file, ByDisk for a primary file, which an agent or a person may have
// changed.
type Actor string

const (
	BySession Actor = "session"
	ByDisk    Actor = "disk"
	ByBrowser Actor = "browser"
	ByScript  Actor = "script" // an API request
	ByMemoir  Actor = "memoir" // completion of an interrupted restore
	// ByExtraction means that Memoir found the memory in a conversation and wrote it unasked.
	ByExtraction Actor = "extraction"
)

// Actors are all actors.
var Actors = []Actor{BySession, ByDisk, ByBrowser, ByScript, ByMemoir, ByExtraction}

// ActivityKind is the kind of an event in a memory's journal.
type ActivityKind string

// Kinds of activities. ActivityBlocked, ActivityAllowed and ActivityDiscarded are about a blocked
// content.
const (
	ActivityLearned   ActivityKind = "learned"   // a new memory
	ActivityChanged   ActivityKind = "changed"   // new content or type
	ActivityRenamed   ActivityKind = "renamed"   // new name, or moved between private and team memory
	ActivityVerified  ActivityKind = "verified"  // confirmed; its age starts again
	ActivityDeleted   ActivityKind = "deleted"   // moved to the trash, or its file was removed
	ActivityRestored  ActivityKind = "restored"  // taken from the trash, or found on disk again
	ActivityMissing   ActivityKind = "missing"   // removed with many others in one scan
	ActivityReturned  ActivityKind = "returned"  // found on disk again after ActivityMissing
	ActivityCleared   ActivityKind = "cleared"   // its unreadable file became readable or was removed
	ActivityPurged    ActivityKind = "purged"    // removed from the trash permanently
	ActivityBlocked   ActivityKind = "blocked"   // a deleted content returned and is not used
	ActivityAllowed   ActivityKind = "allowed"   // a blocked content is used
	ActivityDiscarded ActivityKind = "discarded" // a person removed the file with a blocked content
	ActivityRevealed  ActivityKind = "revealed"  // its secret was shown; nothing has changed
	ActivityKept      ActivityKind = "kept"      // a person kept it; another machine had deleted it
)

// ActivityKinds are all kinds.
var ActivityKinds = []ActivityKind{
	ActivityLearned, ActivityChanged, ActivityRenamed, ActivityVerified, ActivityDeleted, ActivityRestored,
	ActivityMissing, ActivityReturned, ActivityCleared, ActivityPurged, ActivityBlocked, ActivityAllowed,
	ActivityDiscarded, ActivityRevealed, ActivityKept,
}

// Activity is an event in the journal.
type Activity struct {
	ID       int64
	At       time.Time // time of the event, or of a file's last modification
	Agent    string    // slug of the agent
	MemoryID string    // empty for a blocked content without a memory
	Exists   bool      // the memory's page exists; false for purged memories
	Name     string
	Kind     ActivityKind
	Actor    Actor
	Path     string // path of the file with the content, relative to the agent's directory
	Session  string // session of that file, or empty for the primary directory
	State    State  // state after the event, or empty if unchanged
	Type     Type   // type after the event, or of the blocked content, or empty
	// Description and Hash are those of the content after the event; empty if it was deleted.
	Description string
	Hash        string
	// Renamed is the name before a rename; for a move between private and team memory it equals
	// Name. If a file's name changed, it is the old name for ActivityLearned and the new one for
	// ActivityDeleted. Otherwise it is empty.
	Renamed string
	// Action is the id of the request that made the change, and Browser that of its browser; empty
	// without one.
	Action, Browser string
	// Person is the name of the person or program that made the request; empty for the owner.
	Person string
}

// actorNames name actors. All pages use these words.
var actorNames = map[Actor]string{
	BySession:    "the agent",
	ByDisk:       "the agent",
	ByBrowser:    "another browser",
	ByScript:     "a script",
	ByMemoir:     "Memoir",
	ByExtraction: "Memoir",
}

// IsRequest reports whether the actor is who made a request, and not the owner of a changed file.
func (a Actor) IsRequest() bool { return a != BySession && a != ByDisk }

// IsReader reports whether a browser, by its random id, is that of the reader of a page. An empty id
// counts as the reader's: changes had none before version 46 of the schema.
func IsReader(browser, reader string) bool { return browser == "" || browser == reader }

// Who returns the actor in the words of all pages, such as "the agent". isReader reports whether a
// change in a browser was made by the reader of the page, who is "you". It returns "" for an unknown
// actor.
func (a Actor) Who(isReader bool) string {
	if a == ByBrowser && isReader {
		return "you"
	}
	return actorNames[a]
}

// By is Who, but names the person who made the request, if that has a name and is not the reader.
func (a Actor) By(person string, isReader bool) string {
	if person == "" || a == ByBrowser && isReader {
		return a.Who(isReader)
	}
	return person
}

// Deleted returns words for a deletion by the actor, such as "deleted by a script". They are
// "deleted" for an unknown actor. person and isReader are those of By.
func (a Actor) Deleted(person string, isReader bool) string {
	if who := a.By(person, isReader); who != "" {
		return "deleted by " + who
	}
	return "deleted"
}
