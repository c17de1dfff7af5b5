package templates

import (
	"memoir/internal/markdown"
	"memoir/internal/memories"
)

// Memory is the view of one memory in the reading pane.
type Memory struct {
	Agent Agent
	View  View // of the list that it was opened from
	MemoryRow
	Body       markdown.HTML
	LinkedFrom []Link // memories that link to it
	Recalls    RecallsOfMemory
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
}

// Twin is the view of a memory of the same name: private, team or shared.
type Twin struct {
	memories.Memory
	Shared bool // shared with all agents
	Same   bool // whether the content is the same
	Body   markdown.HTML
}

func (v Memory) at(rest ...string) string { return MemoryPath(v.Agent.Slug, v.ID, rest...) }

func (v Memory) back() string { return v.View.Memory(v.ID) }

func (v Memory) restore() Action {
	return Action{Label: "Restore", Path: v.at("restore"), Back: v.back(), Does: "restore", Style: Primary}
}

// ownerText returns in words whose memory the twin is: one that all agents share, the team's, or
// the agent's private one.
func (t Twin) ownerText() string {
	switch {
	case t.Shared:
		return "The memory of this name that all agents share"
	case t.Team:
		return "The team’s memory of this name"
	}
	return "The private memory of this name"
}

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

// page returns the address of a twin's page. If the twin belongs to the same agent, the address
// keeps the filter of the list.
func (v Memory) page(t Twin) string {
	if t.Shared {
		return MemoryPath(t.Agent, t.ID)
	}
	return v.View.Memory(t.ID)
}

// transfers returns the actions that move or copy the memory: to the agent's other scope (private
// or team), and to all agents. It omits a destination with a memory of this name, and the second
// one without a shared directory. It returns nil for a memory that all agents share.
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

// transfer returns the action that moves or copies the memory to a scope. what is "move" or "copy".
// agent is the target's slug, or empty for the same agent.
func (v Memory) transfer(label, what string, to memories.Scope, agent string) Action {
	path := WithQuery(v.at(what), map[string]string{FieldTo: string(to), FieldAgent: agent})
	return Action{Label: label, About: v.Name, Path: path, ETag: v.ETag, Back: v.back(), Does: what, Style: Subtle}
}

// MovedBack returns the action that undoes the move of m, and then returns to the page back. from
// and to are the agent and the scope that m came from. from is empty if m has not changed its
// agent.
func MovedBack(m memories.Memory, etag, back, from string, to memories.Scope) Action {
	v := Memory{Agent: Agent{Slug: m.Agent}, View: View{Agent: m.Agent}, MemoryRow: MemoryRow{Memory: m, ETag: etag}}
	undo := v.transfer("Undo", "move", to, from)
	undo.About, undo.Back, undo.Does, undo.Style = "the move of "+m.Name, back, "undo", Primary
	return undo
}

func (v Memory) remove() Action {
	remove := v.Delete(v.View.List())
	remove.Style = Destructive
	return remove
}

func (v Memory) verify() Action {
	return Action{Label: "Still true", About: v.Name, Path: v.at("verify"), ETag: v.ETag, Back: v.back(), Does: "verify"}
}
