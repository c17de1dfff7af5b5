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

// CheckTeamDir returns an error if the shared directory equals, contains or is inside another
// directory of the settings, with links followed: its memories would also be another agent's. It
// returns nil without a shared directory.
func (s Settings) CheckTeamDir() error {
	if s.TeamDir == "" {
		return nil
	}
	team := RealDir(absolute(s.TeamDir))
	check := func(dir, what string) error {
		if dir == "" {
			return nil
		}
		switch at := RealDir(absolute(dir)); {
		case at == team:
			return fmt.Errorf("%s is also %s: the shared memory needs its own directory", s.TeamDir, what)
		case Beneath(team, at):
			return fmt.Errorf("%s is inside %s, which is %s: the shared memory needs a directory outside it", s.TeamDir, dir, what)
		case Beneath(at, team):
			return fmt.Errorf("%s is inside %s and is %s: the shared memory needs a directory without other memories", dir, s.TeamDir, what)
		}
		return nil
	}
	if err := check(s.AgentsDir, "the directory of the agents"); err != nil {
		return err
	}
	if s.ClaudeDir != "" {
		for _, dir := range []string{projectsDir, agentMemoryDir} {
			if err := check(filepath.Join(s.ClaudeDir, dir), "one in which Claude Code keeps memories"); err != nil {
				return err
			}
		}
	}
	for _, named := range s.MemoryDirs {
		if err := check(named.Path, "the memory directory of "+named.Slug); err != nil {
			return err
		}
	}
	return nil
}
