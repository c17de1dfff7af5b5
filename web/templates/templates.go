// Package templates owns the HTML: templ components and their view models. View models are plain
// structs that the handlers in package pages fill. A component never calls a store, reads a clock
// or decides what is allowed.
//
// Every page is complete, with or without JavaScript. If htmx runs, it loads the same page and
// takes the main region and the notices from it, so handlers need not distinguish. An action is a
// form whose response redirects (303) to a page with the result.
package templates

import (
	"net/url"
	"strings"

	"memoir/internal/memories"
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
	return Action{Label: "Undo", About: about, Path: UndoPath(event), Back: back, Does: "undo", Style: Primary}
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

// The names of the form fields and parameters that handlers read.
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
	FieldOpen   = "open" // id of the memory whose fixes a page shows
	FieldSort   = "sort"
	FieldView   = "view"
	FieldAfter  = "after"  // id of the memory before the first row
	FieldBefore = "before" // id of the memory after the last row

	FieldDescription = "description"
	FieldNewName     = "new_name" // with which the form for a new memory begins
	FieldTheme       = "theme"

	FieldFix  = "fix"
	FieldPath = "path"
	FieldHash = "hash"
	FieldWith = "with" // id of the version that an edit merges

	FieldKind    = "kind"
	FieldActor   = "actor"
	FieldSession = "session"
	FieldScope   = "scope"
	FieldTo      = "to"
	FieldAgent   = "agent" // slug of another agent
	FieldShown   = "shown" // number of entries on the page
	FieldAsOf    = "as_of" // a past moment: RFC 3339, or the value of a browser's date field

	// FieldMemory is a memory's id and, after a space, the ETag that the user saw. It can be
	// repeated.
	FieldMemory = "memory"
	// FieldAll is the number of memories of a list and their newest change, as Selection.All. It
	// selects all of them.
	FieldAll = "all"
	// FieldConfirmed is set if the confirmation of a large batch was shown.
	FieldConfirmed = "confirmed"
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

// The paths of pages and actions. Package pages uses the same patterns for its routes.
const (
	HomePath     = "/"
	SearchPath   = "/search"
	TimelinePath = "/timeline"
	SyncPath     = "/sync"
	ScanPath     = "/scan"
	SamplesPath  = "/samples"
	SignInPath   = "/sign-in"
	SignOutPath  = "/sign-out"
	ThemePath    = "/theme"
	KeysPath     = "/keys"
	EventsPath   = "/api/v1/events" // the API's event stream; ?agent= restricts it to one agent
)

// UndoPath returns the path that takes an event back. undo.js knows it.
func UndoPath(event string) string { return "/undo/" + event }

// AgentPath returns the path of a page or action of an agent: AgentPath("hive-1", "trash") is
// /agents/hive-1/trash. It escapes each part.
func AgentPath(slug string, rest ...string) string {
	path := "/agents/" + url.PathEscape(slug)
	for _, part := range rest {
		path += "/" + url.PathEscape(part)
	}
	return path
}

// WithQuery returns path with the query parameters set to values. An empty value removes its
// parameter; other parameters of path stay. If path is not a valid address, WithQuery returns it
// unchanged.
func WithQuery(path string, values map[string]string) string {
	target, err := url.Parse(path)
	if err != nil {
		return path
	}
	query := target.Query()
	for name, value := range values {
		query.Del(name)
		if value != "" {
			query.Set(name, value)
		}
	}
	target.RawQuery = query.Encode()
	return target.String()
}

// ContextPath returns the path of an agent's Context tab.
func ContextPath(slug string) string { return AgentPath(slug, contextTab) }

// AgentTimelinePath returns the path of an agent's Timeline tab.
func AgentTimelinePath(slug string) string { return AgentPath(slug, timelineTab) }

// SettingsPath returns the path of an agent's Settings tab.
func SettingsPath(slug string) string { return AgentPath(slug, settingsTab) }

// MemoriesPath returns the path of an agent's Memory tab.
func MemoriesPath(slug string) string { return AgentPath(slug, "memory") }

// TrashPath returns the address of an agent's deleted memories.
func TrashPath(slug string) string { return View{Agent: slug, Name: TrashView}.List() }

// NewMemoryPath returns the path of the form for a new memory.
func NewMemoryPath(slug string) string { return AgentPath(slug, "memory", "new") }

// MemoryPath returns the path of a memory's page, or of a page or action below it that rest names,
// for example "edit".
func MemoryPath(slug, id string, rest ...string) string {
	return AgentPath(slug, append([]string{"memory", id}, rest...)...)
}

// apiMemoryPath returns the address of a memory in the JSON API.
func apiMemoryPath(slug, id string) string {
	return "/api/v1/agents/" + url.PathEscape(slug) + "/memories/" + url.PathEscape(id)
}

// RowID returns the HTML id of a memory's row, which is the same in all lists.
func RowID(id string) string { return "memory-" + id }
