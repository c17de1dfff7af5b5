package ui

import (
	"strings"

	"memoir/web/templates/address"
)

// Action is a form with one button. It works without JavaScript.
type Action struct {
	Label string
	// About completes the label for screen readers, which do not see the row of the button.
	About string
	Path  string
	// ETag is the state that the user saw. The handler refuses the action if it has changed. It is
	// not sent if it is empty.
	ETag string
	// Memories are the memories of a bulk action, as values of FieldMemory.
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
	a.Label = ConfirmLabel(a.Label)
	return a
}

// ConfirmLabel returns the label "Yes, …" for the second step of a confirmation.
func ConfirmLabel(label string) string { return "Yes, " + strings.ToLower(label[:1]) + label[1:] }

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
