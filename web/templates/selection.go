package templates

import (
	"fmt"
	"strings"

	"memoir/internal/memories"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// Selection is the view of the form for actions on all selected memories of a list. The checkboxes
// in the rows refer to it by id; its buttons are in a separate bar.
type Selection struct {
	Agent   string // the slug
	InTrash bool   // whether it lists deleted memories
	Back    string // the list's address, to return to
	Label   string // name of the list
	HasTeam bool   // whether memories can be team memory
	// Total is the number of memories of the list, if the page does not have all of them. All is then
	// the value of FieldAll that selects them.
	Total int
	All   string
}

func (s Selection) at(operation string) string { return address.BatchPath(s.Agent, operation) }

func (s Selection) list() string {
	if s.InTrash {
		return address.TrashPath(s.Agent)
	}
	return address.MemoriesPath(s.Agent)
}

func (s Selection) whole() string {
	return strings.TrimSuffix("Select all "+wording.Number(s.Total)+" in "+s.Label, " in "+address.ViewLabel(""))
}

// picked returns the form value of a selected memory: its id and, after a space, the ETag that the
// user saw, without its quotes, which HTML would escape. Without an ETag it is the id.
func picked(id, etag string) string {
	if etag == "" {
		return id
	}
	return id + " " + strings.Trim(etag, `"`)
}

// Many returns "2 memories restored" for n memories and a participle.
func Many(n int, verb string) string {
	return wording.Count(n, "memory", "memories") + " " + verb
}

// ManyChange is the view of the question before an action on many memories.
type ManyChange struct {
	ui.Frame
	Agent Agent
	Path  string // of the action
	Label string // of its button, with %s for the memories
	Back  string // the page of the selection
	List  string // the list, as in Selection
	All   string // FieldAll of a whole list; empty if Rows are selected one by one
	Rows  []MemoryRow
	Total int
	// Deletes is set for a deletion, and Final if it cannot be undone.
	Deletes, Final bool
	// Changed means that the list has changed since its Before memories were selected. Rows are the
	// changed ones.
	Changed bool
	Before  int
}

// maxRows is the maximum number of memories listed in the question (arbitrary).
const maxRows = 100

func (v ManyChange) label() string {
	return fmt.Sprintf(v.Label, wording.Count(v.Total, "memory", "memories"))
}

func (v ManyChange) title() string {
	if v.Changed {
		return "List has changed"
	}
	return v.label() + "?"
}

func (v ManyChange) act() ui.Action {
	act := ui.Action{Label: v.label(), Path: v.Path, Back: v.Back, All: v.All, Style: ui.Primary, IsConfirmed: true}
	if v.Deletes {
		act.Does, act.Style = "delete", ui.Destructive
	}
	if v.All == "" {
		for _, row := range v.Rows {
			act.Memories = append(act.Memories, picked(row.ID, row.ETag))
		}
	}
	return act
}

// Refused is the view of the memories that a bulk action refused.
type Refused struct {
	ui.Frame
	Agent     Agent
	Done      int    // number of memories that it changed
	Verb      string // participle, such as "deleted"
	Rows      []RefusedRow
	Selection Selection
}

// RefusedRow is the view of one refused memory.
type RefusedRow struct {
	ID     string
	ETag   string // empty if the memory no longer exists
	Name   string
	Type   memories.Type
	Path   string
	Reason string
}

func (v Refused) title() string {
	return wording.Number(len(v.Rows)) + " of " + wording.Number(len(v.Rows)+v.Done) + " not " + v.Verb
}
