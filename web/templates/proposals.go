package templates

import (
	"time"

	"memoir/internal/diff"
	"memoir/internal/markdown"
	"memoir/internal/memories"
)

// Proposals is the view of the proposals that wait for a decision.
type Proposals struct {
	Frame
	Agent     Agent
	Proposals []ProposalRow // newest first
	More      int           // number of hidden ones
	Mode      string        // off, propose or auto
	// HowToSwitchOn explains how to configure a model. It is empty if there is one.
	HowToSwitchOn string
	Quiet         time.Duration // how long a session must be inactive before it is read
}

// ProposalRow is the view of one proposal.
type ProposalRow struct {
	Agent       string // the slug
	ID, ETag    string
	Name        string
	Type        memories.Type
	Description string
	Body        markdown.HTML
	Quote       string
	QuotedAt    time.Time // in the time zone of the page; zero if unknown
	Session     string
	Doubt       string          // what to check before accepting; empty if nothing
	Changes     *ProposedChange // nil for a new memory
}

// ProposedChange is the change that a proposal makes to an existing memory.
type ProposedChange struct {
	ID                string
	TypeBefore        memories.Type
	Description, Body diff.Diff
}

// ProposalsPath returns the path of an agent's Proposals tab.
func ProposalsPath(slug string) string { return AgentPath(slug, proposalsTab) }

// ProposalPath returns the path of the form for one proposal, or of an action on it that rest
// names: accept, refuse, edit.
func ProposalPath(slug, id string, rest ...string) string {
	return AgentPath(slug, append([]string{proposalsTab, id}, rest...)...)
}

// ProposalRowID returns the HTML id of a proposal's row.
func ProposalRowID(id string) string { return "proposal-" + id }

func (r ProposalRow) path() string { return ProposalPath(r.Agent, r.ID) }

func (r ProposalRow) accept() Action {
	return Action{
		Label: "Accept", About: r.Name, Path: ProposalPath(r.Agent, r.ID, "accept"), ETag: r.ETag, Does: "accept", Style: Primary,
	}
}

func (r ProposalRow) refuse() Action {
	return Action{Label: "Refuse", About: r.Name, Path: ProposalPath(r.Agent, r.ID, "refuse"), ETag: r.ETag, Does: "refuse"}
}

// switchOn returns a sentence that explains how to switch on the reading of conversations, or how
// to configure its model. It is empty if it is on and has a model.
func (v Proposals) switchOn() string {
	if v.Mode == "off" {
		return "It is switched off now. Start the server with --extract propose to switch it on."
	}
	return v.HowToSwitchOn
}

// inWords returns a duration of whole minutes as "5 minutes", and other durations in Go's notation.
func inWords(d time.Duration) string {
	if d >= time.Minute && d%time.Minute == 0 {
		return counted(int(d/time.Minute), "minute", "minutes")
	}
	return d.String()
}
