package templates

import "memoir/internal/memories"

// Selection is the form with which something is done with all selected memories of a list. The checkboxes in the rows
// belong to it by its id, and its buttons stand in a bar of their own.
type Selection struct {
	Agent   string // slug
	InTrash bool   // the list is of deleted memories
	Back    string // the list's address, to come back to
}

// Batch returns the address where an operation is done with many memories of an agent.
func batchPath(slug, operation string) string { return AgentPath(slug, "memory", "batch", operation) }

func (s Selection) at(operation string) string { return batchPath(s.Agent, operation) }

// list names what is selected from: a selection lasts while its reader goes from one view of the list to the next.
func (s Selection) list() string {
	if s.InTrash {
		return AgentPath(s.Agent, trashTab)
	}
	return MemoriesPath(s.Agent)
}

// picked is how a form names a memory together with what its user saw of it; handlers cut it at the blank.
func picked(id, etag string) string {
	if etag == "" {
		return id
	}
	return id + " " + etag
}

// Many says something of a number of memories.
func Many(n int, ofOne, ofMany string) string {
	if n == 1 {
		return "1 memory " + ofOne
	}
	return number(n) + " memories " + ofMany
}

// DeletedMany returns the notice after the deletion of many memories, with the way back. left is how many of them have
// something left on disk that could not be removed.
func DeletedMany(slug string, ids []string, left int, back string) *Notice {
	all := counted(len(ids), "memory", "memories")
	notice := &Notice{
		Text: "Deleted " + all + ".",
		Actions: []Action{{
			Label: "Undo", About: "the deletion of " + all, Path: batchPath(slug, "restore"), Memories: ids, Back: back,
			Does: "undo", Focus: RowID(ids[0]), Style: Primary,
		}},
	}
	if left > 0 {
		notice.Text += " " + counted(left, "memory", "memories") + " could not be removed from the disk entirely; the trash says why."
	}
	return notice
}

// ManyDeletion is the page that says what the deletion of many memories changes, before it happens.
type ManyDeletion struct {
	Frame
	Agent Agent
	Rows  []MemoryRow
	Back  string // the page that the selection comes from
	Change
}

// shownRows is how many of the selected memories are named on the page before their deletion.
const shownRows = 100

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

// Refused is the page that says with which of many memories something could not be done.
type Refused struct {
	Frame
	Agent     Agent
	Done      int    // with how many it was done
	Verb      string // what was to become of them: "deleted", say
	Rows      []RefusedRow
	Selection Selection
}

// RefusedRow is one memory that was left as it was.
type RefusedRow struct {
	ID     string
	ETag   string // empty: it is gone
	Name   string
	Type   memories.Type
	Path   string
	Reason string
}

func (v Refused) title() string {
	return number(len(v.Rows)) + " of " + number(len(v.Rows)+v.Done) + " could not be " + v.Verb
}
