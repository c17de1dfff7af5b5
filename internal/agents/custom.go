package agents

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// Scope says for whom a custom agent of Claude Code remembers.
type Scope string

// The scopes, as they stand in an agent's definition.
const (
	UserScope    Scope = "user"    // for its user, in all projects
	ProjectScope Scope = "project" // for everybody who has the repository: it is committed
	LocalScope   Scope = "local"   // for its user, in one project
)

const (
	dotClaude           = ".claude"
	definitionsDir      = "agents"
	agentMemoryLocalDir = "agent-memory-local"

	// maxDefinition is how much of a definition is read for its frontmatter, in bytes.
	maxDefinition = 64 << 10
	// maxDefinitions bounds the definitions that are read beneath one directory, and the directories that are looked through for them: each
	// is looked at again and again. definitionsDepth is how deep they may be.
	maxDefinitions   = 1000
	definitionsDepth = 4
	// maxCustomName bounds an agent's name, in bytes: it is that of a directory.
	maxCustomName = 100
)

// ScopeOf returns the scope of a custom agent; of any other agent it is empty.
func ScopeOf(a Agent) Scope {
	parent := filepath.Dir(a.Dir)
	if a.Layout != Claude {
		return ""
	}
	for _, scope := range []Scope{ProjectScope, LocalScope} {
		if customDir(customRoot(a.Dir), scope, filepath.Base(a.Dir)) == a.Dir && a.DisplayName == customTitle(filepath.Base(a.Dir), customRoot(a.Dir), scope) {
			return scope
		}
	}
	if filepath.Base(parent) == agentMemoryDir && a.DisplayName == printable(filepath.Base(a.Dir)) {
		return UserScope
	}
	return ""
}

// customDir is where a custom agent of a project remembers.
func customDir(root string, scope Scope, name string) string {
	kind := agentMemoryDir
	if scope == LocalScope {
		kind = agentMemoryLocalDir
	}
	return filepath.Join(root, dotClaude, kind, name)
}

// customRoot returns the project that a custom agent's directory is in, going by its path alone.
func customRoot(dir string) string { return filepath.Dir(filepath.Dir(filepath.Dir(dir))) }

// customTitle is what people call a custom agent of a project.
func customTitle(name, root string, scope Scope) string {
	title := name + " in " + root
	if scope == LocalScope {
		title += " (local)"
	}
	return printable(title)
}

// project is one that Claude Code has worked on.
type project struct {
	name string // of its directory in projects/
	path string // absolute
}

// addProject notes a project whose real path is known and is one: an absolute path that does not hold the user's home.
func (d *discovery) addProject(name, path string) {
	if !filepath.IsAbs(path) {
		return
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() || holdsHome(RealDir(path)) {
		return
	}
	d.projects = append(d.projects, project{name, filepath.Clean(path)})
}

// roots returns the roots of the known projects, sorted: all worktrees of a repository share one.
func (d *discovery) roots() []string {
	seen := map[string]bool{}
	for _, p := range d.projects {
		at, err := ProjectAt(p.path)
		if err != nil {
			d.noteFailed(err)
			continue
		}
		seen[at.Root] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// customAgents finds the agents that somebody has defined with a memory of their own, and those that have one: for all projects first, then
// by project.
func (d *discovery) customAgents(claudeDir string) {
	shared := map[string]bool{} // names of those for all projects
	for _, def := range d.definitions(RealDir(filepath.Join(claudeDir, definitionsDir)), true) {
		shared[def.name] = shared[def.name] || def.scope == UserScope
	}
	var inProjects []Found
	for _, root := range d.roots() {
		claude := filepath.Join(root, dotClaude)
		if !d.source(claude) || RealDir(claude) == RealDir(claudeDir) {
			continue
		}
		names := map[Scope]map[string]bool{ProjectScope: {}, LocalScope: {}}
		if unlinked(filepath.Join(claude, definitionsDir)) {
			for _, def := range d.definitions(filepath.Join(claude, definitionsDir), false) {
				if def.scope == UserScope {
					shared[def.name] = true
				} else {
					names[def.scope][def.name] = true
				}
			}
		}
		for _, scope := range []Scope{ProjectScope, LocalScope} {
			inProjects = append(inProjects, d.customIn(root, scope, names[scope])...)
		}
	}
	custom := filepath.Join(claudeDir, agentMemoryDir)
	for _, name := range d.subdirectories(custom) {
		shared[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(shared)) {
		if shared[name] {
			d.keep(Found{Slug: sanitise(name), Layout: Claude, Dir: filepath.Join(custom, name), DisplayName: printable(name)})
		}
	}
	d.elsewhere = append(d.elsewhere, inProjects...)
}

// customIn returns the agents of one scope in a project: those that are defined, and those that have a directory. What is in a repository comes
// from whoever writes to it, so that a link in it is not followed: it could lead anywhere.
func (d *discovery) customIn(root string, scope Scope, defined map[string]bool) []Found {
	parent := filepath.Dir(customDir(root, scope, "any"))
	if d.source(parent) && unlinked(parent) {
		entries, err := os.ReadDir(parent)
		if err != nil && !isGone(err) {
			d.failed(parent, err)
		}
		for _, entry := range entries {
			if name := entry.Name(); entry.IsDir() && isCustomName(name) {
				defined[name] = true
			}
		}
	}
	var found []Found
	for _, name := range slices.Sorted(maps.Keys(defined)) {
		dir := customDir(root, scope, name)
		if !unlinked(dir) {
			continue
		}
		slug := strings.TrimLeft(filepath.Base(root), ".") + "-" + name
		if scope == LocalScope {
			slug += "-local"
		}
		found = append(found, Found{Slug: sanitise(slug), Layout: Claude, Dir: dir, DisplayName: customTitle(name, root, scope)})
	}
	return found
}

// unlinked reports whether no link is on the way from a project's root to something in its .claude directory. What is not there has none.
func unlinked(path string) bool {
	for dir := path; ; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && info.Mode().Type() == fs.ModeSymlink {
			return false
		}
		if filepath.Base(dir) == dotClaude || dir == filepath.Dir(dir) {
			return true
		}
	}
}

// definition is a custom agent as a file defines it.
type definition struct {
	name  string
	scope Scope
}

// definitions returns the custom agents with a memory that are defined beneath a directory. Files that are links are read where whoever
// writes there can be trusted.
func (d *discovery) definitions(dir string, trusted bool) []definition {
	var found []definition
	read, directories := 0, 0
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			if !isGone(err) {
				d.failed(path, err)
			}
			d.source(path)
			return nil
		case entry.IsDir():
			if directories++; directories > maxDefinitions {
				return fs.SkipDir
			}
			if d.source(path); depthBelow(dir, path) >= definitionsDepth {
				return fs.SkipDir
			}
			return nil
		case !isMarkdown(path) || !(entry.Type().IsRegular() || trusted && entry.Type() == fs.ModeSymlink) || read == maxDefinitions:
			return nil
		}
		read++
		d.source(path)
		if def, ok := readDefinition(path, d.noteFailed); ok {
			found = append(found, def)
		}
		return nil
	})
	return found
}

func depthBelow(dir, path string) int {
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == "." {
		return 0
	}
	return strings.Count(rel, string(filepath.Separator)) + 1
}

// readDefinition reads what a definition says about memory. Of the frontmatter it takes two keys, each from its own line: the others hold
// prose and examples, which are often no YAML, and Claude Code reads them all the same.
func readDefinition(path string, failed func(error)) (def definition, ok bool) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		failed(err)
		return definition{}, false
	}
	defer file.Close() //nolint:errcheck // only read
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return definition{}, false
	}
	def.name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	lines := bufio.NewReader(io.LimitReader(file, maxDefinition))
	for n := 0; ; n++ {
		line, err := lines.ReadString('\n')
		line = strings.TrimRight(strings.TrimPrefix(line, "\ufeff"), "\r\n")
		switch {
		case n == 0 && line != "---", err != nil && !errors.Is(err, io.EOF):
			return definition{}, false
		case n > 0 && line == "---":
			def.name = strings.ReplaceAll(def.name, ":", "-") // as Claude Code names the directory of a plug-in's agent
			return def, isScope(def.scope) && isCustomName(def.name)
		case err != nil: // it was never closed
			return definition{}, false
		}
		key, value, _ := strings.Cut(line, ":")
		switch key {
		case "name":
			if value = scalar(value); value != "" {
				def.name = value
			}
		case "memory":
			def.scope = Scope(strings.ToLower(scalar(value)))
		}
	}
}

// scalar returns a plain or quoted value as it stands behind its key.
func scalar(value string) string {
	value = strings.TrimSpace(value)
	if len(value) > 1 && (value[0] == '"' || value[0] == '\'') {
		if end := strings.IndexByte(value[1:], value[0]); end >= 0 {
			return value[1 : 1+end]
		}
	}
	value, _, _ = strings.Cut(value, " #")
	return strings.TrimSpace(value)
}

func isScope(s Scope) bool { return s == UserScope || s == ProjectScope || s == LocalScope }

// isCustomName reports whether a name can be that of a directory, and of that alone: it leads nowhere else.
func isCustomName(name string) bool {
	return name != "" && len(name) <= maxCustomName && name[0] != '.' && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return r == '/' || r == '\\' || unicode.IsControl(r) })
}
