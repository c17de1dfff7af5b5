package templates

import (
	"time"

	"memoir/internal/memories"
)

// Trash is an agent's Trash tab.
type Trash struct {
	Frame
	Agent     Agent
	Selection Selection
	Rows      []TrashRow
	// MoreHref is the address of the rows after these, FirstHref that of the first ones; empty: there are none, or they
	// are shown.
	MoreHref  string
	FirstHref string
}

// TrashRow is one deleted memory.
type TrashRow struct {
	Agent       string // slug
	ID          string
	ETag        string
	Name        string
	Type        memories.Type
	Description string
	Why         string // "deleted by a script", "removed on disk"
	DeletedAt   time.Time
	// Left says of each file that could not be removed, or is still in an index, why, in whole sentences.
	Left []string
}

// Path returns the page of the memory.
func (r TrashRow) Path() string { return MemoryPath(r.Agent, r.ID) }

func (r TrashRow) restore() Action {
	return Action{Label: "Restore", About: r.Name, Path: MemoryPath(r.Agent, r.ID, "restore"), Back: r.back(), Does: "restore"}
}

func (r TrashRow) purge() Action {
	return Action{
		Label: "Delete for good", About: r.Name, Path: MemoryPath(r.Agent, r.ID, "purge"),
		ETag: r.ETag, Back: r.back(), Style: Destructive,
		Confirm: "Its history goes too. This cannot be undone.",
	}
}

func (r TrashRow) back() string { return AgentPath(r.Agent, trashTab) }
