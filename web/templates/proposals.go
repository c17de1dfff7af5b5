package templates

import (
	"time"

	"memoir/internal/diff"
	"memoir/internal/markdown"
	"memoir/internal/memories"
)

// Proposals is what was found in an agent's conversations and waits to be accepted or refused.
type Proposals struct {
	Frame
	Agent     Agent
	Proposals []ProposalRow // the newest first
	More      int           // that are not shown
	Mode      string        // off, propose or auto
	// HowToSwitchOn says how to get a model; empty: there is one.
	HowToSwitchOn string
	Quiet         time.Duration // how long a session is silent before it is read
}

// ProposalRow is one proposal.
type ProposalRow struct {
	Agent       string // slug
	ID, ETag    string
	Name        string
	Type        memories.Type
	Description string
	Body        markdown.HTML
	Quote       string
	QuotedAt    time.Time // in the zone that people see; zero: unknown
	Session     string
	Doubt       string          // what to look at before it is accepted; empty: nothing
	Changes     *ProposedChange // nil: the memory would be new
}

// ProposedChange is what accepting a proposal does to a memory that is there.
type ProposedChange struct {
	ID                string
	TypeBefore        memories.Type
	Description, Body diff.Diff
}

// ProposalsPath returns the path of an agent's Proposals tab.
func ProposalsPath(slug string) string { return AgentPath(slug, proposalsTab) }

// ProposalPath returns the path of the form for one proposal, or of an action on it: accept, refuse, edit.
func ProposalPath(slug, id string, rest ...string) string {
	return AgentPath(slug, append([]string{proposalsTab, id}, rest...)...)
}

// ProposalRowID returns the id of a proposal's row.
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

// switchOn is the one line that says how conversations come to be read; empty: they are.
func (v Proposals) switchOn() string {
	if v.Mode == "off" {
		return "It is switched off now. Start the server with --extract propose to switch it on."
	}
	return v.HowToSwitchOn
}

// inWords is a length of time without the zeros that Go writes.
func inWords(d time.Duration) string {
	if d >= time.Minute && d%time.Minute == 0 {
		return counted(int(d/time.Minute), "minute", "minutes")
	}
	return d.String()
}
