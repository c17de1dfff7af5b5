package templates

import (
	"net/url"
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
	// Twins are the other memories of its name that the agent has or is given.
	Twins []Twin
	// SharedWithAll says that there is a directory that all agents share, besides this one. Takers are the agents that a memory of that
	// directory can go to.
	SharedWithAll bool
	Takers        []string
	// Citations are what it cites of the agent's project; nil: that was not looked for.
	Citations *Citations
	CreatedAt time.Time
	UpdatedAt time.Time
	DeletedAt time.Time // zero: not deleted
	DeletedBy string    // such as "deleted by a script"
}

// MemoryFile is one file on disk that carries the memory.
type MemoryFile struct {
	Path       string
	Session    string // empty: the agent's own directory
	ModifiedAt time.Time
}

// Twin is a memory of the same name: private or the team's, or of what all agents share.
type Twin struct {
	Agent       string // the slug of whose it is
	ID          string
	Team        bool
	Shared      bool // with all agents
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
		DeletedBy: m.DeletedActor.Deleted(),
	}
}

func (v Memory) at(rest ...string) string { return MemoryPath(v.Agent.Slug, v.ID, rest...) }

// back is the memory's own address, with the list beside it as it is.
func (v Memory) back() string { return v.View.Memory(v.ID) }

// restore returns the action that brings a deleted memory back.
func (v Memory) restore() Action {
	return Action{Label: "Restore", Path: v.at("restore"), Back: v.back(), Does: "restore", Style: Primary}
}

// whose says whose memory a twin is.
func (t Twin) whose() string {
	switch {
	case t.Shared:
		return "The memory of this name that all agents share"
	case t.Team:
		return "The team’s memory of this name"
	}
	return "The private memory of this name"
}

// side names where the twin is, above what it says.
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

// page is the twin's own, with the list beside it where it is of the same agent.
func (v Memory) page(t Twin) string {
	if t.Shared {
		return MemoryPath(t.Agent, t.ID)
	}
	return v.View.Memory(t.ID)
}

// transfers returns the actions that move the memory between private and team memory and to what all agents share, and that copy it there.
func (v Memory) transfers() []Action {
	if v.Agent.shares() {
		return nil // handOver has the agents to choose from
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

// transfer returns the action that moves or copies the memory to a scope; agent is that of another agent where it goes to one.
func (v Memory) transfer(label, what string, to memories.Scope, agent string) Action {
	query := url.Values{FieldTo: {string(to)}}
	if agent != "" {
		query.Set(FieldAgent, agent)
	}
	return Action{Label: label, About: v.Name, Path: v.at(what) + "?" + query.Encode(), ETag: v.ETag, Back: v.back(), Does: what, Style: Subtle}
}

// MovedBack returns the action that takes back the move of a memory to where it is now. from is the agent that it came from; empty: its own.
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

// verify returns the action that says that the memory still holds.
func (v Memory) verify() Action {
	return Action{Label: "Still true", About: v.Name, Path: v.at("verify"), ETag: v.ETag, Back: v.back(), Does: "verify"}
}
