package templates

import "memoir/internal/memories"

// Selection is the view of the form for actions on all selected memories of a list. The checkboxes
// in the rows refer to it by id; its buttons are in a separate bar.
type Selection struct {
	Agent   string // the slug
	InTrash bool   // whether it lists deleted memories
	Back    string // the list's address, to return to
}

func batchPath(slug, operation string) string { return AgentPath(slug, "memory", "batch", operation) }

func (s Selection) at(operation string) string { return batchPath(s.Agent, operation) }

func (s Selection) list() string {
	if s.InTrash {
		return AgentPath(s.Agent, trashTab)
	}
	return MemoriesPath(s.Agent)
}

// picked returns the form value of a selected memory: its id and, after a space, the ETag that the
// user saw. Without an ETag it is the id.
func picked(id, etag string) string {
	if etag == "" {
		return id
	}
	return id + " " + etag
}

// Many returns "1 memory" and ofOne if n is 1, else the number, "memories" and ofMany.
func Many(n int, ofOne, ofMany string) string {
	if n == 1 {
		return "1 memory " + ofOne
	}
	return number(n) + " memories " + ofMany
}

// DeletedMany returns the notice that the memories ids were deleted, with an undo. ids must not be
// empty. left is the number of those with a file that could not be removed. back is the page to
// return to after the undo.
func DeletedMany(slug string, ids []string, left int, back string) *Notice {
	all := counted(len(ids), "memory", "memories")
	notice := &Notice{
		Text: "Deleted " + all,
		Actions: []Action{{
			Label: "Undo", About: "the deletion of " + all, Path: batchPath(slug, "restore"), Memories: ids, Back: back,
			Does: "undo", Focus: RowID(ids[0]), Style: Primary,
		}},
	}
	if left > 0 {
		notice.Text += ". " + counted(left, "memory", "memories") + " still on disk; see the trash."
	}
	return notice
}

// ManyDeletion is the view of the preview of a deletion of many memories.
type ManyDeletion struct {
	Frame
	Agent Agent
	Rows  []MemoryRow
	Back  string // the page of the selection
	Change
}

// maxRows is the maximum number of memories listed in the preview (arbitrary).
const maxRows = 100

func (v ManyDeletion) title() string {
	return "Delete " + counted(len(v.Rows), "memory", "memories") + "?"
}

func (v ManyDeletion) remove() Action {
	all := make([]string, len(v.Rows))
	for i, row := range v.Rows {
		all[i] = picked(row.ID, row.ETag)
	}
	return Action{
		Label: "Delete " + counted(len(v.Rows), "memory", "memories"), Path: batchPath(v.Agent.Slug, "delete"),
		Memories: all, Back: v.Back, Does: "delete", Style: Destructive,
	}
}

// Refused is the view of the memories that a bulk action refused.
type Refused struct {
	Frame
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
	return number(len(v.Rows)) + " of " + number(len(v.Rows)+v.Done) + " could not be " + v.Verb
}
