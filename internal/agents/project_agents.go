package agents

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Agents returns those of the agents whose memory belongs to the project, by the first of these that holds for any:
//
//   - the working directory is in the agent's own directory; of several the innermost;
//   - the agent is what Claude Code remembers of the project, in a directory that its settings name;
//   - the agent is what Claude Code remembers of the project, in its own directory;
//   - the agent's directory was named by hand, and is in the project's repository;
//   - the agent is what Claude Code remembers of the nearest directory above the working directory.
//
// For one that is joined to another, that one is returned. Several mean that nobody can tell which one is meant; none, that the project has no memory.
func (p Project) Agents(all []Agent) []Agent {
	for _, choose := range []func([]Agent) []Agent{p.around, p.moved, p.movedWithAll, p.remembered, p.within, p.above} {
		if found := choose(all); len(found) > 0 {
			return ResolveJoined(found, all)
		}
	}
	return nil
}

// around returns the agents in whose directory the work is done.
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

// mayBeIn spares the others, of which there may be thousands, that every link on the way to them is followed. An agent of the
// hive may itself be a link to a directory of another name.
func (p Project) mayBeIn(a Agent) bool {
	separator := string(filepath.Separator)
	if strings.Contains(p.Dir+separator, separator+filepath.Base(a.Dir)+separator) {
		return true
	}
	if a.Layout != Hive {
		return false
	}
	info, err := os.Lstat(a.Dir)
	return err == nil && info.Mode().Type() == fs.ModeSymlink
}

// moved returns the agents of Claude Code whose memory of the project is where its local settings say.
func (p Project) moved(all []Agent) []Agent {
	var found []Agent
	for _, a := range all {
		if _, isProject := claudeProject(a.Layout, a.Dir); a.Layout == Claude && !isProject && a.DisplayName == printable(p.Root) {
			found = append(found, a)
		}
	}
	return found
}

// movedWithAll returns the agent that Claude Code keeps what it remembers of all projects with.
func (p Project) movedWithAll(all []Agent) []Agent {
	var found []Agent
	for _, a := range all {
		if a.Layout == Claude && a.DisplayName == ofAllProjects(a.Dir) {
			found = append(found, a)
		}
	}
	return found
}

// remembered returns the agents of Claude Code that are called after the project.
func (p Project) remembered(all []Agent) []Agent { return calledAfter(p.Root, all) }

// calledAfter returns the agents of the projects that Claude Code keeps for a directory.
func calledAfter(dir string, all []Agent) []Agent {
	var found []Agent
	whole := projectDirName(dir)
	for _, a := range all {
		if name, isProject := claudeProject(a.Layout, a.Dir); isProject && fits(name, whole) {
			found = append(found, a)
		}
	}
	return found
}

// above returns the agents of Claude Code that are called after the nearest parent of the working
// directory, or of the repository's root. A directory that the user's home is in is no project.
func (p Project) above(all []Agent) []Agent {
	projects := slices.DeleteFunc(slices.Clone(all), func(a Agent) bool {
		_, isProject := claudeProject(a.Layout, a.Dir)
		return !isProject
	})
	if len(projects) == 0 {
		return nil
	}
	for _, dir := range []string{p.Dir, p.Root} {
		for range maxLevels {
			if holdsHome(dir) {
				break
			}
			if found := calledAfter(dir, projects); len(found) > 0 {
				return found
			}
			dir = filepath.Dir(dir)
		}
	}
	return nil
}

// within returns the agents named by hand whose directories are in the same repository, whichever of its worktrees.
func (p Project) within(all []Agent) []Agent {
	var found []Agent
	for _, a := range all {
		if a.Layout != Directory {
			continue
		}
		if at, err := ProjectAt(a.Dir); err == nil && at.Root == p.Root {
			found = append(found, a)
		}
	}
	return found
}

// Beneath reports whether a clean path is that of a directory, or of something in it.
func Beneath(path, dir string) bool {
	rest, found := strings.CutPrefix(path, dir)
	return found && (rest == "" || rest[0] == filepath.Separator || strings.HasSuffix(dir, string(filepath.Separator)))
}
