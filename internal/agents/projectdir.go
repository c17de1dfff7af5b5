package agents

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ProjectDir returns the absolute path of the project that an agent's memories are about, or "".
// For a project of Claude Code it is the path that a transcript named. For a custom agent of one
// project it is the project's root. For a named directory it is the root of the repository around
// it. Directories that do not exist, or that contain the user's home directory, are not projects.
func ProjectDir(a Agent) string {
	dir := ""
	switch a.Rules().project {
	case displayedProject:
		if dir = a.DisplayName; ScopeOf(a) == ProjectScope || ScopeOf(a) == LocalScope {
			dir = customRoot(a.Dir)
		}
		dir = cmp.Or(qwenRoot(a), dir)
	case repositoryProject:
		dir = repositoryAround(a.Dir)
	}
	if !filepath.IsAbs(dir) {
		return ""
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || containsHome(real) {
		return ""
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return ""
	}
	return filepath.Clean(dir)
}

// repositoryAround returns the root of the innermost repository that contains dir. It returns "" if
// dir is itself a root, is in no repository, or a parent cannot be read.
func repositoryAround(dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	for at := real; ; at = filepath.Dir(at) {
		_, err := os.Lstat(filepath.Join(at, gitName))
		switch {
		case err == nil && at == real:
			return ""
		case err == nil:
			return at
		case !errors.Is(err, fs.ErrNotExist), at == filepath.Dir(at): // unreadable, or not found
			return ""
		}
	}
}

// containsHome reports whether dir is the user's home directory or contains it. It reports true for
// the root of the file system, and false if the home directory is unknown.
func containsHome(dir string) bool {
	if dir == filepath.Dir(dir) {
		return true
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	rel, err := filepath.Rel(dir, home)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
