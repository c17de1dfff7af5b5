// Package templates owns the HTML: templ components and their view models. View models are plain
// structs that the handlers in package pages fill. A component never calls a store, reads a clock
// or decides what is allowed.
//
// Every page is complete, with or without JavaScript. If htmx runs, it loads the same page and
// takes the main region and the notices from it, so handlers need not distinguish. An action is a
// form whose response redirects (303) to a page with the result.
package templates

import (
	"strings"

	"memoir/internal/memories"
	"memoir/web/templates/address"
)

// Frame is the part of a view that every page has.
type Frame struct {
	// Live is the path of the event stream that reloads the page. It is empty for a page that does
	// not reload.
	Live string
	// Notice is the message about the last action. It is shown once.
	Notice *Notice
	// Banners are messages above the content, shown while their problems exist.
	Banners []Banner
}

// Notice is a message about an action, with actions such as an undo.
type Notice struct {
	Text    string
	Actions []Action
}

// Tone is the importance of a banner or badge.
type Tone string

// The tones, from the lowest. The zero Tone is Quiet.
const (
	Quiet   Tone = ""
	Good    Tone = "good"
	Warning Tone = "warning"
	Danger  Tone = "danger"
)

// Banner is a message about a problem: what is wrong, what was kept, what to do.
type Banner struct {
	Tone    Tone
	Title   string
	Text    string
	Items   []string // names, in a list that opens on demand
	Actions []Action
	Link    Link // more information; its label is empty if there is no link
}

// Link is a link to a page.
type Link struct{ Label, Href string }

// Action is a form with one button. It works without JavaScript.
type Action struct {
	Label string
	// About completes the label for screen readers, which do not see the row of the button.
	About string
	Path  string
	// ETag is the state that the user saw. The handler refuses the action if it has changed. It is
	// not sent if it is empty.
	ETag string
	// Memories are the memories of a bulk action, as returned by picked.
	Memories []string
	// All is FieldAll of a bulk action on a whole list.
	All string
	// IsConfirmed means that the question of a large bulk action was shown.
	IsConfirmed bool
	// Back is the path and query to return to. If it is empty, the handler chooses.
	Back string
	// Confirm is the question of a second step, for an action without undo. If it is empty, the
	// button acts at once.
	Confirm string
	// Does is the action's name in keys.js: delete, undo, edit, verify, restore, new, accept or
	// refuse. It is empty if the action has no key.
	Does string
	// Focus is the id of the row that gets the focus afterwards. If it is empty, the focus stays or
	// moves to the next row.
	Focus string
	// Icon is the name of an icon before the label, shown alone on narrow screens. It is empty if
	// there is no icon.
	Icon  string
	Style Style
}

// isSlow reports whether the action may take longer than htmx waits for an answer.
func (a Action) isSlow() bool { return a.All != "" || a.Does == "undo" || len(a.Memories) > 0 }

// slowRequest makes htmx wait as long as the server does, which is 10 minutes.
const slowRequest = `{"timeout":"600s"}`

// confirmed returns the action with the label for the second step of a confirmation.
func (a Action) confirmed() Action {
	a.Label = confirmLabel(a.Label)
	return a
}

// confirmLabel returns the label "Yes, …" for the second step of a confirmation.
func confirmLabel(label string) string { return "Yes, " + strings.ToLower(label[:1]) + label[1:] }

// Undo returns the action that takes an event back. about says what that is, such as "the deletion of
// Tabs". back is the page to return to after it.
func Undo(event, about, back string) Action {
	return Action{Label: "Undo", About: about, Path: address.UndoPath(event), Back: back, Does: "undo", Style: Primary}
}

// Style is the look of a button.
type Style string

// The styles of buttons. The zero Style is Plain.
const (
	Plain       Style = ""
	Primary     Style = "primary"
	Destructive Style = "destructive"
	Subtle      Style = "subtle" // words only, for buttons in every row
)

// Age is a memory's age in words.
type Age struct {
	Text    string // "today", "yesterday", "12 days ago"
	Stale   bool
	Warning string // warning of a stale memory; empty for others
}

// Counts are the numbers of an agent's memories. Its fields are those of records.Counts.
type Counts struct {
	ByType         map[memories.Type]int // active ones
	MissingByType  map[memories.Type]int // of Missing
	NeedsAttention int
	Missing        int
	Deleted        int
	Total          int // that are not deleted
	Team           int // of Total, those in team memory

	Blocked       int
	NotRemoved    int
	Disagreements int
	CitesGone     int // memories with dead references
	Proposals     int // waiting for a decision; Waiting does not count them
	Review        int // items of the review
}

// Listed returns the number of active and missing memories of a type, which the Memory tab lists.
func (c Counts) Listed(t memories.Type) int { return c.ByType[t] + c.MissingByType[t] }

// Waiting returns the number of decisions that a user has to make about memories and blocked
// contents. Proposals do not count.
func (c Counts) Waiting() int {
	return c.NeedsAttention + c.Missing + c.Blocked + c.NotRemoved + c.Disagreements + c.CitesGone
}
