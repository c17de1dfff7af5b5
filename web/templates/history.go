package templates

import (
	"memoir/internal/diff"
	"memoir/internal/memories"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// History is the view of one page of a memory's revisions.
type History struct {
	Revisions []Revision // newest first
	Total     int        // on all pages
	IsLater   bool       // newer ones are on other pages
	Older     string     // id of the first revision of the next page; empty at the end
}

// Revision is the view of one revision, with its diff to the memory now.
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
	TypeNow     memories.Type
	Description diff.Diff
	Body        diff.Diff
}

func (r Revision) title() string {
	switch {
	case r.Current && r.First:
		return "Never changed"
	case r.Current:
		return "Now"
	case r.First:
		return "First learned"
	default:
		return "Changed"
	}
}

// anchor returns the revision's HTML id, which contains the first 16 characters of the revision's
// id.
func (r Revision) anchor() string { return "revision-" + r.ID[:min(len(r.ID), 16)] }

func (r Revision) restore(back string) ui.Action {
	return ui.Action{
		Label: "Restore", About: "the text of " + wording.Moment(r.SeenAt), ETag: r.ETag, Back: back,
		Path: address.MemoryPath(r.Agent, r.MemoryID, "history", r.ID, "restore"),
	}
}

// opens reports whether the diff of r is open at first: that of the newest older revision.
func (h History) opens(r Revision) bool {
	for _, other := range h.Revisions {
		if !other.Current {
			return other.ID == r.ID
		}
	}
	return false
}

// older returns the address of the next page of the history.
func (v Memory) older() string {
	return address.WithQuery(v.tab(address.HistoryTab), map[string]string{address.FieldRevision: v.History.Older})
}
