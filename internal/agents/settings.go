package agents

import (
	"fmt"
	"strings"
)

// Settings say where to look for agents. An empty directory switches its layout off.
type Settings struct {
	AgentsDir  string // hive: each subdirectory with a memory/ or a sessions/ is an agent
	ClaudeDir  string // claude: the configuration directory of Claude Code
	MemoryDirs []NamedDir
	TeamDir    string // shared: one directory of memories for all agents

	// What else Claude Code goes by. Env is its environment, as far as this process knows it; nil: it is empty. Home is what ~ stands for
	// in its settings, and ManagedDir where an administrator's settings are; empty: there are none.
	Env        func(name string) (value string, found bool)
	Home       string
	ManagedDir string
}

// NamedDir is one memory directory named by hand.
type NamedDir struct {
	Slug string
	Path string
}

// ParseNamedDir reads slug=PATH. The path is taken as it stands; it need not exist. The slug may have the letters a to z in
// either case, digits, dots, underscores and dashes, and does not start with a dot.
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
