package agents

import (
	"fmt"
	"strings"
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

// ParseNamedDir parses slug=PATH. The path need not exist. The slug may contain a to z, A to Z,
// digits, dots, underscores and dashes, and must not start with a dot.
func ParseNamedDir(s string) (NamedDir, error) {
	slug, path, found := strings.Cut(s, "=")
	switch {
	case !found || slug == "" || path == "":
		return NamedDir{}, fmt.Errorf("%q is not of the form slug=PATH, for example reviewer=/srv/app/.claude/agent-memory/reviewer", s)
	case slug != sanitise(slug) || slug[0] == '.':
		return NamedDir{}, fmt.Errorf("the slug %q may only have letters, digits, dots, underscores and dashes, and not start with a dot", slug)
	case strings.ContainsRune(path, 0):
		return NamedDir{}, fmt.Errorf("the path of %q has a NUL character", slug)
	}
	return NamedDir{Slug: slug, Path: path}, nil
}
