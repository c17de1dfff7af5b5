// Package templates owns the pages: templ components, and beside each the view model it shows. View models are plain
// structs that pure functions fill; a component never calls a store, reads a clock or decides what is allowed. The HTML
// handlers call it: one view model in, one whole page out.
//
// Every page is a whole page, with JavaScript or without. Where htmx runs, it fetches that same page and takes the main
// region and the notices out of it, so a handler never has to ask who is calling. An action is a form that posts and is
// answered with 303 to the page that shows its outcome.
package templates

import (
	"strings"

	"memoir/internal/memories"
)

// Frame is what every page has around its content.
type Frame struct {
	// Live is the path of the event stream that the page follows; empty: it stays as it was rendered.
	Live string
	// Notice says what the last action did, once.
	Notice *Notice
	// Banners stand above the content for as long as what they say holds.
	Banners []Banner
}

// Notice says what an action did, and offers the way back where there is one.
type Notice struct {
	Text    string
	Actions []Action
}

// Tone says how much a banner or badge matters.
type Tone string

// The tones, from quiet to loud. The zero Tone is quiet.
const (
	Quiet   Tone = ""
	Good    Tone = "good"
	Warning Tone = "warning"
	Danger  Tone = "danger"
)

// Banner says what is not as it should be, what was kept, and what to do.
type Banner struct {
	Tone    Tone
	Title   string
	Text    string
	Items   []string // the names of what it is about, in a list that opens on demand
	Actions []Action
	Link    Link // where to look; without a label: none
}

// Link leads to another page.
type Link struct{ Label, Href string }

// Action is a form with one button. It works without JavaScript.
type Action struct {
	Label string
	// About completes the label for those who hear the page instead of seeing what the button stands next to.
	About string
	Path  string
	// ETag is the state that the user saw; the handler refuses when it no longer holds. Empty: not sent.
	ETag string
	// Memories are what it is about, where that is many; each as picked gives it.
	Memories []string
	// Back is the path and query of the page to return to; empty: the handler's own choice.
	Back string
	// Confirm is asked in a second step, for what cannot be undone; empty: the button acts at once.
	Confirm string
	// Does is what the keyboard calls it (keys.js): delete, undo, edit, verify, restore, new, accept, refuse; empty: no key leads to it.
	Does string
	// Focus is the id of the row that the keyboard goes on from afterwards; empty: the one where it was, or the next.
	Focus string
	// Icon is drawn before the label, and alone where there is little room; empty: none.
	Icon  string
	Style Style
}

// confirmed returns the action of the second step.
func (a Action) confirmed() Action {
	a.Label = "Yes, " + strings.ToLower(a.Label[:1]) + a.Label[1:]
	return a
}

// Style is how a button looks.
type Style string

// The styles of buttons. The zero Style is a plain one.
const (
	Plain       Style = ""
	Primary     Style = "primary"
	Destructive Style = "destructive"
	Subtle      Style = "subtle" // words only, for buttons that repeat in every row
)

// The names of the form fields that handlers read.
const (
	FieldETag   = "etag"
	FieldBack   = "back"
	FieldType   = "type"
	FieldName   = "name"
	FieldBody   = "body"
	FieldToken  = "token"
	FieldNext   = "next"
	FieldQuery  = "q"
	FieldState  = "state"
	FieldCursor = "cursor"
	FieldOpen   = "open" // the id of the memory whose fixes a page shows
	FieldStale  = "stale"
	FieldSort   = "sort"
	FieldAbove  = "above" // how many rows of the group the page has above those that it asks for

	FieldDescription = "description"
	FieldTheme       = "theme"

	FieldFix  = "fix"
	FieldPath = "path"
	FieldHash = "hash"
	FieldWith = "with" // the version that an edit is to be merged with

	FieldKind    = "kind"
	FieldActor   = "actor"
	FieldSession = "session"
	FieldScope   = "scope"
	FieldTo      = "to"
	FieldAgent   = "agent" // the slug of another agent
	FieldShown   = "shown" // how many entries the page has
	FieldAsOf    = "as_of" // a past moment: RFC 3339, or as a browser's field writes it

	// FieldMemory names a memory by its id and, after a blank, the ETag that the user saw. It may be there many times.
	FieldMemory = "memory"
	// FieldBatch is the batch that a part belongs to, FieldMore says that more parts follow.
	FieldBatch = "batch"
	FieldMore  = "more"
)

// Age is how old a memory is, in words.
type Age struct {
	Text    string // "today", "yesterday", "12 days ago"
	Stale   bool
	Warning string // what a stale memory carries; empty: nothing
}

// Counts are an agent's memories.
type Counts struct {
	Feedback, User, Project, Reference int // active ones
	NeedsAttention, Missing, Deleted   int
	MissingByType                      map[memories.Type]int // of Missing

	Blocked, NotRemoved, Disagreements int
	CitesGone                          int // memories that cite what is gone
	Proposals                          int // found in conversations, to be decided about; not among what Waiting counts
	Team                               int // memories of the team, of whatever type
}

// Of returns how many active memories of a type there are.
func (c Counts) Of(t memories.Type) int {
	switch t {
	case memories.Feedback:
		return c.Feedback
	case memories.User:
		return c.User
	case memories.Project:
		return c.Project
	case memories.Reference:
		return c.Reference
	default:
		return 0
	}
}

// Listed returns how many memories of a type the Memory tab lists: the missing ones too.
func (c Counts) Listed(t memories.Type) int { return c.Of(t) + c.MissingByType[t] }

// Waiting returns how many things wait for somebody to decide.
func (c Counts) Waiting() int {
	return c.NeedsAttention + c.Missing + c.Blocked + c.NotRemoved + c.Disagreements + c.CitesGone
}

// Total returns how many memories there are that are not deleted.
func (c Counts) Total() int {
	return c.Feedback + c.User + c.Project + c.Reference + c.NeedsAttention + c.Missing
}
