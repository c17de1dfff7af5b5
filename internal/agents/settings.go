package agents

import (
	"fmt"
	"path/filepath"
)

// Settings configure where agents are discovered. An empty directory disables its layout.
type Settings struct {
	AgentsDir  string // hive: each subdirectory with memory/ or sessions/ is an agent
	ClaudeDir  string // claude: Claude Code's configuration directory
	MemoryDirs []NamedDir
	TeamDir    string // shared: one memory directory for all agents
	// IsOwnTeamDir means that Memoir creates TeamDir when a memory is first moved there.
	IsOwnTeamDir bool
	// The directories of other clients; each layout is named after its client.
	QwenDir     string
	GeminiDir   string
	CodexDir    string
	OpenClawDir string
	LettaDir    string

	// Env looks up a variable of Claude Code's environment; nil means an empty environment. Home is
	// the directory for ~ in Claude Code's settings; ManagedDir has an administrator's settings.
	// Empty means that there is no such directory.
	Env        func(name string) (value string, found bool)
	Home       string
	ManagedDir string
}

// NamedDir is a memory directory that the settings name.
type NamedDir struct {
	Slug string
	Path string
}

// CheckTeamDir returns an error if TeamDir equals, contains or is inside AgentsDir, one of
// MemoryDirs, or projects/ or agent-memory/ in ClaudeDir, with links followed. Its memories would
// also be another agent's. CheckTeamDir returns nil if TeamDir is empty.
func (s Settings) CheckTeamDir() error {
	if s.TeamDir == "" {
		return nil
	}
	type other struct{ dir, what string }
	var others []other
	if s.AgentsDir != "" {
		others = append(others, other{s.AgentsDir, "the directory of the agents"})
	}
	if s.ClaudeDir != "" {
		for _, dir := range []string{projectsDir, agentMemoryDir} {
			others = append(others, other{filepath.Join(s.ClaudeDir, dir), "one in which Claude Code keeps memories"})
		}
	}
	for _, client := range clients(s) {
		for _, dir := range client.places {
			others = append(others, other{filepath.Join(client.dir, dir), "one in which " + client.layout.Rules().Client + " keeps memories"})
		}
	}
	for _, named := range s.MemoryDirs {
		others = append(others, other{named.Path, "the memory directory of " + named.Slug})
	}
	team := RealDir(absolute(s.TeamDir))
	for _, o := range others {
		switch at := RealDir(absolute(o.dir)); {
		case at == team:
			return fmt.Errorf("%s is also %s: the shared memory needs its own directory", s.TeamDir, o.what)
		case Beneath(team, at):
			return fmt.Errorf("%s is inside %s, which is %s: the shared memory needs a directory outside it", s.TeamDir, o.dir, o.what)
		case Beneath(at, team):
			return fmt.Errorf("%s is inside %s and is %s: the shared memory needs a directory without other memories", o.dir, s.TeamDir, o.what)
		}
	}
	return nil
}
