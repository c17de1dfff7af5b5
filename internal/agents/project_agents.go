package agents

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Agents returns the agents whose memory belongs to the project, with joined agents resolved. The
// first of these rules that finds any decides. The agent's directory contains the working
// directory. Claude Code's settings, else its own directory, assign the agent to the project. A
// named directory is in the repository. Another client keeps the agent for the project. The agent is
// Claude Code's for the nearest parent. Several
// agents mean an ambiguous project; nil means a project without memory.
func (p Project) Agents(all []Agent) []Agent {
	for _, choose := range []func([]Agent) []Agent{p.own, p.ofClients, p.above} {
		if found := choose(all); len(found) > 0 {
			return ResolveJoined(found, all)
		}
	}
	return nil
}

// own returns the agents by all rules of Agents but the last two, with joined agents unresolved.
func (p Project) own(all []Agent) []Agent {
	for _, choose := range []func([]Agent) []Agent{p.around, p.moved, p.movedWithAll, p.remembered, p.within} {
		if found := choose(all); len(found) > 0 {
			return found
		}
	}
	return nil
}

// around returns the agents whose directory is or contains the working directory, with links
// followed. Of nested directories only the innermost counts.
func (p Project) around(all []Agent) []Agent {
	var found []Agent
	innermost := 0
	for _, a := range all {
		if !p.mayBeIn(a) {
			continue
		}
		dir := RealDir(a.Dir)
		if !Beneath(p.Dir, dir) || len(dir) < innermost {
			continue
		}
		if len(dir) > innermost {
			found, innermost = nil, len(dir)
		}
		found = append(found, a)
	}
	return found
}

// mayBeIn reports whether the working directory may be in an agent's directory, judged without
// following links. Its path must have an element with the directory's name, or the agent must be a
// hive agent whose directory is a link.
func (p Project) mayBeIn(a Agent) bool {
	separator := string(filepath.Separator)
	if strings.Contains(p.Dir+separator, separator+filepath.Base(a.Dir)+separator) {
		return true
	}
	if !a.Rules().HasSessions {
		return false
	}
	info, err := os.Lstat(a.Dir)
	return err == nil && info.Mode().Type() == fs.ModeSymlink
}

// moved returns the agents whose memory directory the project's own settings name. Their display
// name is the project's root.
func (p Project) moved(all []Agent) []Agent {
	return filter(all, func(a Agent) bool {
		_, isProject := claudeProject(a.Layout, a.Dir)
		return a.Layout == Claude && !isProject && a.DisplayName == printable(p.Root)
	})
}

// filter returns the agents for which match reports true.
func filter(all []Agent, match func(Agent) bool) []Agent {
	return slices.DeleteFunc(slices.Clone(all), func(a Agent) bool { return !match(a) })
}

// movedWithAll returns the agents whose directory Claude Code's settings name as the memory of all
// projects.
func (p Project) movedWithAll(all []Agent) []Agent {
	return filter(all, func(a Agent) bool { return a.Layout == Claude && a.DisplayName == allProjectsName(a.Dir) })
}

// remembered returns the agents in Claude Code's own directory whose project directory is named
// after the project's root.
func (p Project) remembered(all []Agent) []Agent { return namedAfter(p.Root, all) }

// namedAfter returns the agents of Claude Code whose project directory has the name that Claude
// Code gives to dir.
func namedAfter(dir string, all []Agent) []Agent {
	whole := projectDirName(dir)
	return filter(all, func(a Agent) bool {
		name, isProject := claudeProject(a.Layout, a.Dir)
		return isProject && fits(name, whole)
	})
}

// above returns the agents of Claude Code for the working directory or its nearest parent that has
// any. Without them, it returns those for the repository's root or its nearest parent. Each search
// stops at a directory that is or contains the user's home directory.
func (p Project) above(all []Agent) []Agent {
	for _, dir := range []string{p.Dir, p.Root} {
		for range maxLevels {
			if containsHome(dir) {
				break
			}
			if found := namedAfter(dir, all); len(found) > 0 {
				return found
			}
			dir = filepath.Dir(dir)
		}
	}
	return nil
}

// within returns the agents of layout Directory whose directory is in the project's repository, in
// any of its worktrees. Outside a repository, the directory must be the working directory.
func (p Project) within(all []Agent) []Agent {
	return filter(all, func(a Agent) bool {
		if a.Layout != Directory {
			return false
		}
		at, err := ProjectAt(a.Dir)
		return err == nil && at.Root == p.Root
	})
}

// Beneath reports whether the clean path is dir or is below it.
func Beneath(path, dir string) bool {
	rest, found := strings.CutPrefix(path, dir)
	return found && (rest == "" || rest[0] == filepath.Separator || strings.HasSuffix(dir, string(filepath.Separator)))
}
