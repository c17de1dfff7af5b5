package agents

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"memoir/internal/memories/frontmatter"
)

// Scope is for whom a custom agent of Claude Code keeps its memory.
type Scope string

// The scopes, as definitions of agents spell them.
const (
	UserScope    Scope = "user"    // its user, in all projects
	ProjectScope Scope = "project" // everyone who has the repository: the memory is committed
	LocalScope   Scope = "local"   // its user, in one project
)

const (
	dotClaude           = ".claude"
	definitionsDir      = "agents"
	agentMemoryLocalDir = "agent-memory-local"

	// maxDefinition is how many bytes of a definition are read for its frontmatter. It is
	// arbitrary.
	maxDefinition = 64 << 10
	// maxDefinitions limits the definitions read below one directory and the directories searched
	// for them, because every discovery reads them. maxDefinitionDepth limits how many levels deep
	// they are. Both are arbitrary.
	maxDefinitions     = 1000
	maxDefinitionDepth = 4
	// maxCustomName limits an agent's name, in bytes. The name becomes a directory. It is
	// arbitrary.
	maxCustomName = 100
)

// ScopeOf returns the scope of a custom agent, or "" for another agent.
func ScopeOf(a Agent) Scope {
	parent := filepath.Dir(a.Dir)
	if !a.Rules().HasSettings {
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

// customDir returns the memory directory of a project's custom agent, which need not exist:
// .claude/agent-memory/NAME in root, or .claude/agent-memory-local/NAME for LocalScope.
func customDir(root string, scope Scope, name string) string {
	kind := agentMemoryDir
	if scope == LocalScope {
		kind = agentMemoryLocalDir
	}
	return filepath.Join(root, dotClaude, kind, name)
}

// customRoot returns the root of the project of a custom agent's memory directory: the path without
// its last three elements.
func customRoot(dir string) string { return filepath.Dir(filepath.Dir(filepath.Dir(dir))) }

// customTitle returns the display name of a project's custom agent: "NAME in ROOT", with " (local)"
// if the scope is LocalScope.
func customTitle(name, root string, scope Scope) string {
	title := name + " in " + root
	if scope == LocalScope {
		title += " (local)"
	}
	return printable(title)
}

// project is a project that Claude Code has worked on.
type project struct {
	name string // of its directory in projects/
	path string // absolute; its root
}

// addProject records a project for the search of custom agents. It does nothing if the path is not
// absolute, is no directory, or is or contains the user's home directory.
func (d *discovery) addProject(name, path string) {
	if !filepath.IsAbs(path) {
		return
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() || containsHome(RealDir(path)) {
		return
	}
	d.projects = append(d.projects, project{name, filepath.Clean(path)})
}

// roots returns the roots of the recorded projects, and the tops of their added worktrees, both
// sorted and each once. All worktrees of a repository share one root. A project whose root cannot
// be found out is omitted, and noteFailed gets the error.
func (d *discovery) roots() (roots, worktrees []string) {
	isRoot, isWorktree := map[string]bool{}, map[string]bool{}
	for _, p := range d.projects {
		at, err := ProjectAt(p.path)
		if err != nil {
			d.noteFailed(err)
			continue
		}
		if isRoot[at.Root] = true; at.Tree != at.Root {
			isWorktree[at.Tree] = true
		}
	}
	return slices.Sorted(maps.Keys(isRoot)), slices.Sorted(maps.Keys(isWorktree))
}

// customAgents adds the custom agents that have a memory directory or a definition that declares a
// memory. It adds those of UserScope to d.found, and those of a single project to d.outside. A
// definition in claudeDir with another scope than UserScope adds no agent. In an added worktree,
// only a memory directory adds one.
func (d *discovery) customAgents(claudeDir string) {
	shared := map[string]bool{} // names of agents for all projects
	for _, def := range d.definitions(RealDir(filepath.Join(claudeDir, definitionsDir)), true) {
		shared[def.name] = shared[def.name] || def.scope == UserScope
	}
	var inProjects []Found
	roots, worktrees := d.roots()
	for _, root := range roots {
		claude := filepath.Join(root, dotClaude)
		if !d.source(claude) || RealDir(claude) == RealDir(claudeDir) {
			continue
		}
		names := map[Scope]map[string]bool{ProjectScope: {}, LocalScope: {}}
		if hasNoLink(filepath.Join(claude, definitionsDir)) {
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
	for _, tree := range worktrees {
		// Claude Code keeps the committed memory in the worktree and the local one in the root.
		if claude := filepath.Join(tree, dotClaude); d.source(claude) && RealDir(claude) != RealDir(claudeDir) {
			inProjects = append(inProjects, d.customIn(tree, ProjectScope, map[string]bool{})...)
		}
	}
	custom := filepath.Join(claudeDir, agentMemoryDir)
	for _, name := range d.subdirectories(custom) {
		shared[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(shared)) {
		if shared[name] {
			d.add(Found{Slug: sanitise(name), Layout: Claude, Dir: filepath.Join(custom, name), DisplayName: printable(name)})
		}
	}
	d.outside = append(d.outside, inProjects...)
}

// customIn returns the custom agents of one scope in a project, sorted by name. They are those
// whose names are in defined, and those with a memory directory, whose names it adds to defined. It
// omits directories behind links in the repository, because its author may not be trusted.
func (d *discovery) customIn(root string, scope Scope, defined map[string]bool) []Found {
	parent := filepath.Dir(customDir(root, scope, "any"))
	if d.source(parent) && hasNoLink(parent) {
		entries, err := os.ReadDir(parent)
		if err != nil && !isGone(err) {
			d.addUnreadable(parent, err)
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
		if !hasNoLink(dir) {
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

// hasNoLink reports whether no element of path, from .claude down, is a link. Missing elements are
// not links.
func hasNoLink(path string) bool {
	for dir := path; ; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && info.Mode().Type() == fs.ModeSymlink {
			return false
		}
		if filepath.Base(dir) == dotClaude || dir == filepath.Dir(dir) {
			return true
		}
	}
}

// definition is a custom agent as its definition file declares it.
type definition struct {
	name  string
	scope Scope
}

// definitions returns the custom agents with a memory whose definitions are below dir. It omits
// unreadable files, and stops at maxDefinitions files and maxDefinitionDepth levels. It reads files
// that are links only if trusted: the user's own directory, not a repository. It records
// directories and files that it reads in d.sources.
func (d *discovery) definitions(dir string, trusted bool) []definition {
	var found []definition
	read, directories := 0, 0
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			if !isGone(err) {
				d.addUnreadable(path, err)
			}
			d.source(path)
			return nil
		case entry.IsDir():
			if directories++; directories > maxDefinitions {
				return fs.SkipDir
			}
			if d.source(path); depthBelow(dir, path) >= maxDefinitionDepth {
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

// depthBelow returns how many elements path has below dir, or 0 for dir itself. path must be dir or
// below it.
func depthBelow(dir, path string) int {
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == "." {
		return 0
	}
	return strings.Count(rel, string(filepath.Separator)) + 1
}

// readDefinition reads the keys name and memory of a definition's frontmatter, each from its own
// line. The other keys hold prose that is often invalid YAML. Without a name, the file's name is
// used. ok reports whether the definition declares a memory and has a usable name. If the file
// cannot be read, readDefinition calls failed with the error, and ok is false.
func readDefinition(path string, failed func(error)) (def definition, ok bool) {
	raw, err := readRegular(path, maxDefinition)
	if err != nil {
		failed(err)
		return definition{}, false
	}
	def.name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	head, _ := frontmatter.Split(string(raw))
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(line, ":")
		switch key {
		case "name":
			def.name = cmp.Or(scalar(value), def.name)
		case "memory":
			def.scope = Scope(strings.ToLower(scalar(value)))
		}
	}
	def.name = strings.ReplaceAll(def.name, ":", "-") // the directory name of a plug-in's agent
	return def, isScope(def.scope) && isCustomName(def.name)
}

// scalar returns the value in the text after a key's colon, without quotes and without a comment.
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

// isCustomName reports whether name can be the name of an agent's directory. It must be valid UTF-8
// of 1 to maxCustomName bytes, without slashes, backslashes, control characters and a leading dot.
func isCustomName(name string) bool {
	return name != "" && len(name) <= maxCustomName && name[0] != '.' && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return r == '/' || r == '\\' || unicode.IsControl(r) })
}
