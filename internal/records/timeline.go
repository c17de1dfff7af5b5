package records

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
)

// KindRecalled is the kind of a TimelineEvent that is a recall. The journal has no such entries.
const KindRecalled memories.ActivityKind = "recalled"

// TimelineEvent is a journal entry, a recall that delivered memories, or the first scan of an agent,
// without details.
type TimelineEvent struct {
	AgentID  int64
	At       time.Time
	ID       int64     // of the journal entry; 0 for a recall, negative for a first scan
	RecallID uuid.UUID // uuid.Nil for a journal entry
	Kind     memories.ActivityKind
	Actor    memories.Actor
	Session  string // empty: none
	// Action and Browser are those of the request that made the change; empty without one.
	Action, Browser string
	// Person is as in Action.
	Person string
	// FirstScan is the number of memories that the first scan of the agent has found, because their
	// files were older than Memoir's knowledge of the agent. It is 0 for other events.
	FirstScan int
}

// Compare returns a negative number if e is newer than o, that is, before it on a timeline, a
// positive one if it is older, and 0 if both are the same event.
func (e TimelineEvent) Compare(o TimelineEvent) int {
	return cmp.Or(o.At.Compare(e.At), cmp.Compare(o.ID, e.ID), strings.Compare(o.RecallID.String(), e.RecallID.String()))
}

// Event returns the id of the event that takes the entry back: the decision of the review that made it,
// else the entry itself.
func (e TimelineEvent) Event() string {
	if _, isDecision := ReviewedItem(e.Action); isDecision {
		return e.Action
	}
	return EventKey(e.AgentID, e.At, e.ID)
}

// TimelineList selects events. A zero field selects all.
type TimelineList struct {
	AgentIDs []int64
	Until    time.Time // later events are left out
	Kind     memories.ActivityKind
	Actor    memories.Actor
	Session  string
	MemoryID string
	Words    string // part of the memory's name, or of a recall's prompt
	Limit    int
	// FirstScan says whether first scans are one event each, or the only events.
	FirstScan FirstScans
}

// FirstScans is how a list of events treats the memories that the first scan of an agent has found.
type FirstScans int

// The ways to treat first scans.
const (
	EachMemory FirstScans = iota // each memory is an event, like others
	OneEvent                     // a first scan is one event
	OnlyThese                    // there are no other events
)

// EventDetails are the details of a TimelineEvent. For a recall, Activity is about its best memory.
type EventDetails struct {
	memories.Activity
	Team   bool   // the memory was in team memory afterwards
	IsLast bool   // the memory has not changed later
	Prompt string // of a recall
	Given  int    // number of memories that a recall delivered
}

// ChangesSince compares the memories of a past moment with those of now.
type ChangesSince struct {
	Learned int // exist now, and did not then
	Deleted int // existed then, and do not now
	Changed int // existed then, and have other texts or names now
}

// DayCount is a number of events on one day.
type DayCount struct {
	Day time.Time // its beginning, in UTC
	N   int
}

// SessionSummary is a session with its memories.
type SessionSummary struct {
	Name     string
	At       time.Time // of its newest memory file or recall
	Files    int       // memory files on disk now
	Learned  int       // memories that it wrote first
	Recalled int       // memories that it was given
}

// SessionSummaries is one part of an agent's sessions, the newest first.
type SessionSummaries struct {
	Sessions   []SessionSummary
	NextCursor string // empty at the end
}

// GivenMemory is a memory that a session was given. Exists is false if it was purged.
type GivenMemory struct {
	ID     string
	Name   string
	At     time.Time
	Exists bool
}

// Timeline reads what happened to memories over time. SaveSessionName names a person or channel of
// an agent's sessions, and AddReveal records that a secret was shown.
type Timeline interface {
	TimelineEvents(ctx context.Context, list TimelineList) ([]TimelineEvent, error)
	EventDetails(ctx context.Context, events []TimelineEvent) ([]EventDetails, error)
	EventChanges(ctx context.Context, event string) ([]EventChange, error)
	AddReveal(ctx context.Context, agentID int64, id string, actor memories.Actor) error
	Deletions(ctx context.Context, agentIDs []int64) ([]DayCount, error)
	ChangesSince(ctx context.Context, agentIDs []int64, at time.Time) (ChangesSince, error)
	SessionNames(ctx context.Context, agentIDs []int64) (map[int64]map[string]string, error)
	SaveSessionName(ctx context.Context, agentID int64, id, name string) error
	SessionSummaries(ctx context.Context, agentID int64, limit int, cursor string) (SessionSummaries, error)
	SessionSummary(ctx context.Context, agentID int64, session string) (SessionSummary, error)
	GivenMemories(ctx context.Context, agentID int64, session string, limit int) ([]GivenMemory, error)
}
