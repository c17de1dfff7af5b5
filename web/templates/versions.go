package templates

import (
	"time"

	"memoir/internal/diff"
	"memoir/internal/memories"
)

// Versions is the view of the different contents of one memory's files.
type Versions struct {
	Frame
	Agent Agent
	MemoryRow
	Versions []Version // the memory's current content first
	Settled  bool      // a user has decided, or the agent's own file is the newest
	Primary  int       // number of different contents of primary files
}

// decidable reports whether a user can choose the version each. That needs several versions and a
// memory outside the trash. If v.Settled is true, the current version cannot be chosen.
func (v Versions) decidable(each Version) bool {
	return len(v.Versions) > 1 && v.State != memories.Deleted && !(v.Settled && each.Current)
}

// Version is the view of one content of a memory's files.
type Version struct {
	Agent       string // the slug
	Memory      string // the id
	ETag        string // of the memory now
	ID          string // names the version in an address
	Current     bool   // it is the memory's content
	TypeBefore  memories.Type
	Type        memories.Type
	Description diff.Diff // diff to the memory's content; whole text for that content itself
	Body        diff.Diff
	Files       []VersionFile // newest first; empty if no file has it now
	Removes     []string      // paths of the primary files that keeping it removes
}

// VersionFile is the view of one file with a version.
type VersionFile struct {
	Path     string
	User     string // from the session's name; empty if unknown or the agent's own file
	Channel  string
	ThreadAt time.Time
	Session  string // the session's name; empty for the agent's own file
	NewAt    time.Time
}

func (v Version) title() string {
	if v.Current {
		return "What the agent goes by"
	}
	return "Another version"
}

func (v Version) anchor() string { return "version-" + v.ID[:min(len(v.ID), 16)] }

func (v Version) keep() Action {
	return Action{
		Label: "Keep this one", About: "from " + v.From(), ETag: v.ETag, Style: Primary, Does: "keep",
		Path: MemoryPath(v.Agent, v.Memory, "versions", v.ID, "keep"), Back: MemoryPath(v.Agent, v.Memory, "versions"),
	}
}

// mergePath returns the address of the form that merges this version into the memory.
func (v Version) mergePath() string {
	return WithQuery(MemoryPath(v.Agent, v.Memory, "edit"), map[string]string{FieldWith: v.ID})
}

// From returns in a few words the newest file with the version: a session's, the agent's own, or
// its path if the agent's files differ. Without one it returns "a file that is gone".
func (v Version) From() string {
	switch {
	case len(v.Files) == 0:
		return "a file that is gone"
	case v.Files[0].Session == "" && len(v.Removes) > 0: // one of several
		return v.Files[0].Path
	case v.Files[0].Session == "":
		return "the agent’s own file"
	case v.Files[0].User != "":
		return v.Files[0].User + " in " + v.Files[0].Channel
	default:
		return "session " + v.Files[0].Session
	}
}
