package templates

import "memoir/internal/memories"

// MemoryRow is one memory in a list.
type MemoryRow struct {
	Agent       string // slug
	ID          string
	ETag        string
	Name        string
	Type        memories.Type // empty: it has none
	Description string
	State       memories.State
	Problems    []memories.Problem
	Age         Age
	Session     string // which session wrote it; empty: the agent itself
	Chars       int    // what it costs in CLAUDE.md, in Unicode characters; 0: nothing
	Listed      bool   // it stands there with one line only, because the limit is reached
}

// NewMemoryRow returns the row of a memory.
func NewMemoryRow(m memories.Memory, etag string, age Age) MemoryRow {
	return MemoryRow{
		Agent:       m.Agent,
		ID:          m.ID,
		ETag:        etag,
		Name:        m.Name,
		Type:        m.Type,
		Description: m.Description,
		State:       m.State,
		Problems:    m.Problems,
		Age:         age,
		Session:     m.Session,
		Chars:       m.ClaudeMDChars,
		Listed:      m.ClaudeMDListed,
	}
}

// Path returns the page of the memory.
func (r MemoryRow) Path() string { return MemoryPath(r.Agent, r.ID) }

// Delete returns the action that deletes the memory and comes back to the page at back.
func (r MemoryRow) Delete(back string) Action {
	return Action{
		Label: "Delete", About: r.Name, Path: MemoryPath(r.Agent, r.ID, "delete"), ETag: r.ETag, Back: back,
		Does: "delete", Icon: "delete", Style: Subtle,
	}
}

// Deleted returns the notice after a deletion, with the way back.
func Deleted(agent, id, name, back string) Notice {
	return Notice{
		Text: "Deleted “" + name + "”.",
		Actions: []Action{{
			Label: "Undo", About: "the deletion of " + name, Path: MemoryPath(agent, id, "restore"), Back: back,
			Does: "undo", Focus: RowID(id), Style: Primary,
		}},
	}
}

// cost says what the memory takes in CLAUDE.md; empty: it is in none.
func (r MemoryRow) cost(a Agent) string {
	switch {
	case !a.published() || r.Type == "" || r.Chars == 0:
		return ""
	case r.Listed:
		return "index line"
	default:
		return counted(r.Chars, "character", "characters")
	}
}
