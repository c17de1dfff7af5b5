package ui

import (
	"strings"

	"memoir/web/templates/wording"
)

// Sidebar is the view of the navigation that every page has. The zero value shows the places only.
type Sidebar struct {
	Agents []SidebarAgent
	// More is the number of agents that are not in Agents. Empty of them have no memories.
	More, Empty int
	Review      int // items that wait for a decision
	Health      Health
}

// SidebarAgent is the view of one agent in the sidebar.
type SidebarAgent struct {
	Slug string
	// Label is the short name, and Place what distinguishes it from others, such as a directory.
	Label, Place string
	Review       int  // items that wait for a decision
	Share        int  // CLAUDE.md in percent of its limit; 0 without one
	Learned      bool // a memory was written in the last 24 hours
}

// Health is the state of the mirror in a few words.
type Health struct {
	Tone Tone
	Text string
}

// FailingHealth is the health of a server that cannot scan n agents or directories.
func FailingHealth(n int) Health {
	return Health{Danger, wording.Count(n, "scan is", "scans are") + " failing"}
}

// HealthOf is the health of a server whose scans succeed. pending is the number of paths that wait
// for a scan, and memories the number of memories.
func HealthOf(pending, memories int) Health {
	if pending > 0 {
		return Health{Warning, wording.Number(pending) + " pending"}
	}
	return Health{Good, "In sync · " + wording.Count(memories, "memory", "memories")}
}

func (a SidebarAgent) title() string {
	return strings.TrimSpace(wording.Visible(a.Label) + " " + wording.Visible(a.Place))
}

// reviewTitle returns the title of the link to the review, which shows no number where the sidebar is
// narrow.
func (s Sidebar) reviewTitle() string {
	if s.Review == 0 {
		return "Review"
	}
	return "Review: " + wording.Count(s.Review, "item", "items")
}

func (s Sidebar) more() string {
	if s.More == s.Empty {
		return wording.Number(s.Empty) + " empty"
	}
	text := wording.Number(s.More) + " more"
	if s.Empty > 0 {
		text += ", " + wording.Number(s.Empty) + " empty"
	}
	return text
}

// ringTone returns the tone of a context of share percent of its limit.
func ringTone(share int) Tone {
	if share > 100 {
		return Danger
	}
	return Quiet
}

// isOfAgents reports whether the section is the list of agents or an agent.
func (s Section) isOfAgents() bool {
	return s == HomeSection || strings.HasPrefix(string(s), string(AgentSection("")))
}
