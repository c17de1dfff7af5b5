package templates

import (
	"memoir/internal/diff"
	"memoir/internal/memories"
)

// History is the view of a memory's revisions.
type History struct {
	Frame
	Agent Agent
	MemoryRow
	Revisions []Revision // newest first
	Total     int        // on all pages
	// MoreHref is the address of older revisions, or empty at the end. FirstHref is the address of
	// the newest ones, or empty on their own page.
	MoreHref, FirstHref string
}

// Revision is the view of one revision, as a diff to the previous one.
type Revision struct {
	memories.Revision
	Agent    string // the slug
	MemoryID string
	ETag     string // of the memory now
	Current  bool   // it is the memory's current content
	First    bool   // it is the first revision
	// Readable reports whether the memory's file can be read.
	Readable bool
	// Restorable reports whether the memory can get this content again.
	Restorable  bool
	TypeBefore  memories.Type
	Description diff.Diff
	Body        diff.Diff
}

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

// anchor returns the revision's HTML id, which contains the first 16 characters of the revision's
// id.
func (r Revision) anchor() string { return "revision-" + r.ID[:min(len(r.ID), 16)] }

func (r Revision) restore() Action {
	return Action{
		Label: "Restore this version", About: "of " + moment(r.SeenAt), ETag: r.ETag,
		Path: MemoryPath(r.Agent, r.MemoryID, "history", r.ID, "restore"),
	}
}

// restore returns the action that restores the memory, for a deleted memory. After it, the memory
// can get the content of a revision.
func (v History) restore() Action {
	return Action{
		Label: "Restore", About: v.Name, Path: MemoryPath(v.Agent.Slug, v.ID, "restore"), ETag: v.ETag,
		Back: MemoryPath(v.Agent.Slug, v.ID, "history"), Style: Primary,
	}
}
