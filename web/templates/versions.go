package templates

import (
	"time"

	"memoir/internal/diff"
	"memoir/internal/memories"
)

// Versions is the page of what the files of one memory say now, side by side.
type Versions struct {
	Frame
	Agent Agent
	MemoryRow
	Versions []Version // the memory's content first
	Settled  bool      // somebody has decided, or the agent's own file is the newest
	Primary  int       // different contents of primary files
}

// decidable reports whether a version can be kept: what is settled already need not be settled again.
func (v Versions) decidable(each Version) bool {
	return len(v.Versions) > 1 && v.State != memories.Deleted && !(v.Settled && each.Current)
}

// Version is one content that files on disk carry.
type Version struct {
	Agent       string // slug
	Memory      string // its id
	ETag        string // of the memory as it is now
	ID          string // names the version in an address
	Current     bool   // it is what the memory says
	TypeBefore  memories.Type
	Type        memories.Type
	Description diff.Diff // against what the memory says; of the memory's own content, against nothing
	Body        diff.Diff
	Files       []VersionFile // the newest first; empty: no file on disk says it any more
	Removes     []string      // the paths of the primary files that go if it is kept
}

// VersionFile is one file that says it.
type VersionFile struct {
	Path     string
	User     string // of the session, as far as its name tells; empty: it does not, or the file is the agent's own
	Channel  string
	ThreadAt time.Time
	Session  string // its name; empty: the agent's own file
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

// mergePath leads to the form with the memory's content, and this version beside it.
func (v Version) mergePath() string {
	return MemoryPath(v.Agent, v.Memory, "edit") + "?" + FieldWith + "=" + v.ID
}

// From says in a few words who wrote the version.
func (v Version) From() string {
	switch {
	case len(v.Files) == 0:
		return "a file that is gone"
	case v.Files[0].Session == "" && len(v.Removes) > 0: // there are several
		return v.Files[0].Path
	case v.Files[0].Session == "":
		return "the agent’s own file"
	case v.Files[0].User != "":
		return v.Files[0].User + " in " + v.Files[0].Channel
	default:
		return "session " + v.Files[0].Session
	}
}
