package templates

// Agents is the first page: a card per agent.
type Agents struct {
	Frame
	Cards []AgentCard
	// LookedIn are the places where agents are looked for, for the page without any.
	LookedIn []string
	// Samples offers the sample agents on the page without any.
	Samples bool
}

// AgentCard is one agent at a glance.
type AgentCard struct {
	Agent
	ClaudeMDChars int
	ClaudeMDLimit int    // 0: not published for this agent, no meter is shown
	Problem       string // with its CLAUDE.md, in plain words; empty: none
	Updated       string // when its newest memory was changed, in words; empty: it has none
	Trend         Trend
}
