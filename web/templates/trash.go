package templates

import (
	"time"

	"memoir/internal/memories"
)

// Trash is the view of an agent's Trash tab.
type Trash struct {
	Frame
	Agent     Agent
	Selection Selection
	Rows      []TrashRow
	// MoreHref is the address of the next rows, or empty at the end. FirstHref is the address of
	// the first rows, or empty on their own page.
	MoreHref  string
	FirstHref string
}

// TrashRow is the view of one deleted memory.
type TrashRow struct {
	Agent       string // the slug
	ID          string
	ETag        string
	Name        string
	Type        memories.Type
	Description string
	Why         string // "deleted by a script", "removed on disk"
	DeletedAt   time.Time
	// Left are sentences about files that could not be removed or are still in an index.
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
