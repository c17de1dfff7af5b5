package templates

import (
	"time"

	"memoir/internal/markdown"
	"memoir/internal/memories"
)

// Memory is one memory, whole: what the reading pane shows.
type Memory struct {
	Agent Agent
	View  View // of the list that it was opened from
	MemoryRow
	Body          markdown.HTML
	Files         []MemoryFile
	ContentPath   string // of the file that holds the content, relative to the agent's directory
	Readable      bool   // false: the page stands for a file that could not be read
	Hash          string // hex SHA-256 of the file
	Size          int64  // of the file, in bytes
	ClaudeMDChars int    // what it costs in CLAUDE.md, in Unicode characters
	LinkedFrom    []Link // the memories that link to it
	Recalls       RecallsOfMemory
	// Disagreement says how files on disk stand against each other about it; nil: they do not.
	Disagreement *DisagreementRow
	// Twin is the other memory of its name, private or the team's; nil: there is none.
	Twin *Twin
	// Citations are what it cites of the agent's project; nil: that was not looked for.
	Citations *Citations
	CreatedAt time.Time
	UpdatedAt time.Time
	DeletedAt time.Time // zero: not deleted
}

// MemoryFile is one file on disk that carries the memory.
type MemoryFile struct {
	Path       string
	Session    string // empty: the agent's own directory
	ModifiedAt time.Time
}

// Twin is the team's memory of the same name as a private one, or the other way round.
type Twin struct {
	ID          string
	Team        bool
	Same        bool // it says the same
	Type        memories.Type
	Description string
	Body        markdown.HTML
}

// NewMemory returns a memory as the reading pane shows it. Times are shown in the zone of their location.
func NewMemory(agent Agent, view View, row MemoryRow, m memories.Memory, body markdown.HTML) Memory {
	files := make([]MemoryFile, len(m.Files))
	for i, f := range m.Files {
		files[i] = MemoryFile{Path: f.Path, Session: f.Session, ModifiedAt: f.ModifiedAt}
	}
	return Memory{
		Agent: agent, View: view, MemoryRow: row, Body: body, Files: files,
		ContentPath: m.Path, Readable: m.Readable, Hash: m.Hash, Size: m.Size, ClaudeMDChars: m.ClaudeMDChars,
		CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, DeletedAt: m.DeletedAt,
	}
}

func (v Memory) at(rest ...string) string { return MemoryPath(v.Agent.Slug, v.ID, rest...) }

// back is the memory's own address, with the list beside it as it is.
func (v Memory) back() string { return v.View.Memory(v.ID) }

// restore returns the action that brings a deleted memory back.
func (v Memory) restore() Action {
	return Action{Label: "Restore", Path: v.at("restore"), Back: v.back(), Does: "restore", Style: Primary}
}

// transfers returns the actions that move the memory between private and team memory, and that copy it there.
func (v Memory) transfers() []Action {
	to, move, copied := memories.TeamScope, "Move to team", "Copy to team"
	if v.Team {
		to, move, copied = memories.PrivateScope, "Make private", "Copy as private"
	}
	action := func(label, what string) Action {
		return Action{Label: label, About: v.Name, Path: v.at(what) + "?" + FieldTo + "=" + string(to), ETag: v.ETag, Back: v.back(), Does: what, Style: Subtle}
	}
	all := []Action{action(move, "move")}
	if v.Twin == nil {
		return append(all, action(copied, "copy"))
	}
	return nil
}

// MovedBack returns the action that takes back a move of a memory.
func MovedBack(m memories.Memory, etag, back string) Action {
	v := Memory{Agent: Agent{Slug: m.Agent}, MemoryRow: MemoryRow{Agent: m.Agent, ID: m.ID, ETag: etag, Name: m.Name, Team: m.Team}}
	undo := v.transfers()[0]
	undo.Label, undo.About, undo.Back, undo.Does, undo.Style = "Undo", "the move of "+m.Name, back, "undo", Primary
	return undo
}

func (v Memory) remove() Action {
	remove := v.Delete(v.View.List())
	remove.Style = Destructive
	return remove
}

// verify returns the action that says that the memory still holds.
func (v Memory) verify() Action {
	return Action{Label: "Still true", About: v.Name, Path: v.at("verify"), ETag: v.ETag, Back: v.back(), Does: "verify"}
}
