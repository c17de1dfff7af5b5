package agents

import (
	"fmt"
	"path/filepath"
)

// CheckTeamDir returns an error if the shared directory equals, contains or is inside another
// directory of the settings: its memories would also be another agent's. Links are followed.
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
			return fmt.Errorf("%s is %s, too: what all agents share needs a directory of its own", s.TeamDir, what)
		case Beneath(team, at):
			return fmt.Errorf("%s is inside of %s, which is %s: what all agents share needs a directory outside of it", s.TeamDir, dir, what)
		case Beneath(at, team):
			return fmt.Errorf("%s is inside of %s and is %s: what all agents share needs a directory that holds nothing else", dir, s.TeamDir, what)
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
