package templates

// Agents is the view of the first page: a card for each agent.
type Agents struct {
	Frame
	Cards []AgentCard
	// SearchedDirs are the searched directories. Only a page without agents shows them.
	SearchedDirs []string
	// Samples reports whether a page without agents offers the sample agents.
	Samples bool
}

// AgentCard is the view of one agent on the first page.
type AgentCard struct {
	Agent
	ClaudeMDChars int
	ClaudeMDLimit int    // in characters; 0 if Memoir does not write the file
	Problem       string // with its CLAUDE.md, for users; empty if there is no problem
	Updated       string // last change of a memory, in words; empty without memories
	Trend         Trend
}
