package templates

import (
	"net/url"
	"time"

	"memoir/internal/markdown"
	"memoir/internal/memories"
)

// Memory is the view of one memory in the reading pane.
type Memory struct {
	Agent Agent
	View  View // of the list that it was opened from
	MemoryRow
	Body          markdown.HTML
	Files         []MemoryFile
	ContentPath   string // relative to the agent's directory
	Readable      bool   // false if the file could not be read
	Hash          string // hex SHA-256 of the file
	Size          int64  // of the file, in bytes
	ClaudeMDChars int    // its size in CLAUDE.md, in Unicode characters
	LinkedFrom    []Link // memories that link to it
	Recalls       RecallsOfMemory
	// Disagreement is the conflict of its files. It is nil if they agree.
	Disagreement *DisagreementRow
	// Twins are the memories of the same name that the agent has in the other scope or receives.
	Twins []Twin
	// SharedWithAll reports whether a shared directory exists besides this agent's. MoveTargets are
	// the agents that a shared memory can be moved to.
	SharedWithAll bool
	MoveTargets   []string
	// Citations is the result of the last check. It is nil if there was no check.
	Citations *Citations
	CreatedAt time.Time
	UpdatedAt time.Time
	DeletedAt time.Time // zero if it is not deleted
	DeletedBy string    // such as "deleted by a script"
}

// MemoryFile is the view of one file with the memory.
type MemoryFile struct {
	Path       string
	Session    string // empty for the agent's own directory
	ModifiedAt time.Time
}

// Twin is the view of a memory of the same name: private, team or shared.
type Twin struct {
	Agent       string // slug of the owner
	ID          string
	Team        bool
	Shared      bool // shared with all agents
	Same        bool // whether the content is the same
	Type        memories.Type
	Description string
	Body        markdown.HTML
}

// NewMemory returns the view of m. Times stay in their time zones.
func NewMemory(agent Agent, view View, row MemoryRow, m memories.Memory, body markdown.HTML) Memory {
	files := make([]MemoryFile, len(m.Files))
	for i, f := range m.Files {
		files[i] = MemoryFile{Path: f.Path, Session: f.Session, ModifiedAt: f.ModifiedAt}
	}
	return Memory{
		Agent: agent, View: view, MemoryRow: row, Body: body, Files: files,
		ContentPath: m.Path, Readable: m.Readable, Hash: m.Hash, Size: m.Size, ClaudeMDChars: m.ClaudeMDChars,
		CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, DeletedAt: m.DeletedAt,
		DeletedBy: m.DeletedActor.Deleted(),
	}
}

func (v Memory) at(rest ...string) string { return MemoryPath(v.Agent.Slug, v.ID, rest...) }

// back returns the memory's own address, with the current view of the list.
func (v Memory) back() string { return v.View.Memory(v.ID) }

// restore returns the action that restores a deleted memory.
func (v Memory) restore() Action {
	return Action{Label: "Restore", Path: v.at("restore"), Back: v.back(), Does: "restore", Style: Primary}
}

// ownerText returns the twin's owner in words.
func (t Twin) ownerText() string {
	switch {
	case t.Shared:
		return "The memory of this name that all agents share"
	case t.Team:
		return "The team’s memory of this name"
	}
	return "The private memory of this name"
}

// side returns the twin's scope in words.
func (t Twin) side() string {
	if t.Shared {
		return "Shared"
	}
	return side(t.Team)
}

func side(team bool) string {
	if team {
		return "Team"
	}
	return "Private"
}

// page returns the twin's page. It keeps the view of the list if the twin has the same agent.
func (v Memory) page(t Twin) string {
	if t.Shared {
		return MemoryPath(t.Agent, t.ID)
	}
	return v.View.Memory(t.ID)
}

// transfers returns the actions that move or copy the memory to another scope. It omits scopes that
// have a twin.
func (v Memory) transfers() []Action {
	if v.Agent.shares() {
		return nil // the page has a form with the agents to choose from
	}
	own, shared := false, !v.SharedWithAll
	for _, t := range v.Twins {
		own, shared = own || !t.Shared, shared || t.Shared
	}
	var all []Action
	switch {
	case own:
	case v.Team:
		all = append(all, v.transfer("Make private", "move", memories.PrivateScope, ""), v.transfer("Copy as private", "copy", memories.PrivateScope, ""))
	default:
		all = append(all, v.transfer("Move to team", "move", memories.TeamScope, ""), v.transfer("Copy to team", "copy", memories.TeamScope, ""))
	}
	if !shared {
		all = append(all, v.transfer("Share with all agents", "move", memories.SharedScope, ""), v.transfer("Copy for all agents", "copy", memories.SharedScope, ""))
	}
	return all
}

// transfer returns the action that moves or copies the memory to a scope. agent is empty unless the
// target is another agent.
func (v Memory) transfer(label, what string, to memories.Scope, agent string) Action {
	query := url.Values{FieldTo: {string(to)}}
	if agent != "" {
		query.Set(FieldAgent, agent)
	}
	return Action{Label: label, About: v.Name, Path: v.at(what) + "?" + query.Encode(), ETag: v.ETag, Back: v.back(), Does: what, Style: Subtle}
}

// MovedBack returns the action that undoes a move. from is the agent that the memory came from, or
// empty for its own.
func MovedBack(m memories.Memory, etag, back, from string, to memories.Scope) Action {
	v := Memory{Agent: Agent{Slug: m.Agent}, View: View{Agent: m.Agent}, MemoryRow: MemoryRow{Agent: m.Agent, ID: m.ID, ETag: etag, Name: m.Name, Team: m.Team}}
	undo := v.transfer("Undo", "move", to, from)
	undo.About, undo.Back, undo.Does, undo.Style = "the move of "+m.Name, back, "undo", Primary
	return undo
}

func (v Memory) remove() Action {
	remove := v.Delete(v.View.List())
	remove.Style = Destructive
	return remove
}

// verify returns the action that marks the memory as still true.
func (v Memory) verify() Action {
	return Action{Label: "Still true", About: v.Name, Path: v.at("verify"), ETag: v.ETag, Back: v.back(), Does: "verify"}
}
