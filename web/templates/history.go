package templates

import (
	"time"

	"memoir/internal/diff"
	"memoir/internal/memories"
)

// History is the page of everything that a memory has said.
type History struct {
	Frame
	Agent Agent
	MemoryRow
	DeletedBy string     // such as "deleted by a script", if it is deleted
	Revisions []Revision // newest first
	Total     int        // how many there are, on other pages too
	// MoreHref and FirstHref are the addresses of the older revisions and of the newest; empty: they are here.
	MoreHref, FirstHref string
}

// Revision is one content of a memory, against the one before it.
type Revision struct {
	Agent   string // slug
	Memory  string // its id
	ID      string
	ETag    string // of the memory as it is now
	SeenAt  time.Time
	Path    string // of the file that said it, relative to the agent's directory
	Session string // which session wrote it; empty: the agent itself
	Current bool   // the memory says this now
	First   bool   // there is none before it
	// Readable says that its bytes could be read as a memory.
	Readable bool
	// Restorable says that the memory can be made to say this again.
	Restorable       bool
	TypeBefore, Type memories.Type
	Description      diff.Diff
	Body             diff.Diff
}

// title says what the revision was, to somebody who reads the history from its end.
func (r Revision) title() string {
	switch {
	case r.Current && r.First:
		return "Learned, and never changed"
	case r.Current:
		return "What it says now"
	case r.First:
		return "First learned"
	default:
		return "Changed"
	}
}

// anchor is the same from one rendering to the next; a content's fingerprint is far longer than it takes.
func (r Revision) anchor() string { return "revision-" + r.ID[:min(len(r.ID), 16)] }

func (r Revision) restore() Action {
	return Action{
		Label: "Restore this version", About: "of " + moment(r.SeenAt), ETag: r.ETag,
		Path: MemoryPath(r.Agent, r.Memory, "history", r.ID, "restore"),
	}
}

// restore returns the action that brings a deleted memory back, which its history waits for.
func (v History) restore() Action {
	return Action{
		Label: "Restore", About: v.Name, Path: MemoryPath(v.Agent.Slug, v.ID, "restore"), ETag: v.ETag,
		Back: MemoryPath(v.Agent.Slug, v.ID, "history"), Style: Primary,
	}
}
